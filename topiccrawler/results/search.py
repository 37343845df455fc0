"""Full-text search in the stored pages of one job or several.

Each job has an index of its own; its ranks (store.index) are taken as comparable, though a rare word of one job may be common in
another. A page that several jobs have is shown once, where its rank is best. What an index lacks is added first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.indexing import catch_up
from topiccrawler.crawling.job_files import INDEX, read_recipe
from topiccrawler.crawling.page_stores import Stored, has_pages, open_pages, stored_in
from topiccrawler.errors import CrawlerError
from topiccrawler.results.job_pages import of_job
from topiccrawler.results.query import Query, make_query, spellings_of
from topiccrawler.results.snippet import Snippet, snippet
from topiccrawler.store.base import Pages
from topiccrawler.store.index import Found, PageIndex
from topiccrawler.store.pages import PageStore
from topiccrawler.store.postgresql.pages import PostgresPages
from topiccrawler.store.postgresql.search import PostgresIndex
from topiccrawler.store.selection import Selection

Told = Callable[[Path, int, int], None]


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    url: str
    title: Snippet
    snippet: Snippet
    rank: float  # BM25 * relevance; larger is better
    relevance: float
    day: str  # YYYY-MM-DD: of the page, else the day it was fetched
    format: str
    topic: str
    job: Path


class JobSearch:
    """The index and the pages of one job, open for queries. The words of its topic are to be learned first."""

    def __init__(self, folder: Path, told: Told | None = None) -> None:
        self.folder, self._told = folder, told
        self._store: Pages = open_pages(folder)
        self._index: PageIndex | None = None
        try:
            if isinstance(self._store, PageStore):
                self._index = PageIndex(folder / INDEX)
        except CrawlerError:
            self._store.close()
            raise

    def search(self, query: Query, selection: Selection, limit: int) -> list[Hit]:
        """The best pages; pages stored since the last search are indexed first."""
        hits = []
        for found in self._found(query, of_job(selection, self.folder), limit):
            record = self._store.at(found.page)
            if record is None or record.fetched != found.fetched:
                continue  # stored anew this very moment
            hits.append(
                Hit(
                    record.url,
                    snippet(record.title, query.marked),
                    snippet(record.text, query.marked),
                    found.rank,
                    record.relevance,
                    record.day,
                    record.format,
                    record.topic,
                    self.folder,
                )
            )
        return hits

    def close(self) -> None:
        """Let go of the files."""
        if self._index is not None:
            self._index.close()
        self._store.close()

    def _found(self, query: Query, selection: Selection, limit: int) -> list[Found]:
        told = self._told and partial(self._told, self.folder)
        if isinstance(self._store, PageStore) and self._index is not None:
            catch_up(self._store, self._index, told)
            return self._index.find(query.expression, selection, limit)
        if not isinstance(self._store, PostgresPages):
            return []
        index = PostgresIndex(self._store)
        index.catch_up(told)
        return index.find(query.tsquery, selection, limit)


def search(
    folders: Sequence[Path],
    text: str,
    selection: Selection,
    limit: int,
    told: Told | None = None,
) -> list[Hit]:
    """The best pages of these jobs. `told`: hears of pages that are indexed and how many there are to index."""
    plain = spellings_of(text)
    folders = _each_once(folders)
    for folder in folders:
        learn_topic(folder)
    query = make_query(text, plain)
    hits: list[Hit] = []
    for folder in folders:
        job = JobSearch(folder, told)
        try:
            hits += job.search(query, selection, limit)
        finally:
            job.close()
    best: dict[str, Hit] = {}
    for hit in sorted(hits, key=lambda hit: -hit.rank):
        best.setdefault(hit.url, hit)
    return list(best.values())[:limit]


def _each_once(folders: Sequence[Path]) -> list[Path]:
    """Those that have pages; of the processes of one crawl in a database one."""
    found: dict[Stored | Path, Path] = {}
    for folder in folders:
        if has_pages(folder):
            found.setdefault(stored_in(folder) or folder, folder)
    return list(found.values())


def learn_topic(folder: Path) -> None:
    """Let the segmenter keep the topic's words whole, as the crawl did."""
    try:
        recipe = read_recipe(folder)
        if recipe is not None:
            topic_of(recipe)
    except CrawlerError:
        pass  # a topic file that went: the words of the query itself are kept whole
