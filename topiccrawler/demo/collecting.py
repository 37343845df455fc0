"""Collects labelled links on the training part of the synthetic web: a general crawl, labels by the domain rule.

The conflict: a classifier needs thousands of links whose targets' topic is known, and nobody labels by hand (NB 2010
§3.2.2). So a plain breadth-first crawl over real HTTP reads links, and each gets the label of its target's place.
"""

from __future__ import annotations

import http.client
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from topiccrawler.link_model.training.labelling import label
from topiccrawler.links.extract import ContextMaker, extract
from topiccrawler.model import Link
from topiccrawler.pages.read import Reader
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, host_of

TIMEOUT_SECONDS = 30.0
CONTEXT: ContextMaker = "window"
_CHARSET = re.compile(r"charset=([\w-]+)", re.IGNORECASE)


class ProxyClient:
    """GETs pages through a forward proxy, one connection kept open."""

    def __init__(self, proxy: str) -> None:
        parts = urlsplit(proxy)
        self._connection = http.client.HTTPConnection(
            parts.hostname or "127.0.0.1", parts.port, timeout=TIMEOUT_SECONDS
        )

    def get(self, url: str) -> tuple[int, str, bytes]:
        """Status, then the content type (or, of a redirect, the place it names), then the body."""
        self._connection.request("GET", url, headers={"Host": host_of(url)})
        response = self._connection.getresponse()
        body = response.read()
        return (
            response.status,
            response.getheader("Location") or response.getheader("Content-Type") or "",
            body,
        )

    def close(self) -> None:
        self._connection.close()


def collect(
    client: ProxyClient,
    seeds: Iterable[str],
    hosts: Iterable[str],
    reader: Reader,
    pages: int,
    tick: Callable[[int], None],
) -> Iterator[Link]:
    """Every link on the first `pages` pages of a breadth-first crawl that stays on `hosts`; `tick` counts pages."""
    allowed, queue = set(hosts), deque((url, 0) for url in seeds)
    known = {url for url, _ in queue}
    fetched = 0
    while queue and fetched < pages:
        url, depth = queue.popleft()
        status, kind, body = client.get(url)
        if status in (301, 302):
            place = canonical(kind, url)
            found: Sequence[Link] = [Link(url=place, host=host_of(place), depth=depth)] if place else []
        elif status == 200:
            charset = _CHARSET.search(kind)
            document = reader.read(url, body, charset[1] if charset else None, depth=depth).document
            found = extract(document, url, depth=depth + 1, context=CONTEXT)
            fetched += 1
            tick(fetched)
            yield from found
        else:
            found = []
        for link in found:
            if link.host in allowed and link.url not in known:
                known.add(link.url)
                queue.append((link.url, link.depth))


def labelled(links: Iterable[Link], topic: Topic) -> Iterator[tuple[Link, int]]:
    """The links whose target stands in one of the topic's lists, each with 1 or 0."""
    for link in links:
        value = label(link.url, topic)
        if value is not None:
            yield link, value


def line(link: Link, value: int) -> str:
    """One line of a file of labelled links."""
    return json.dumps({**link._asdict(), "context": CONTEXT, "label": value}, ensure_ascii=False) + "\n"
