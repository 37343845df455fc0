"""Fish search: paths through relevant pages are followed further than others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy, check_range


@dataclass
class FishSearch(Strategy):
    """Fetch the first links of relevant pages at once, then those of others; leave a path that stays poor.

    Idea: a relevant page gives its links full depth; links of an irrelevant page have one step less left.
    Formula: relevant page: its first a * width links score 1 + pages seen so far (newest first), with full
        depth; other page: its first width links score 0.5, with one depth less; all further links score 0,
        with the depth their page gives; a link with depth 0 is not queued; all links of a slow page get depth
        0. relevant -> `Page.is_target`; depth left -> `page.via.carry`; slow -> `Page.seconds` >
        slow_seconds.
    Parameters: width 10, depth 3, a 1.5 (De Bra & Post 1994; MySpider); slow_seconds 10 (ours, no value
        given).
    Reads: whether the parent is relevant, and how long its download took; no link text.
    Cost: O(links) a page, no refresh.
    But: seeds all go to the front, whatever the width.
    Reference: De Bra et al., RIAO 1994; MySpider thesis (2009) §3.2.1.
    """

    name: ClassVar[str] = "fish_search"
    changeable = frozenset({"width", "depth", "a", "slow_seconds"})
    share_names: ClassVar[tuple[str, ...]] = ("place in line",)
    width: int = 10
    depth: int = 3
    a: float = 1.5
    slow_seconds: float = 10.0
    _pages: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "width", self.width, 1)
        check_range(self.name, "depth", self.depth, 1)
        check_range(self.name, "a", self.a, 1.0)
        check_range(self.name, "slow_seconds", self.slow_seconds, 0.0)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if page.depth < 0:
            return [Score(link.url, 1.0, float(self.depth)) for link in links]
        self._pages += 1
        depth_left = self.depth if page.via is None else int(page.via.carry)
        if page.is_target:
            followed, value, depth_left = int(self.a * self.width), 1.0 + self._pages, self.depth
        else:
            followed, value, depth_left = self.width, 0.5, depth_left - 1
        if depth_left <= 0 or page.seconds > self.slow_seconds:
            return []
        return [
            Score(link.url, value if place < followed else 0.0, float(depth_left))
            for place, link in enumerate(links)
        ]

    def save(self) -> Mapping[str, Any]:
        return {"pages": self._pages}

    def load(self, state: Mapping[str, Any]) -> None:
        self._pages = int(state["pages"])
