"""Stores the links of one page by column; a Link with its context is built only when it is needed.

Most links of a page were on earlier pages of its site in the same words. Such a link is only counted: its URL and its anchor text are
looked up (crawling.ordering), and no Link is built. So for a strategy that needs only new links, few Links and contexts are built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import overload

from topiccrawler.model import Link

_as_link = Link._make
NO_CONTEXT = -1  # the start of a link that is not in the text, so that it has no context


@dataclass(slots=True, eq=False)
class PageLinks(Sequence[Link]):
    """The links of a page in document order. Each column has one entry a link; all are filled before the first Link is read."""

    source_url: str
    depth: int  # depth of the links
    text: str  # text of the page (pages.document)
    window: int  # characters of context on each side
    urls: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    starts: Sequence[int] = ()  # offsets of the links in `text`
    ends: Sequence[int] = ()
    titles: Sequence[str] = ()
    rels: Sequence[str] = ()
    headings: Sequence[str] = ()
    regions: Sequence[str] = ()
    paths: Sequence[str] = ()
    contexts: list[tuple[str, str]] | None = None  # before and after; None = windows of the text
    _made: dict[int, Link] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence of Links."""
        return isinstance(other, Sequence) and self._all() == list(other)

    @classmethod
    def of(cls, links: Sequence[Link]) -> PageLinks:
        """A PageLinks of Links that are built already."""
        found = cls("", 0, "", 0)
        found.urls = [link.url for link in links]
        found.hosts = [link.host for link in links]
        found.anchors = [link.anchor for link in links]
        found._made = dict(enumerate(links))
        return found

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.urls)

    @overload
    def __getitem__(self, place: int) -> Link: ...
    @overload
    def __getitem__(self, place: slice) -> list[Link]: ...
    def __getitem__(self, place: int | slice) -> Link | list[Link]:
        if isinstance(place, slice):
            return self._all()[place]
        place = range(len(self.urls))[place]
        return self._made.get(place) or self._link(place)

    def __iter__(self) -> Iterator[Link]:
        return iter(self._all())

    def at(self, places: Sequence[int]) -> tuple[Link, ...]:
        """The Links at these positions."""
        made = self._made
        return tuple([made.get(place) or self._link(place) for place in places])

    def _all(self) -> list[Link]:
        if len(self._made) < len(self.urls):
            for place in range(len(self.urls)):
                if place not in self._made:
                    self._link(place)
            self._made = dict(sorted(self._made.items()))
        return list(self._made.values())

    def _link(self, place: int) -> Link:
        start, rel = self.starts[place], self.rels[place]
        if self.contexts is not None:
            before, after = self.contexts[place]
        elif start == NO_CONTEXT:
            before = after = ""
        else:
            before, after = window_of(self.text, start, self.ends[place], self.window)
        # A queue in memory keeps Links: texts with few distinct values are interned.
        made = self._made[place] = _as_link((
            self.urls[place], intern(self.hosts[place]), self.anchors[place], before, after, self.titles[place],
            self.headings[place], intern(self.regions[place]), intern(self.paths[place]), intern(self.kinds[place]),
            place, self.depth, self.source_url, bool(rel) and "nofollow" in rel.lower(),
        ))  # fmt: skip
        return made


def window_of(text: str, start: int, end: int, window: int) -> tuple[str, str]:
    """The text of at most `window` characters before and after a link, without spaces at the outer edges."""
    if end <= start:
        end = start - 1  # a link without text: the text after it begins with the boundary before it
    return text[max(0, start - window) : start].lstrip(), text[end : end + window].rstrip()
