"""Reads the pages of one job, explains why each was kept, and lists the pages that tell whether the crawl has understood its topic.

`FirstLook` lists the most relevant pages and those nearest to the threshold. Pages that were not kept come from the job's sample
(store.page_sample), which has titles and is what `scrapy topics teach` asks about; a crawl with more pages off topic than the sample holds
lists those of the sample that are nearest. Copies are left out.

`JobPages` reads the page store and the results of revisits.

`Reasons` holds why a page was kept: the threshold, the words of most weight, and the path from the seed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from topiccrawler.crawling.assemble import page_classifier_of, topic_of
from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.crawling.job_topic import display_names, topic_display_name
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.page_stores import (
    has_pages,
    number_of_visits,
    open_checks,
    open_pages,
    open_sample,
)
from topiccrawler.crawling.past_crawl import PastCrawl, Step
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.messages import Message
from topiccrawler.pages.read import PageClassifier
from topiccrawler.relevance.base import EVIDENCE
from topiccrawler.store.page_checks import Check
from topiccrawler.store.page_store import PageStore, StoredPages
from topiccrawler.store.pages import ALL, PageRecord, Pages, Selection
from topiccrawler.text.printable import one_line
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.catalogue import parts_of
from topiccrawler.urls.canonical import canonical
from topiccrawler.urls.readable import readable

T = TypeVar("T")

SHOWN = 5  # pages listed of each kind
LONGEST_TITLE, LONGEST_URL, LONGEST_SNIPPET = 60, 200, 160


@dataclass(frozen=True, slots=True)
class Judged:
    """A page with its relevance, 0..1, whether it was kept, and some of its text."""

    url: str
    title: str
    relevance: float
    kept: bool
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The most relevant pages of a job, and the pages nearest to its threshold."""

    best: Sequence[Judged] = ()  # the most relevant first
    uncertain: Sequence[Judged] = ()  # the nearest to the threshold, the most relevant first
    threshold: float | None = None  # of relevance; None if unknown
    answer: str = ""  # advice with the command that corrects the crawler; empty if the job cannot be taught

    def lines(self) -> list[str]:
        """All pages as lines for a person."""
        best = [f"  {_line(page)}" for page in self.best]
        return [*([Message("the most relevant pages kept:"), *best] if best else []), *self.uncertain_lines()]

    def uncertain_lines(self) -> list[str]:
        """The pages nearest to the threshold as lines, and the command that corrects the crawler."""
        lines = [f"  {_line(page, mark=True)}" for page in self.uncertain]
        if lines:
            threshold = f"{self.threshold:.3f}"
            lines.insert(
                0,
                Message(
                    "nearest to the threshold (pages are kept from relevance {threshold}):",
                    threshold=threshold,
                ),
            )
        return [*lines, *([self.answer] if self.answer else [])]

    def uncertain_as_json(self) -> list[dict[str, Any]]:
        """The pages nearest to the threshold as JSON values, one a page."""
        return [
            {**asdict(page), "relevance": round(page.relevance, 4), "threshold": self.threshold}
            for page in self.uncertain
        ]


def first_look(folder: Path, threshold: float | None = None, count: int = SHOWN) -> FirstLook:
    """The best and the uncertain pages of a job. `threshold`: the smallest relevance of a kept page; None = as the job's files say.
    `count`: pages of each kind. StateError for files that cannot be read."""
    recipe = read_recipe(folder)
    if threshold is None and recipe is not None:
        threshold = page_threshold(recipe)
    best, kept, not_kept = list[Judged](), list[Judged](), list[Judged]()
    if has_pages(folder):
        with closing(open_pages(folder)) as pages:
            best = _judged(pages, pages.nearest(1.0, count))
            if threshold is not None:
                kept = _judged(pages, pages.nearest(threshold, 2 * count))
                not_kept = _not_kept(folder, threshold, 2 * count, pages)
    elif threshold is not None:
        not_kept = _not_kept(folder, threshold, count, None)
    kept = [page for page in kept if page not in best]
    uncertain = uncertain_of(kept, not_kept, threshold, count) if threshold is not None else []
    answer = _answer(folder, recipe) if recipe is not None and (best or uncertain) else ""
    return FirstLook(best, uncertain, None if threshold is None else round(threshold, 4), answer)


def uncertain_of(
    kept: Sequence[Judged], not_kept: Sequence[Judged], threshold: float, count: int
) -> list[Judged]:
    """The `count` pages nearest to the threshold, the most relevant first: half of them kept and half not kept; if `count` is odd, one more
    of the nearer kind; if one kind has too few, more of the other."""

    def distance(page: Judged) -> tuple[float, str]:
        return abs(page.relevance - threshold), page.url

    sides = [sorted(side, key=distance) for side in (kept, not_kept)]
    half = count // 2
    chosen = [page for side in sides for page in side[:half]]
    rest = sorted((page for side in sides for page in side[half:]), key=distance)
    chosen += rest[: count - len(chosen)]
    return sorted(chosen, key=lambda page: (-page.relevance, not page.kept, page.url))


def page_threshold(recipe: Recipe) -> float | None:
    """The smallest relevance at which a job keeps pages. None if its topic or a model is missing."""
    try:
        return page_classifier_of(recipe).threshold
    except CrawlerError:
        return None


def _answer(folder: Path, recipe: Recipe) -> str:
    """The advice how to correct the crawler. Empty unless the job has one topic of words and its crawl log is on this machine."""
    if recipe.page_classifier != EVIDENCE or len(parts_of(recipe.topic)) > 1 or not number_of_visits(folder):
        return ""
    name = one_line(topic_display_name(recipe), LONGEST_TITLE)
    command = f"scrapy topics teach {shlex.quote(str(folder))}"
    return Message("is that {topic}? answer about some pages: {command}", topic=name, command=command)


def _not_kept(folder: Path, threshold: float, count: int, kept: Pages | None) -> list[Judged]:
    """Pages of the sample near the threshold, without those that a later visit has kept."""
    with closing(open_sample(folder)) as sample:
        found = _judged(sample, sample.nearest(threshold, count, stored=False))
    return [page for page in found if kept is None or kept.get(page.url) is None]


def _judged(pages: Pages | StoredPages, rows: Sequence[int]) -> list[Judged]:
    records = [record for row in rows if (record := pages.at(row)) is not None]
    return [judged_page(record) for record in records]


def judged_page(record: PageRecord) -> Judged:
    """A stored page as a person is asked about it."""
    return Judged(record.url, record.title, record.relevance, record.stored, snippet_of(record))


def snippet_of(record: PageRecord) -> str:
    """The summary of a page, or else the beginning of its text, in one line."""
    return one_line(record.summary or record.text, LONGEST_SNIPPET)


def _line(page: Judged, *, mark: bool = False) -> str:
    kept = f"{'kept' if page.kept else 'not kept':<10}" if mark else ""
    title = one_line(page.title, LONGEST_TITLE) or "(no title)"
    return f"{page.relevance:.3f}  {kept}{title}  {one_line(readable(page.url), LONGEST_URL)}"


WORDS = 12  # listed for a page


class JobPages:
    """The pages of a job, opened for reading."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = open_pages(folder)
        self._checks = open_checks(folder)

    def check_whole(self) -> None:
        """Raise StateError for a damaged page store, which would otherwise give only a part of its pages without an error."""
        if isinstance(self._store, PageStore):
            self._store.check_whole()

    def best(
        self, selection: Selection = ALL, limit: int | None = None, skip: int = 0
    ) -> Iterator[PageRecord]:
        """The selected pages, the most relevant first, read one at a time, without the first `skip`. `limit` includes the skipped ones."""
        for row in self._store.best(of_job(selection, self.folder), limit)[skip:]:
            record = self._store.at(row)
            if record is not None:
                yield record

    def refused(self) -> int:
        """The number of pages that were kept and, judged again, are not any more."""
        return len(self._store.best(Selection(refused=True)))

    def get(self, url: str) -> PageRecord:
        """The page of a URL. ArgumentError when it was not kept."""
        record = self._store.get(canonical(url) or url) or self._store.get(url)
        if record is None:
            remedy = f"`scrapy explain URL --job {self.folder}` says what became of it"
            raise ArgumentError(f"URL {url}", f"is not among the pages kept in {self.folder}", remedy)
        return record

    def titles(self, urls: Iterable[str]) -> dict[str, str]:
        """The titles of these pages by URL; URLs that are not in the page store are left out."""
        records = ((url, self._store.get(url)) for url in urls)
        return {url: record.title for url, record in records if record is not None}

    def check(self, url: str) -> Check | None:
        """The results of revisits to a page; None for a page, or a job, that was not revisited."""
        return self._checks.get(url)

    def copies(self, record: PageRecord, limit: int) -> list[PageRecord]:
        """The near copies of a page, and the page of which it is a copy itself; `limit` at most."""
        first = record.alias_of or record.url
        found = [self._store.get(first)] if record.alias_of else []
        found += [self._store.get(url) for url in self._store.copies(first, limit + 1) if url != record.url]
        return [one for one in found if one is not None][:limit]

    def close(self) -> None:
        """Close the files."""
        self._store.close()
        self._checks.close()


def of_job(selection: Selection, folder: Path) -> Selection:
    """The selection with its topic's display name replaced by the name that is stored with the pages."""
    names = names_of(folder) if selection.topic else {}
    topic = next((name for name, shown in names.items() if shown == selection.topic), selection.topic)
    return replace(selection, topic=topic)


def job_pages(folder: Path) -> closing[JobPages]:
    """A context manager that opens the pages of a job and closes them at the end."""
    return closing(JobPages(folder))


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons why a page was kept."""

    threshold: float | None  # of relevance; None if the job's recipe cannot be read
    words: tuple[tuple[str, float], ...]  # each with its contribution to the page classifier's score
    path: tuple[Step, ...]  # from the seed to the page
    # display names of the job's topics, by their names
    names: Mapping[str, str] = field(default_factory=dict)


def reasons_of(folder: Path, record: PageRecord) -> Reasons:
    """Why a stored page was kept: the words that count for the job's page classifier, and the path on which the crawl found it."""
    with closing(PastCrawl(folder)) as past:
        path = past.of(record.url).path
    found = classifier_of(folder)
    if found is None:
        return Reasons(None, (), path)
    page_classifier, segmenter = found
    words = words_that_count(page_classifier, record, segmenter)
    return Reasons(page_classifier.threshold, words, path, names_of(folder))


def known_of(folder: Path, what: Callable[[Recipe], T]) -> T | None:
    """The result of `what` for a job's recipe; None when the recipe, its topic or a model cannot be read."""
    try:
        recipe = read_recipe(folder)
        return None if recipe is None else what(recipe)
    except CrawlerError:
        return None


def names_of(folder: Path) -> Mapping[str, str]:
    """The display names of a job's topics, by the names that are stored with pages."""
    return known_of(folder, display_names) or {}


def classifier_of(folder: Path) -> tuple[PageClassifier, Segmenter] | None:
    """The page classifier of a job and the segmenter for its pages; None when its recipe, its topic or a model is missing."""
    return known_of(folder, lambda recipe: (page_classifier_of(recipe), topic_of(recipe).segmenter))


def words_that_count(
    page_classifier: PageClassifier, record: PageRecord, segmenter: Segmenter
) -> tuple[tuple[str, float], ...]:
    """The words that contribute most to the score of a stored page, for or against it, each with its contribution."""
    words = words_of_record(record, segmenter, in_segments=page_classifier.reads_segments)
    return tuple(page_classifier.explain(words)[:WORDS])
