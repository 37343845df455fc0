"""The pages of one job, and why each of them was kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from topiccrawler.crawling.assemble import page_classifier_of, topic_of
from topiccrawler.crawling.history import PastCrawl, Step
from topiccrawler.crawling.job_files import PAGES, read_recipe
from topiccrawler.crawling.topic_pages import words_of_record
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.store.pages import PageRecord, PageStore
from topiccrawler.store.selection import ALL, Selection
from topiccrawler.urls.canonical import canonical

WORDS = 12  # that speak for a page, shown


class JobPages:
    """A job's page store, opened to be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._store = PageStore(folder / PAGES, create=False)

    def best(self, selection: Selection = ALL, limit: int | None = None) -> Iterator[PageRecord]:
        """Such pages, the most relevant first, one at a time."""
        for row in self._store.best(selection, limit):
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

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()


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


def reasons_of(folder: Path, record: PageRecord) -> Reasons:
    """What the job's page classifier sees in the stored page, and how the crawl came to it."""
    past = PastCrawl(folder)
    try:
        path = past.of(record.url).path
    finally:
        past.close()
    try:
        recipe = read_recipe(folder)
        if recipe is None:
            return Reasons(None, (), path)
        page_classifier = page_classifier_of(recipe, topic_of(recipe))
    except CrawlerError:  # a topic or a model that went
        return Reasons(None, (), path)
    words = page_classifier.explain(words_of_record(record))
    return Reasons(page_classifier.threshold, tuple(words[:WORDS]), path)
