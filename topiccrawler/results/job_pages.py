"""The pages of one job, and why each of them was kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from topiccrawler.crawling.assemble import kept_from, page_classifier_of
from topiccrawler.crawling.history import PastCrawl, Step
from topiccrawler.crawling.job_files import CHECKS, read_recipe
from topiccrawler.crawling.page_stores import open_pages
from topiccrawler.crawling.topic_names import display_names
from topiccrawler.crawling.topic_pages import words_of_record
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.store.checks import Check, PageChecks, Version
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.selection import ALL, Selection
from topiccrawler.urls.canonical import canonical

WORDS = 12  # that speak for a page, shown


class JobPages:
    """A job's page store, opened to be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = open_pages(folder)
        self._checks = PageChecks(folder / CHECKS) if PageChecks.is_begun(folder / CHECKS) else None

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


@contextmanager
def job_pages(folder: Path) -> Iterator[JobPages]:
    """The pages of a job, let go of at the end."""
    pages = JobPages(folder)
    try:
        yield pages
    finally:
        pages.close()


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a page was kept."""

    threshold: float | None  # of relevance; None: the job's recipe cannot be read any more
    words: tuple[tuple[str, float], ...]  # with what each adds to the page classifier's score
    path: tuple[Step, ...]  # from the seed to the page
    names: Mapping[str, str] = field(
        default_factory=dict
    )  # what people are shown as its topics, by their names


def reasons_of(folder: Path, record: PageRecord) -> Reasons:
    """What the job's page classifier sees in the stored page, and how the crawl came to it."""
    past = PastCrawl(folder)
    try:
        path = past.of(record.url).path
    finally:
        past.close()
    recipe, page_classifier = read_recipe(folder), classifier_of(folder)
    if recipe is None or page_classifier is None:
        return Reasons(None, (), path)
    words = words_that_count(page_classifier, record)
    return Reasons(kept_from(recipe, page_classifier), words, path, names_of(folder))


def names_of(folder: Path) -> dict[str, str]:
    """What people are shown as the job's topics, by the names that are stored with pages."""
    try:
        recipe = read_recipe(folder)
        return {} if recipe is None else display_names(recipe)
    except CrawlerError:
        return {}


def are_similarities(folder: Path) -> bool:
    """An earlier version began the job: relevances of pages that it kept are similarities (Recipe.relevance_since)."""
    try:
        recipe = read_recipe(folder)
    except CrawlerError:
        return False
    return recipe is not None and recipe.relevance_since != 0


def classifier_of(folder: Path) -> PageClassifier | None:
    """The page classifier of a job; None when its recipe, its topic or a model went."""
    try:
        recipe = read_recipe(folder)
        return None if recipe is None else page_classifier_of(recipe)
    except CrawlerError:
        return None


def words_that_lead(page_classifier: PageClassifier, words: PageWords) -> list[tuple[str, float]]:
    """Of a page about a topic of a user's own words: the other words behind its similarity; none where the topic has no others."""
    if not isinstance(page_classifier, EvidenceClassifier):
        return []
    found = page_classifier.vsm.explain(words)
    return [pair for pair in found if pair[0] not in page_classifier.words][:WORDS]


def words_that_count(
    page_classifier: PageClassifier | None, record: PageRecord
) -> tuple[tuple[str, float], ...]:
    """The words that speak most for or against a stored page, with what each adds to its score."""
    if page_classifier is None:
        return ()
    words = words_of_record(record, in_segments=page_classifier.reads_segments)
    return tuple(page_classifier.explain(words)[:WORDS])
