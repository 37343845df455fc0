"""What `adaptive` takes from a page and its links, small enough to be kept for every page.

The conflict: a killed crawl must learn again from each page since the last checkpoint, but a page's links with their
contexts are 100 kB; and what all that text is asked for is one number a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from topiccrawler.links.urls import host_of
from topiccrawler.model import Link, Page


class Sighting(NamedTuple):
    """Plain JSON values."""

    url: str
    title: str
    relevance: float
    is_target: bool
    came_by: str  # the URL of the link that led here; empty for a seed
    links: Sequence[tuple[str, str, str, str]]  # URL, anchor, heading, path
    odds: Sequence[float]  # log-odds of the links, by the link classifier

    @classmethod
    def of(cls, page: Page, links: Sequence[Link], odds: Sequence[float]) -> Sighting:
        """Of a page and all its links that were shown."""
        return cls(
            page.url,
            page.title,
            page.relevance,
            page.is_target,
            "" if page.via is None else page.via.link.url,
            [(link.url, link.anchor, link.heading, link.path) for link in links],
            odds,
        )

    def as_links(self) -> list[Link]:
        """The links with what was kept of them."""
        return [
            Link(url, host_of(url), anchor, heading=heading, path=path)
            for url, anchor, heading, path in self.links
        ]
