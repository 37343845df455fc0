"""A page observation: what `adaptive` keeps of a page and its links, small enough to be saved for every page.

After a kill the strategy must learn again from each page since the last checkpoint, or in another process from each page of this
one, but a page's links with their contexts are 100 kB. Of all that text only two numbers a link are needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from topiccrawler.model import Link, Page
from topiccrawler.urls.canonical import host_of


class PageObservation(NamedTuple):
    """A page, and its links, of which only URL, host and anchor are kept."""

    url: str
    title: str
    similarity: float
    is_target: bool
    came_by: str  # the URL of the link that led here; empty for a seed
    links: Sequence[Link]
    odds: Sequence[float]  # log-odds of the links, by the link classifier
    queued: Mapping[str, float] | None = (
        None  # URL -> score that its links were queued with; None = not scored yet
    )

    @classmethod
    def of(cls, page: Page, links: Sequence[Link], odds: Sequence[float]) -> PageObservation:
        """Of a page and all its links that were shown."""
        came_by = "" if page.via is None else page.via.link.url
        return cls(page.url, page.title, page.similarity, page.is_target, came_by, links, odds)

    def save(self) -> list[Any]:
        """As JSON values."""
        links = [(link.url, link.anchor) for link in self.links]
        queued = self.queued or {}
        return [*self[:-3], links, self.odds, [queued.get(link.url) for link in self.links]]

    @classmethod
    def load(cls, kept: Sequence[Any]) -> PageObservation:
        """What `save` kept. ValueError or TypeError when damaged."""
        url, title, similarity, is_target, came_by, links, odds, scores = kept
        if not len(links) == len(odds) == len(scores):
            raise ValueError(f"{len(links)} links, {len(odds)} odds and {len(scores)} scores")
        seen = [Link(url, host_of(url), anchor) for url, anchor in links]
        queued = {
            link.url: float(score) for link, score in zip(seen, scores, strict=True) if score is not None
        }
        return cls(url, title, similarity, is_target, came_by, seen, odds, queued)
