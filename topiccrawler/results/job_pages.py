"""The pages of one job, why each was kept, and whether the crawl has understood its topic: its most relevant pages, and those at the border.

Pages that were not kept are those of the job's sample (store.page_sample), which has titles and is what `scrapy topics teach` asks about; a crawl
that finds more pages off topic than the sample holds shows those of the sample that are nearest. Copies are left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from topiccrawler.crawling.assemble import kept_from, page_classifier_of, topic_of
from topiccrawler.crawling.explanation import PastCrawl, Step
from topiccrawler.crawling.job_files import CHECKS, DISCARDED, VISITS, read_recipe
from topiccrawler.crawling.job_topic import display_names, topic_display_name
from topiccrawler.crawling.page_stores import has_pages, open_pages
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.teaching import words_of_record
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.pages.read import PageClassifier
from topiccrawler.relevance.base import VSM
from topiccrawler.store.page_checks import Check, PageChecks, Version
from topiccrawler.store.pages import ALL, PageRecord, Pages, PageStore, Selection
from topiccrawler.text.printable import one_line
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.catalogue import parts_of
from topiccrawler.urls.canonical import canonical
from topiccrawler.urls.readable import readable

T = TypeVar("T")

SHOWN = 5
LONGEST_TITLE, LONGEST_URL = 60, 200


@dataclass(frozen=True, slots=True)
class Judged:
    """A page that was judged by its relevance, 0..1."""

    url: str
    title: str
    relevance: float
    kept: bool


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Of one job."""

    best: Sequence[Judged] = ()  # the most relevant first
    border: Sequence[Judged] = ()  # the nearest to the threshold, the most relevant first
    threshold: float | None = None  # of relevance; None: not known
    answer: str = ""  # what to type when the crawler is wrong; empty where nothing can be

    def lines(self) -> list[str]:
        """All for a person."""
        best = [f"  {_line(page)}" for page in self.best]
        return [*(["the most relevant pages kept:", *best] if best else []), *self.border_lines()]

    def border_lines(self) -> list[str]:
        """The border, and how to answer."""
        lines = [f"  {_line(page, mark=True)}" for page in self.border]
        if lines:
            lines.insert(0, f"at the border (pages are kept from relevance {self.threshold:.3f}):")
        return [*lines, *([self.answer] if self.answer else [])]

    def border_as_json(self) -> list[dict[str, Any]]:
        """The border, a value a page."""
        return [
            {**asdict(page), "relevance": round(page.relevance, 4), "threshold": self.threshold}
            for page in self.border
        ]


def first_look(folder: Path, threshold: float | None = None, count: int = SHOWN) -> FirstLook:
    """`threshold`: from which relevance the crawl keeps pages now; None = as its files say. `count`: pages of each kind. StateError for files
    that cannot be read."""
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
    border = border_of(kept, not_kept, threshold, count) if threshold is not None else []
    answer = _answer(folder, recipe) if recipe is not None and (best or border) else ""
    return FirstLook(best, border, None if threshold is None else round(threshold, 4), answer)


def border_of(
    kept: Sequence[Judged], not_kept: Sequence[Judged], threshold: float, count: int
) -> list[Judged]:
    """So many pages, the nearest to the threshold: as many of each kind, and one more of the kind that is nearer; where there are too few
    of one kind, of the other. The most relevant first."""

    def distance(page: Judged) -> tuple[float, str]:
        return abs(page.relevance - threshold), page.url

    sides = [sorted(side, key=distance) for side in (kept, not_kept)]
    half = count // 2
    chosen = [page for side in sides for page in side[:half]]
    rest = sorted((page for side in sides for page in side[half:]), key=distance)
    chosen += rest[: count - len(chosen)]
    return sorted(chosen, key=lambda page: (-page.relevance, not page.kept, page.url))


def page_threshold(recipe: Recipe) -> float | None:
    """From which relevance a job keeps pages. None where its topic or a model went."""
    try:
        return kept_from(recipe, page_classifier_of(recipe))
    except CrawlerError:
        return None


def _answer(folder: Path, recipe: Recipe) -> str:
    """Only words of one topic can be taught, with a job that is on this machine."""
    if recipe.page_classifier != VSM or len(parts_of(recipe.topic)) > 1 or not (folder / VISITS).is_file():
        return ""
    name = one_line(topic_display_name(recipe), LONGEST_TITLE)
    return f"is that {name}? answer about some pages: scrapy topics teach {shlex.quote(str(folder))}"


def _not_kept(folder: Path, threshold: float, count: int, kept: Pages | None) -> list[Judged]:
    """Of the sample, less those that a later look has kept."""
    if not (folder / DISCARDED).is_file():
        return []
    with closing(PageStore(folder / DISCARDED, create=False)) as sample:
        found = _judged(sample, sample.nearest(threshold, count, stored=False))
    return [page for page in found if kept is None or kept.get(page.url) is None]


def _judged(pages: Pages, rows: Sequence[int]) -> list[Judged]:
    records = [record for row in rows if (record := pages.at(row)) is not None]
    return [_of(record) for record in records]


def _of(record: PageRecord) -> Judged:
    return Judged(record.url, record.title, record.relevance, record.stored)


def _line(page: Judged, *, mark: bool = False) -> str:
    kept = f"{'kept' if page.kept else 'not kept':<10}" if mark else ""
    title = one_line(page.title, LONGEST_TITLE) or "(no title)"
    return f"{page.relevance:.3f}  {kept}{title}  {one_line(readable(page.url), LONGEST_URL)}"


WORDS = 12  # that speak for a page, shown


class JobPages:
    """A job's page store, opened to be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = open_pages(folder)
        self._checks = PageChecks(folder / CHECKS) if PageChecks.is_begun(folder / CHECKS) else None

    def check_whole(self) -> None:
        """StateError when the store is a damaged file, which would give a part of its pages without a word."""
        if isinstance(self._store, PageStore):
            self._store.check_whole()

    def best(
        self, selection: Selection = ALL, limit: int | None = None, skip: int = 0
    ) -> Iterator[PageRecord]:
        """Such pages, the most relevant first, one at a time; not the first `skip` of them."""
        for row in self._store.best(of_job(selection, self.folder), limit)[skip:]:
            record = self._store.at(row)
            if record is not None:
                yield record

    def get(self, url: str) -> PageRecord:
        """The page of this address; ArgumentError when it was not kept."""
        record = self._store.get(canonical(url) or url) or self._store.get(url)
        if record is None:
            remedy = f"`scrapy explain URL --job {self.folder}` says what became of it"
            raise ArgumentError(f"URL {url}", f"is not among the pages kept in {self.folder}", remedy)
        return record

    def check(self, url: str) -> Check | None:
        """What later looks at a page found; None for a page, or a job, that was not revisited."""
        return self._checks.get(url) if self._checks is not None else None

    def versions(self, url: str) -> list[Version]:
        """The earlier versions of a page, the latest first."""
        return self._checks.versions(url) if self._checks is not None else []

    def copies(self, record: PageRecord, limit: int) -> list[PageRecord]:
        """Near copies of a page, and the page that it is a copy of itself."""
        first = record.alias_of or record.url
        found = [self._store.get(first)] if record.alias_of else []
        found += [self._store.get(url) for url in self._store.copies(first, limit + 1) if url != record.url]
        return [one for one in found if one is not None][:limit]

    def close(self) -> None:
        """Let go of the files."""
        self._store.close()
        if self._checks is not None:
            self._checks.close()


def of_job(selection: Selection, folder: Path) -> Selection:
    """The selection, where its topic is a name that people are shown, with the one stored with pages."""
    names = names_of(folder) if selection.topic else {}
    topic = next((name for name, shown in names.items() if shown == selection.topic), selection.topic)
    return replace(selection, topic=topic)


def job_pages(folder: Path) -> closing[JobPages]:
    """The pages of a job, let go of at the end."""
    return closing(JobPages(folder))


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a page was kept."""

    threshold: float | None  # of relevance; None: the job's recipe cannot be read any more
    words: tuple[tuple[str, float], ...]  # with what each adds to the page classifier's score
    path: tuple[Step, ...]  # from the seed to the page
    # what people are shown as its topics, by their names
    names: Mapping[str, str] = field(default_factory=dict)


def reasons_of(folder: Path, record: PageRecord) -> Reasons:
    """What the job's page classifier sees in the stored page, and how the crawl came to it."""
    with closing(PastCrawl(folder)) as past:
        path = past.of(record.url).path
    recipe, found = read_recipe(folder), classifier_of(folder)
    if recipe is None or found is None:
        return Reasons(None, (), path)
    page_classifier, segmenter = found
    words = words_that_count(page_classifier, record, segmenter)
    return Reasons(kept_from(recipe, page_classifier), words, path, names_of(folder))


def known_of(folder: Path, what: Callable[[Recipe], T]) -> T | None:
    """What a job's recipe gives; None when it, its topic or a model cannot be read."""
    try:
        recipe = read_recipe(folder)
        return None if recipe is None else what(recipe)
    except CrawlerError:
        return None


def names_of(folder: Path) -> Mapping[str, str]:
    """What people are shown as the job's topics, by the names that are stored with pages."""
    return known_of(folder, display_names) or {}


def are_similarities(folder: Path) -> bool:
    """An earlier version began the job: relevances of pages that it kept are similarities (Recipe.relevance_since)."""
    return bool(known_of(folder, lambda recipe: recipe.relevance_since != 0))


def classifier_of(folder: Path) -> tuple[PageClassifier, Segmenter] | None:
    """The page classifier of a job and the segmenter for its pages; None when its recipe, its topic or a model went."""
    return known_of(folder, lambda recipe: (page_classifier_of(recipe), topic_of(recipe).segmenter))


def words_that_count(
    page_classifier: PageClassifier, record: PageRecord, segmenter: Segmenter
) -> tuple[tuple[str, float], ...]:
    """The words that speak most for or against a stored page, with what each adds to its score."""
    words = words_of_record(record, segmenter, in_segments=page_classifier.reads_segments)
    return tuple(page_classifier.explain(words)[:WORDS])
