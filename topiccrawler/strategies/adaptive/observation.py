"""A page observation: what `adaptive` keeps of a page and its links, small enough to be saved for every page.

After a kill the strategy must learn again from each page since the last checkpoint, but a page's links with their
contexts are 100 kB. Of all that text only one number a link is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from topiccrawler.model import Link, Page
from topiccrawler.urls.canonical import host_of


class PageObservation(NamedTuple):
    """A page, and its links, of which only URL, host and anchor are kept."""

    url: str
    title: str
    relevance: float
    is_target: bool
    came_by: str  # the URL of the link that led here; empty for a seed
    links: Sequence[Link]
    odds: Sequence[float]  # log-odds of the links, by the link classifier

    @classmethod
    def of(cls, page: Page, links: Sequence[Link], odds: Sequence[float]) -> PageObservation:
        """Of a page and all its links that were shown."""
        came_by = "" if page.via is None else page.via.link.url
        return cls(page.url, page.title, page.relevance, page.is_target, came_by, links, odds)

    def save(self) -> list[Any]:
        """As JSON values."""
        links = [(link.url, link.anchor) for link in self.links]
        return [*self[:-2], links, self.odds]

    @classmethod
    def load(cls, kept: Sequence[Any]) -> PageObservation:
        """What `save` kept. ValueError or TypeError when damaged."""
        url, title, relevance, is_target, came_by, links, odds = kept
        if len(links) != len(odds):
            raise ValueError(f"{len(links)} links and {len(odds)} odds")
        seen = [Link(url, host_of(url), anchor) for url, anchor in links]
        return cls(url, title, relevance, is_target, came_by, seen, odds)
