"""Search services that can be asked for pages about a topic: the interface, and SearXNG's JSON API.

SearXNG is a free metasearch engine that anybody can run; its address is the user's own, so it may lie in the own network.
Reference: SearXNG documentation, Search API (GET /search, format=json).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

from topiccrawler.errors import SearchError
from topiccrawler.seeding.http_client import HttpClient
from topiccrawler.text.printable import printable

MOST_BYTES = 5_000_000
MOST_RESULTS = 200  # of one page
LONGEST_TEXT = 2_000  # characters of a title or snippet

_REMEDY = "give the address of a SearXNG instance, as in --search http://127.0.0.1:8888"
_CLOSED = "allow the json format (search.formats) and this machine (limiter) in the instance's settings.yml"


@dataclass(frozen=True, slots=True)
class Found:
    """One result, as the service has it."""

    url: str
    title: str
    snippet: str


class SearchService(Protocol):
    """What answers queries."""

    def search(self, query: str, page: int = 1) -> list[Found]:
        """The results of one page, best first; `page` counts from 1. SearchError when the service cannot answer."""
        ...


class Searxng:
    """The SearXNG instance at a base address."""

    def __init__(self, base: str, client: HttpClient) -> None:
        self._base, self._client = base.strip().rstrip("/"), client
        if urlsplit(self._base).scheme.lower() not in {"http", "https"} or not urlsplit(self._base).netloc:
            raise SearchError(f"search service {base!r}", "is no http(s) address", _REMEDY)

    def search(self, query: str, page: int = 1) -> list[Found]:
        asked = urlencode({"q": query, "format": "json", "pageno": page})
        try:
            status, body = self._client.ask(f"{self._base}/search?{asked}", most=MOST_BYTES)
        except (OSError, HTTPException, ValueError) as failure:
            reason = printable(str(getattr(failure, "reason", None) or failure))
            raise self._error(f"does not answer ({reason})") from None
        if status != 200:
            raise self._error(f"answers {status}", _CLOSED if status in {403, 429} else _REMEDY)
        try:
            results = json.loads(body)["results"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._error("gives no JSON with results", _CLOSED) from None
        return (
            [_found(one) for one in results[:MOST_RESULTS] if isinstance(one, dict)]
            if isinstance(results, list)
            else []
        )

    def _error(self, fault: str, remedy: str = _REMEDY) -> SearchError:
        return SearchError(f"search service {self._base}", fault, remedy)


def _found(result: dict[str, Any]) -> Found:
    url, title, snippet = (str(result.get(name) or "")[:LONGEST_TEXT] for name in ("url", "title", "content"))
    return Found(url, title, snippet)
