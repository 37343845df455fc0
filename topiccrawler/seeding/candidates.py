"""Chooses seeds among candidates: the best, few of a host, those that answer.

What speaks for an address as a seed, in one score whatever the source.

Formula: score = relevance + Σ_source log2(1 + n) · n / (m + 4). relevance 0..1 of the page (of a search result: of its title and snippet) by the
page classifier; from earlier jobs n = relevant pages fetched by its links, m = all pages fetched by them; from a search service n = queries
that found it, m = queries asked; the 4 keeps low what few prove. So a page that led to many relevant pages and few others comes before one that is only relevant itself.

Asks each proposed address once whether it is there: HEAD, and GET where a server refuses that.

One host is asked one question at a time; a server that never ends its answer is left after three times a question's time.

Seeds from the user's own earlier jobs: pages that are about the topic, and pages whose links led to such pages.

The jobs may have been for any topic: the stored texts are classified anew. A page that links many relevant ones is often not relevant
itself, and was not kept; it is known as the source of others, and the crawl log says whether it could be fetched.

Seeds from a search service: queries made of the topic's words, results ranked by the topic and by how many queries found them.

Search services that can be asked for pages about a topic: the interface, and SearXNG's JSON API.

SearXNG is a free metasearch engine that anybody can run; its address is the user's own, so it may lie in the own network.
Reference: SearXNG documentation, Search API (GET /search, format=json).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from math import log2
from operator import add
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from topiccrawler.crawling.job_files import PAGES, VISITS
from topiccrawler.crawling.page_stores import has_pages, open_pages
from topiccrawler.crawling.teaching import words_of_record
from topiccrawler.errors import ArgumentError, SearchError, StateError, file_faults
from topiccrawler.pages.formats.registry import tidy
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.seeding.http_client import BadAnswerError, HttpClient, NoAnswerError
from topiccrawler.store.visits import read_visits
from topiccrawler.text.characters import printable
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, host_of

PRIOR = 4


class Candidate(NamedTuple):
    """One address, and what speaks for it."""

    url: str  # canonical
    title: str = ""  # as the web has it; the text of a link to it when it was not kept
    relevance: float = 0.0  # 0..1
    reached: int = 0  # relevant pages fetched by its links in earlier jobs
    fetched: int = 0  # all pages fetched by its links
    found: int = 0  # queries that found it
    queries: int = 0  # queries asked

    @property
    def score(self) -> float:
        """Larger is better; 0 = nothing speaks for it."""
        return self.relevance + _worth(self.reached, self.fetched) + _worth(self.found, self.queries)

    @property
    def why(self) -> str:
        """The score in words."""
        parts = [f"relevance {self.relevance:.2f}"]
        if self.reached:
            parts.append(f"{self.reached} of {self.fetched} pages it led to are relevant")
        if self.found:
            parts.append(f"found by {self.found} of {self.queries} queries")
        return ", ".join(parts)


def _worth(good: int, every: int) -> float:
    return log2(1 + good) * good / (every + PRIOR)


def merged(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Each address once, with all that speaks for it; the best first."""
    found: dict[str, Candidate] = {}
    for one in candidates:
        known = found.get(one.url)
        found[one.url] = one if known is None else _together(known, one)
    return sorted(found.values(), key=lambda one: (-one.score, one.url))


def _together(one: Candidate, other: Candidate) -> Candidate:
    counts = map(add, one[3:], other[3:])
    return Candidate(one.url, one.title or other.title, max(one.relevance, other.relevance), *counts)


AT_ONCE = 16
GONE = frozenset({404, 410})
BUSY = frozenset({429, 503})  # there, but not now
REFUSED = 405  # HEAD


def faults(client: HttpClient, urls: Sequence[str], seconds: float) -> dict[str, str]:
    """The fault of each URL, empty for one that answers. `seconds`: one question's time."""

    async def asked() -> list[str]:
        free, hosts = asyncio.Semaphore(AT_ONCE), defaultdict[str, asyncio.Lock](asyncio.Lock)

        async def fault(url: str) -> str:
            async with hosts[host_of(url)], free:
                return await _fault_of(client, url, seconds)

        return await asyncio.gather(*map(fault, urls))

    return dict(zip(urls, asyncio.run(asked()), strict=True))


async def _fault_of(client: HttpClient, url: str, seconds: float) -> str:
    """Why the URL cannot be a seed; empty when it answers."""
    try:
        async with asyncio.timeout(3 * seconds):
            try:
                status, _ = await client.answer(url, "HEAD")
            except BadAnswerError:
                status = REFUSED
            if status >= 400 and status not in GONE | BUSY:
                status, _ = await client.answer(url, "GET")
    except NoAnswerError as failure:
        return str(failure)
    except TimeoutError:
        return "takes too long"
    return f"answers {status}" if status >= 300 and status not in BUSY else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, best first, and why others were not there."""

    chosen: list[Candidate]
    dead: dict[str, str]  # URL -> fault


def choose(
    candidates: Iterable[Candidate],
    count: int,
    per_host: int,
    check: Callable[[Sequence[str]], Mapping[str, str]] | None = None,
) -> Choice:
    """At most `count`, at most `per_host` of one host. `candidates` come best first; `check` gives the fault of each URL, empty for
    one that is there, and is asked for no more than may be needed; None = all are."""
    chosen: list[Candidate] = []
    dead: dict[str, str] = {}
    waiting = list(candidates)
    while waiting and len(chosen) < count:
        taken = Counter(host_of(one.url) for one in chosen)
        batch, later = list[Candidate](), list[Candidate]()
        for one in waiting:
            host = host_of(one.url)
            fits = len(chosen) + len(batch) < count and taken[host] < per_host
            taken[host] += fits
            (batch if fits else later).append(one)
        if not batch:
            break
        faults = check([one.url for one in batch]) if check else {}
        dead |= {url: fault for url, fault in faults.items() if fault}
        chosen += [one for one in batch if one.url not in dead]
        waiting = later
    return Choice(sorted(chosen, key=lambda one: (-one.score, one.url)), dead)


_REMEDY = "name the folder of a job, or one that holds folders of jobs"


@dataclass(slots=True)
class _Job:
    """What one job says of its URLs."""

    titles: dict[str, str] = field(default_factory=dict)
    relevance: dict[str, float] = field(default_factory=dict)  # of the pages with a text
    fetched: dict[str, set[str]] = field(default_factory=dict)  # source -> pages fetched by its links
    failed: set[str] = field(default_factory=set)

    def came(self, url: str, source: str) -> None:
        """A page was fetched by a link of another."""
        if source and source != url:
            self.fetched.setdefault(source, set()).add(url)


def job_folders(given: Sequence[Path]) -> list[Path]:
    """Those of these folders that hold a job, and the jobs in the others, by name; ArgumentError for one that has neither."""
    found: list[Path] = []
    for folder in given:
        with file_faults(ArgumentError, f"folder {folder}", "cannot be read", _REMEDY):
            inside = [folder] if _is_job(folder) else sorted(filter(_is_job, folder.iterdir()))
        if not inside:
            raise ArgumentError(f"folder {folder}", f"holds no job: no {PAGES} with {VISITS}", _REMEDY)
        found += inside
    return list(dict.fromkeys(found))


def has_jobs(folder: Path) -> bool:
    """The folder holds jobs."""
    return folder.is_dir() and any(map(_is_job, folder.iterdir()))


def candidates_of_job(folder: Path, page_classifier: PageClassifier, segmenter: Segmenter) -> list[Candidate]:
    """The relevant pages of a job, and the pages that led to them; the best first. StateError for a store that cannot be read."""
    job = _read(folder, page_classifier, segmenter)
    threshold = page_classifier.threshold
    relevant = {url for url, relevance in job.relevance.items() if relevance >= threshold}
    hubs = {source for source, urls in job.fetched.items() if not relevant.isdisjoint(urls)}
    return merged(
        Candidate(
            url,
            job.titles.get(url, ""),
            job.relevance.get(url, 0.0),
            len(relevant & job.fetched.get(url, set())),
            len(job.fetched.get(url, ())),
        )
        for url in (relevant | hubs) - job.failed
    )


def _read(folder: Path, page_classifier: PageClassifier, segmenter: Segmenter) -> _Job:
    job = _Job()
    with file_faults(StateError, folder / VISITS, "cannot be read", _REMEDY):
        for visit in read_visits(folder / VISITS):
            if 200 <= visit.status < 300:
                job.failed.discard(visit.url)
                job.came(visit.url, visit.source_url)
                job.titles[visit.url] = visit.anchor
            else:
                job.failed.add(visit.url)
    in_segments = page_classifier.reads_segments
    with closing(open_pages(folder)) as store:
        for record in store.records():
            job.came(record.url, record.source_url)
            job.titles[record.url] = record.title or record.anchor
            if not record.alias_of:  # a copy has no text of its own
                words = words_of_record(record, segmenter, in_segments=in_segments)
                job.relevance[record.url] = page_classifier.relevance(words)
    return job


def _is_job(folder: Path) -> bool:
    return (folder / VISITS).is_file() and has_pages(folder)


MOST_BYTES = 5_000_000
MOST_RESULTS = 200  # of one page
LONGEST_TEXT = 2_000  # characters of a title or snippet

_ADDRESS = "give the address of a SearXNG instance, as in --search http://127.0.0.1:8888"
_CLOSED = "allow the json format (search.formats) and this machine (limiter) in the instance's settings.yml"


@dataclass(frozen=True, slots=True)
class Found:
    """One result, as the service has it."""

    url: str
    title: str
    snippet: str


class Searxng:
    """The SearXNG instance at a base address."""

    def __init__(self, base: str, client: HttpClient) -> None:
        self._base, self._client = base.strip().rstrip("/"), client
        if urlsplit(self._base).scheme.lower() not in {"http", "https"} or not urlsplit(self._base).netloc:
            raise SearchError(f"search service {base!r}", "is no http(s) address", _ADDRESS)

    def search(self, query: str, page: int = 1) -> list[Found]:
        """The results of one page, best first; `page` counts from 1. SearchError when the service cannot answer."""
        asked = urlencode({"q": query, "format": "json", "pageno": page})
        try:
            status, body = self._client.ask(f"{self._base}/search?{asked}", most=MOST_BYTES)
        except NoAnswerError as failure:
            raise self._error(f"does not answer ({printable(str(failure))})") from None
        if status != 200:
            raise self._error(f"answers {status}", _CLOSED if status in {403, 429} else _ADDRESS)
        try:
            results = json.loads(body)["results"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._error("gives no JSON with results", _CLOSED) from None
        rows = results[:MOST_RESULTS] if isinstance(results, list) else []
        return [_found(one) for one in rows if isinstance(one, dict)]

    def _error(self, fault: str, remedy: str = _ADDRESS) -> SearchError:
        return SearchError(f"search service {self._base}", fault, remedy)


def _found(result: dict[str, Any]) -> Found:
    url, title, snippet = (str(result.get(name) or "")[:LONGEST_TEXT] for name in ("url", "title", "content"))
    return Found(url, title, snippet)


logger = logging.getLogger(__name__)

MOST_WORDS = 5
HEAVY = 0.5  # of the heaviest word
RESULT_PAGES = 2  # of results, of each query


def queries_of(topic: Topic) -> list[str]:
    """Each of the heaviest words a user gave (of a topic without such, of all), then each pair: at most 15 queries."""
    words = [word for word in topic.given if word in topic.keywords] or list(topic.keywords)
    heaviest = max(topic.keywords[word] for word in words)
    heavy = [word for word in words if topic.keywords[word] >= HEAVY * heaviest]
    heavy = sorted(heavy, key=lambda word: -topic.keywords[word])[:MOST_WORDS]
    return [*heavy, *(" ".join(pair) for pair in combinations(heavy, 2))]


def candidates_of_search(topic: Topic, service: Searxng, page_classifier: PageClassifier) -> list[Candidate]:
    """What the service finds for the topic, best first; results without a word of it are left out.

    SearchError when the first query fails; when a later one does, what was found until then counts.
    """
    queries = queries_of(topic)
    texts: dict[str, tuple[str, str]] = {}
    found_by: dict[str, set[str]] = {}
    asked = 0
    for query in queries:
        try:
            for page in range(1, RESULT_PAGES + 1):
                results = service.search(query, page)
                for result in results:
                    if (url := canonical(result.url)) is not None:
                        texts.setdefault(url, (tidy(result.title), tidy(result.snippet)))
                        found_by.setdefault(url, set()).add(query)
                if not results:
                    break
        except SearchError as failure:
            if not asked:
                raise
            logger.warning("%s (after %d of %d queries)", failure, asked, len(queries))
            break
        asked += 1
    words = {url: _words(title, snippet, topic.segmenter) for url, (title, snippet) in texts.items()}
    return merged(
        Candidate(
            url,
            title,
            page_classifier.relevance(words[url]),
            found=len(found_by[url]),
            queries=max(asked, len(found_by[url])),
        )
        for url, (title, _) in texts.items()
        if page_classifier.similarity(words[url]) > 0  # relevance is above 0 for any page
    )


def _words(title: str, snippet: str, segmenter: Segmenter) -> PageWords:
    of_title, of_snippet = segmenter.words_of([title, snippet])
    return PageWords(title=of_title, body=of_snippet)
