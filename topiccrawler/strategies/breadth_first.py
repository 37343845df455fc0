"""Breadth first: the baseline of every comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy


@dataclass
class BreadthFirst(Strategy):
    """Fetch what lies nearest to the seeds first.

    Idea: all pages one step from the seeds, then all two steps away, in the order they were met.
    Formula: score = -depth(link); `depth` is `Link.depth`, equal scores go first in, first out.
    Parameters: none.
    Reads: depth only, neither text nor relevance.
    Cost: O(links) a page, no refresh.
    But: nothing.
    Reference: the baseline of every paper here; as a crawl order, Najork & Wiener, WWW 2001.
    """

    name: ClassVar[str] = "breadth_first"
    share_names: ClassVar[tuple[str, ...]] = ("depth",)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, -float(link.depth)) for link in links]
