"""Full-text search in the stored pages of one job or several.

Each job has an index of its own; its ranks (store.index) are taken as comparable, though a rare word of one job may be common in
another. A page that several jobs have is shown once, where its rank is best. What an index lacks is added first.

What a user asks for, as an expression of FTS5 and as the words to mark.

    基金 定投         both words
    "基金定投"        the phrase (also “…”)
    -股票 -"a b"      without them

Traditional and simplified characters, full and half width, upper and lower case are one (text.normalise); Latin words are compared by
their stems. The segmenter drops the characters of words it does not know (定投 both) unless they are learned. A crawl learns the
words of its topic, a search learns those of the topic and its own; an index made without them has what was left of them, so either
spelling of a word is looked for.

The part of a text in which a query's words stand together, with their places.

The index keeps no texts, so FTS5's own snippets are not to be had; and texts are folded to be compared, which keeps their offsets.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_files import INDEX, catch_up, read_recipe
from topiccrawler.crawling.page_stores import Stored, has_pages, open_pages, stored_in
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.results.job_pages import of_job
from topiccrawler.store.index import Found, PageIndex, QueryTerm, fts5
from topiccrawler.store.pages import PageStore, Selection
from topiccrawler.text.normalise import fold
from topiccrawler.text.tokenise import learn, stem, words_of

_TERM = re.compile(r'(-?)(?:["“”]([^"“”]*)["“”]?|([^\s"“”]+))')
_REMEDY = 'give words of two characters or more: scrapy search "基金 定投"'


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase of a query."""

    text: str  # folded
    is_phrase: bool
    is_excluded: bool


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for in an index, and what to mark in a text."""

    terms: tuple[QueryTerm, ...]  # those that an index keeps words of
    marked: tuple[str, ...]  # folded words of the terms asked for, the longest first


def terms_of(text: str) -> list[Term]:
    """The terms of a query, in order."""
    found = []
    for minus, phrase, word in _TERM.findall(fold(text)):
        if term := (phrase or word).strip():
            found.append(Term(term, bool(phrase), bool(minus)))
    return found


def spellings_of(text: str) -> list[list[str]]:
    """The words of each term, as the segmenter gives them now."""
    return words_of([term.text for term in terms_of(text)])


def make_query(text: str, plain: Sequence[list[str]] | None = None) -> Query:
    """ArgumentError for a query by which nothing can be found. `plain`: `spellings_of` it before a topic's words were learned."""
    terms = terms_of(text)
    plain = spellings_of(text) if plain is None else plain
    learn(term.text for term in terms)
    found: list[QueryTerm] = []
    marked: set[str] = set()
    for term, *spellings in zip(terms, spellings_of(text), plain, strict=True):
        if any(spellings):
            lists = tuple(dict.fromkeys(tuple(words) for words in spellings if words))
            found.append(QueryTerm(lists, term.is_phrase, term.is_excluded))
            marked |= set() if term.is_excluded else {word for words in spellings for word in words}
    if all(term.is_excluded for term in found):
        fault = "names no word to look for" if not terms else "has no word that an index keeps"
        raise ArgumentError(f"query {text!r}", fault, _REMEDY)
    return Query(tuple(found), tuple(sorted(marked, key=lambda word: (-len(word), word))))


WIDTH = 120  # characters
LEAD = 30  # of these before the first word
MOST_CHARACTERS = 100_000  # of a text that are looked at; as many as are indexed
_LATIN = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text; marks are offsets into it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def marked(self, begin: str = "«", end: str = "»") -> str:
        """The text with its marks written out."""
        parts, at = [], 0
        for start, stop in self.marks:
            parts += [self.text[at:start], begin, self.text[start:stop], end]
            at = stop
        return "".join([*parts, self.text[at:]])


def snippet(text: str, words: Sequence[str], width: int = WIDTH) -> Snippet:
    """The `width` characters with most different words, the first such; without any, the text's beginning."""
    text = " ".join(text[:MOST_CHARACTERS].split())
    found = places(text, words)
    starts = [start for start, _, _ in found]
    best, most = 0, 0
    for number, (start, _, _) in enumerate(found):
        inside = found[number : bisect_left(starts, start + width - LEAD)]
        different = len({word for _, _, word in inside})
        if different > most:
            best, most = start, different
    begin = max(0, min(best - LEAD, len(text) - width))
    cut = text[begin : begin + width]
    lead, trail = "…" if begin else "", "…" if begin + width < len(text) else ""
    shift = len(lead) - begin
    marks = [(s + shift, e + shift) for s, e, _ in found if begin <= s and e <= begin + len(cut)]
    return Snippet(f"{lead}{cut}{trail}", tuple(marks))


def places(text: str, words: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where words of a query stand: start, end, word; in order, none within another. Latin words are found by their stems."""
    folded = fold(text)
    latin = {word for word in words if word.isascii()}
    found = [(m.start(), m.end(), stem(m[0])) for m in _LATIN.finditer(folded) if latin]
    found = [place for place in found if place[2] in latin]
    others = [re.escape(word) for word in words if not word.isascii()]  # the longest first
    if others:
        found += [(m.start(), m.end(), m[0]) for m in re.finditer("|".join(others), folded)]
    kept: list[tuple[int, int, str]] = []
    for place in sorted(found):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


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
        self._store = open_pages(folder)
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
            return self._index.find(fts5(query.terms), selection, limit)
        return (
            []
            if isinstance(self._store, PageStore)
            else self._store.find(query.terms, selection, limit, told)
        )


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
