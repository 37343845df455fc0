"""Depth first: the link found last is fetched next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy


@dataclass
class DepthFirst(Strategy):
    """Fetch the link found last first.

    Idea: follow one path to its end before another is begun.
    Formula: score = running number of the link; a link found again gets a new number.
    Parameters: none.
    Reads: nothing but the order of links.
    Cost: O(links) a page, no refresh.
    But: seeds keep their order: the first seed goes first.
    Reference: a baseline; Cho, Garcia-Molina & Page 1998 compare it with breadth first.
    """

    name: ClassVar[str] = "depth_first"
    share_names: ClassVar[tuple[str, ...]] = ("order of finding",)
    _found: int = field(default=0, init=False, repr=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if page.depth < 0:
            return [Score(link.url, 0.0) for link in links]
        begun = self._found + 1
        self._found += len(links)
        return [Score(link.url, float(begun + place)) for place, link in enumerate(links)]

    def save(self) -> Mapping[str, Any]:
        return {"found": self._found}

    def load(self, state: Mapping[str, Any]) -> None:
        self._found = int(state["found"])
