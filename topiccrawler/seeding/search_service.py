"""Finds candidates for seeds with a search service: sends queries made of the topic's words, and ranks the results.

`Searxng` queries SearXNG, a free metasearch engine that anybody can run, by its JSON API. The user gives its address, so it may be in a
private network, and its robots.txt, which speaks to crawlers of its pages, does not count. `candidates_of_search` ranks results by their relevance and by the number of queries that found them.
Reference: SearXNG documentation, Search API (GET /search, format=json).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from topiccrawler.errors import SearchError
from topiccrawler.pages.formats.registry import tidy
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.seeding.answers import Fetch, NoAnswerError
from topiccrawler.seeding.candidates import Candidate, merged
from topiccrawler.text.printable import printable
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, host_of

MOST_RESULTS = 200  # results to read of one page
LONGEST_TEXT = 2_000  # characters of a title or snippet

_ADDRESS = "give the address of a SearXNG instance, as in --search http://127.0.0.1:8888"
_CLOSED = "allow the json format (search.formats) and this machine (limiter) in the instance's settings.yml"


@dataclass(frozen=True, slots=True)
class Found:
    """One search result, as the service returns it."""

    url: str
    title: str
    snippet: str


class Searxng:
    """A SearXNG instance at a base address, which may have a name and a password. Raises SearchError if that is no http(s) address."""

    def __init__(self, base: str) -> None:
        self._base = base.strip().rstrip("/")
        if canonical(self._base) is None:
            raise SearchError(f"search service {base!r}", "is no http(s) address", _ADDRESS)
        parts = urlsplit(self._base)
        self._base = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        self.host = host_of(self._base)
        self._meta: dict[str, Any] = {"dont_obey_robotstxt": True}
        if parts.username:
            access = {"http_user": unquote(parts.username), "http_pass": unquote(parts.password or "")}
            self._meta |= access | {"http_auth_domain": self.host}

    async def search(self, fetch: Fetch, query: str, page: int = 1) -> list[Found]:
        """The results of one page, best first; `page` counts from 1. Raises SearchError if the service does not return results."""
        parameters = urlencode({"q": query, "format": "json", "pageno": page})
        try:
            answer = await fetch(f"{self._base}/search?{parameters}", **self._meta)
        except NoAnswerError as failure:
            raise self._error(f"does not answer ({printable(str(failure))})") from None
        if answer.status != 200:
            raise self._error(
                f"answers {answer.status}", _CLOSED if answer.status in {403, 429} else _ADDRESS
            )
        try:
            results = json.loads(answer.body)["results"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._error("gives no JSON with results", _CLOSED) from None
        rows = results[:MOST_RESULTS] if isinstance(results, list) else []
        return [_found(one) for one in rows if isinstance(one, dict)]

    def _error(self, fault: str, remedy: str = _ADDRESS) -> SearchError:
        return SearchError(f"search service {self._base}", fault, remedy)


def _found(result: dict[str, Any]) -> Found:
    url, title, snippet = (str(result.get(name) or "")[:LONGEST_TEXT] for name in ("url", "title", "content"))
    return Found(url, title, snippet)


MOST_WORDS = 5
HEAVY = 0.5  # least weight of a query word, as a share of the largest weight
RESULT_PAGES = 2  # pages of results to read for each query


def queries_of(topic: Topic) -> list[str]:
    """The queries for a topic, at most 15: each of the heaviest words of the user (or of all words, if there are none), then each pair."""
    words = [word for word in topic.given if word in topic.keywords] or list(topic.keywords)
    heaviest = max(topic.keywords[word] for word in words)
    heavy = [word for word in words if topic.keywords[word] >= HEAVY * heaviest]
    heavy = sorted(heavy, key=lambda word: -topic.keywords[word])[:MOST_WORDS]
    return [*heavy, *(" ".join(pair) for pair in combinations(heavy, 2))]


async def candidates_of_search(
    topic: Topic, service: Searxng, page_classifier: PageClassifier, fetch: Fetch, warn: Callable[[str], None]
) -> list[Candidate]:
    """The search results for the topic, best first, without results that have no word of the topic.

    Raises SearchError if the first query fails; if a later one fails, `warn` is called and the results until then are returned.
    """
    queries = queries_of(topic)
    texts: dict[str, tuple[str, str]] = {}
    found_by: dict[str, set[str]] = {}
    sent = 0
    for query in queries:
        try:
            for page in range(1, RESULT_PAGES + 1):
                results = await service.search(fetch, query, page)
                for result in results:
                    if (url := canonical(result.url)) is not None:
                        texts.setdefault(url, (tidy(result.title), tidy(result.snippet)))
                        found_by.setdefault(url, set()).add(query)
                if not results:
                    break
        except SearchError as failure:
            if not sent:
                raise
            warn(f"{failure} (after {sent} of {len(queries)} queries)")
            break
        sent += 1
    words = {url: _words(title, snippet, topic.segmenter) for url, (title, snippet) in texts.items()}
    return merged(
        Candidate(
            url,
            title,
            page_classifier.relevance(words[url]),
            found=len(found_by[url]),
            queries=max(sent, len(found_by[url])),
        )
        for url, (title, _) in texts.items()
        if page_classifier.similarity(words[url]) > 0  # not relevance, which is above 0 for any page
    )


def _words(title: str, snippet: str, segmenter: Segmenter) -> PageWords:
    of_title, of_snippet = segmenter.words_of([title, snippet])
    return PageWords(title=of_title, body=of_snippet)
