"""Searches the full text of the stored pages of one or several jobs.

`search` asks the index of each job. Ranks (store.index) of different jobs are compared without
normalization, although a rare word of one job may be common in another. A page of several jobs is listed once, with its best rank.

`search_media` finds pictures and files by the texts of the links to them: anchor, alt text and caption. They are never fetched, so nothing
else says what they show (MySpider thesis, 2009, §2.3).

`make_query` turns a query into an FTS5 expression, and into words to mark in the text:

    基金 定投         both words
    "基金定投"        the phrase (also “…”)
    -股票 -"a b"      without them

Traditional and simplified characters, full and half width, upper and lower case are equal (text.segmenter); Latin words are compared by
their stems. The segmenter drops characters of words that its dictionary lacks, except words of the crawl's topic, also of one character; a search also keeps the
words of its query whole. The index may have only the remaining characters of such a word, so both spellings are searched for, in each job
with the segmenter of its topic.

`snippet` excerpts the part of a text where the query's words are close together. FTS5's own snippets cannot be used, because the index
stores no texts. Texts are folded for the comparison, which preserves offsets.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.page_stores import Stored, has_pages, open_pages, stored_in
from topiccrawler.errors import ArgumentError
from topiccrawler.items import Medium
from topiccrawler.results.job_pages import known_of, of_job
from topiccrawler.store.index import MOST_RANKED, texts_of
from topiccrawler.store.pages import Found, PageRecord, QueryTerm, Selection, media_of_record
from topiccrawler.text.segmenter import PLAIN, Segmenter, fold, spelled_and_folded
from topiccrawler.text.stemmer import OTHER, stem

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
    """The terms to search for in an index, and the words to mark in a text."""

    terms: tuple[QueryTerm, ...]  # without terms of which an index keeps no word
    marked: tuple[str, ...]  # folded words of the terms that are not excluded, the longest first

    def matches(self, texts: Sequence[Sequence[str]]) -> bool:
        """Whether texts, as words, have all terms and none of the excluded ones; a phrase must be in one text."""
        return all(_has(texts, term) is not term.is_excluded for term in self.terms)


def _has(texts: Sequence[Sequence[str]], term: QueryTerm) -> bool:
    if not term.is_phrase:
        words = set().union(*texts)
        return any(words.issuperset(spelling) for spelling in term.spellings)
    return any(
        tuple(text[at : at + len(spelling)]) == spelling
        for spelling in term.spellings
        for text in texts
        for at in range(len(text) - len(spelling) + 1)
    )


def terms_of(text: str) -> list[Term]:
    """The words and phrases of a query, in order."""
    found = []
    for minus, phrase, word in _TERM.findall(spelled_and_folded(text)):
        if term := (phrase or word).strip():
            found.append(Term(term, bool(phrase), bool(minus)))
    return found


def segmenter_for(text: str, of_topic: Segmenter = PLAIN) -> Segmenter:
    """The topic's segmenter, extended to keep the words of the query whole."""
    return of_topic.keeping(term.text for term in terms_of(text))


def make_query(text: str, segmenter: Segmenter) -> Query:
    """Parse a query. `segmenter`: the result of `segmenter_for`; the words of the plain dictionary are searched for too. ArgumentError
    for a query that cannot find anything."""
    terms = terms_of(text)
    texts = [term.text for term in terms]
    spelled = zip(segmenter.words_of(texts), PLAIN.words_of(texts), strict=True)
    found: list[QueryTerm] = []
    marked: set[str] = set()
    for term, spellings in zip(terms, spelled, strict=True):
        if any(spellings):
            lists = tuple(dict.fromkeys(tuple(words) for words in spellings if words))
            found.append(QueryTerm(lists, term.is_phrase, term.is_excluded))
            marked |= set() if term.is_excluded else {word for words in spellings for word in words}
    if all(term.is_excluded for term in found):
        fault = "names no word to look for" if not terms else "has no word that an index keeps"
        raise ArgumentError(f"query {text!r}", fault, _REMEDY)
    return Query(tuple(found), tuple(sorted(marked, key=lambda word: (-len(word), word))))


WIDTH = 120  # characters of an excerpt
LEAD = 30  # of these before the first word
MOST_CHARACTERS = 100_000  # of a text that are searched; as many as are indexed
_LATIN = re.compile(r"[a-z0-9\u00df-\u024f]+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """An excerpt of a text. `marks`: start and end offsets of the query's words in it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def marked(self, begin: str = "«", end: str = "»") -> str:
        """The excerpt with a string before and after each mark."""
        parts, at = [], 0
        for start, stop in self.marks:
            parts += [self.text[at:start], begin, self.text[start:stop], end]
            at = stop
        return "".join([*parts, self.text[at:]])


def snippet(text: str, words: Sequence[str], width: int = WIDTH) -> Snippet:
    """The first `width` characters that contain most different words; the beginning of the text if it contains none."""
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
    """The start, the end and the word of each match of a query's words, in order and without overlaps. Latin words match by their stems."""
    folded = fold(text)
    latin = {word for word in words if word.isascii()}
    found = [
        (m.start(), m.end(), word)
        for m in (_LATIN.finditer(folded) if latin else ())
        for word in dict.fromkeys((stem(m[0]), stem(m[0], OTHER)))  # the language of the crawl is unknown
        if word in latin
    ]
    others = [re.escape(word) for word in words if not word.isascii()]  # the longest first
    if others:
        found += [(m.start(), m.end(), m[0]) for m in re.finditer("|".join(others), folded)]
    kept: list[tuple[int, int, str]] = []
    for place in sorted(found):
        if not kept or place[0] >= kept[-1][1]:
            kept.append(place)
    return kept


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that matches a query."""

    url: str
    title: Snippet
    snippet: Snippet
    rank: float  # BM25 * relevance; larger is better
    relevance: float
    day: str  # YYYY-MM-DD: the page's own date, else the day it was fetched
    format: str
    kind: str  # article, list or stub
    topic: str
    job: Path
    is_published: bool = False  # the day is the page's own date


@dataclass(frozen=True, slots=True)
class MediaHit:
    """A picture or file that matches a query, and the page that links to it."""

    medium: Medium
    anchor: Snippet
    caption: Snippet  # the caption, else the alt text
    page: PageRecord
    title: Snippet  # of the page
    rank: float  # BM25 of the words of all media of the page * its relevance; larger is better
    job: Path


class _Job(NamedTuple):
    """What is asked of one job: the query in the words of its topic."""

    folder: Path
    query: Query
    segmenter: Segmenter


_Hit = TypeVar("_Hit", Hit, MediaHit)


def search(folders: Sequence[Path], text: str, selection: Selection, limit: int) -> list[Hit]:
    """The best pages of these jobs."""
    jobs = _asked(folders, text)
    hits = (hit for job in jobs for hit in _page_hits(job, _pages(job, selection, limit)))
    return _best(hits, lambda hit: hit.url, limit)


def search_media(folders: Sequence[Path], text: str, selection: Selection, limit: int) -> list[MediaHit]:
    """The pictures and files of these jobs with all words of the query in anchor, alt text and caption of their links, each once; those of
    the best pages first. Arguments as of `search`."""
    hits: list[MediaHit] = []
    for job in _asked(folders, text):
        with closing(_pages(job, selection, MOST_RANKED, media=True)) as pages:
            hits += islice(_media_hits(job, pages), limit)
    return _best(hits, lambda hit: hit.medium.url, limit)


def _best(hits: Iterable[_Hit], url: Callable[[_Hit], str], limit: int) -> list[_Hit]:
    best: dict[str, _Hit] = {}
    for hit in sorted(hits, key=lambda hit: -hit.rank):
        best.setdefault(url(hit), hit)
    return list(best.values())[:limit]


def _asked(folders: Sequence[Path], text: str) -> list[_Job]:
    """The jobs with pages whose index may have what the query asks for. ArgumentError for a query that no job can answer."""
    jobs = []
    for folder in _each_once(folders):
        of_topic = known_of(folder, lambda recipe: topic_of(recipe).segmenter)
        segmenter = segmenter_for(text, of_topic or PLAIN)  # the plain one if its topic is missing
        with suppress(ArgumentError):  # the index of another job may keep the words: 猫, a word of its topic
            jobs.append(_Job(folder, make_query(text, segmenter), segmenter))
    if not jobs:
        make_query(text, segmenter_for(text))  # raises for a wrong query
    return jobs


def _page_hits(job: _Job, pages: Iterable[tuple[Found, PageRecord]]) -> Iterator[Hit]:
    for one, record in pages:
        title, text = (snippet(part, job.query.marked) for part in (record.title, record.text))
        yield Hit(
            record.url, title, text, one.rank, record.relevance, record.day, record.format, record.kind, record.topic,
            job.folder, bool(record.published),
        )  # fmt: skip


def _media_hits(job: _Job, pages: Iterable[tuple[Found, PageRecord]]) -> Iterator[MediaHit]:
    for one, record in pages:
        for medium in media_of_record(record):
            if job.query.matches(job.segmenter.words_of(list(texts_of(medium)))):
                parts = medium.anchor, medium.caption or medium.alt, record.title
                anchor, caption, title = (snippet(part, job.query.marked) for part in parts)
                yield MediaHit(medium, anchor, caption, record, title, one.rank, job.folder)


def _pages(
    job: _Job, selection: Selection, limit: int, *, media: bool = False
) -> Generator[tuple[Found, PageRecord]]:
    """The best pages of one job. `media`: by their links to media."""
    # another link of the page may have what is excluded
    terms = tuple(term for term in job.query.terms if not (media and term.is_excluded))
    with closing(open_pages(job.folder)) as store:
        for one in store.find(terms, of_job(selection, job.folder), limit, media=media):
            record = store.at(one.page)
            if record is not None:
                yield one, record


def _each_once(folders: Sequence[Path]) -> list[Path]:
    """The folders that have pages; of the processes of one crawl in a database only the first."""
    found: dict[Stored | Path, Path] = {}
    for folder in folders:
        if has_pages(folder):
            found.setdefault(stored_in(folder) or folder, folder)
    return list(found.values())
