"""Stores the links of one page by column; a Link with its context is built only when it is needed.

Most links of a page were on earlier pages of its site in the same words. Such a link is only counted: its URL and its anchor text are
looked up (crawling.ordering), and no Link is built. So for a strategy that needs only new links, few Links and contexts are built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import itemgetter
from sys import intern
from typing import Any, overload

from topiccrawler.model import Link

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
        return self.at([range(len(self.urls))[place]])[0]

    def __iter__(self) -> Iterator[Link]:
        return iter(self._all())

    def at(self, places: Sequence[int]) -> tuple[Link, ...]:
        """The Links at these positions."""
        made = self._made
        self._make([place for place in places if place not in made])
        return tuple([made[place] for place in places])

    def _all(self) -> list[Link]:
        made = self._made
        if len(made) < len(self.urls):
            self._make([place for place in range(len(self.urls)) if place not in made])
            self._made = made = dict(sorted(made.items()))
        return list(made.values())

    def _make(self, places: Sequence[int]) -> None:
        """Build the Links at these positions, column by column, which takes half the time of one after the other."""
        if not places:
            return
        of_places: Callable[[Sequence[Any]], Sequence[Any]] = list
        if len(places) < len(self.urls):
            of_places = itemgetter(
                *places, places[0]
            )  # of one position it returns no tuple; `zip` ends sooner
        before: Sequence[str]
        after: Sequence[str]
        if self.contexts is not None:
            before, after = zip(*of_places(self.contexts), strict=True)
        else:
            before, after = windows_of(self.text, of_places(self.starts), of_places(self.ends), self.window)
        # A queue in memory keeps Links: texts with few distinct values are interned.
        rows = zip(
            of_places(self.urls), map(intern, of_places(self.hosts)), of_places(self.anchors), before, after,
            of_places(self.titles), of_places(self.headings), map(intern, of_places(self.regions)),
            map(intern, of_places(self.paths)), map(intern, of_places(self.kinds)), places, repeat(self.depth),
            repeat(self.source_url), [bool(rel) and "nofollow" in rel.lower() for rel in of_places(self.rels)],
        )  # fmt: skip
        self._made.update(zip(places, map(tuple.__new__, repeat(Link), rows), strict=False))


def windows_of(
    text: str, starts: Sequence[int], ends: Sequence[int], window: int
) -> tuple[Sequence[str], Sequence[str]]:
    """The texts of at most `window` characters before and after each link, without spaces at the outer edges; empty for links that are not
    in the text (NO_CONTEXT)."""
    before = [
        text[start - window if start > window else 0 : start].lstrip() if start > 0 else ""
        for start in starts
    ]
    # The text after a link without text begins with the boundary before it.
    nexts = [end if end > start else start - 1 for start, end in zip(starts, ends, strict=True)]
    after = [text[at : at + window].rstrip() if at >= 0 else "" for at in nexts]
    return before, after
