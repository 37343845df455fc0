"""Implements the strategy `backlink`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from topiccrawler.links.columns import Floats, grown
from topiccrawler.links.graph import LinkGraph
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy


@dataclass
class Backlink(Strategy):
    """Fetch the link first that most of the pages seen so far point to.

    Idea: a page is as important as the number of pages that refer to it.
    Formula: score = number of pages read so far that link to the URL.
    Parameters: none.
    Reads: links only, neither text nor relevance.
    Cost: O(links) a page, no refresh: a link found again is scored with its new count.
    But: a page counts once, however often it repeats a link.
    Reference: Cho, Garcia-Molina & Page 1998; MySpider thesis (2009) §1.3.
    """

    name: ClassVar[str] = "backlink"
    learned: ClassVar[tuple[str, ...]] = ("_graph", "_counts")
    share_names: ClassVar[tuple[str, ...]] = ("linking pages",)
    _graph: LinkGraph = field(default_factory=LinkGraph, init=False, repr=False)
    _counts: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        nodes = self._graph.nodes([link.url for link in links])
        self._counts = grown(self._counts, len(self._graph))
        self._counts[np.unique(nodes)] += 1.0
        return [Score(link.url, n) for link, n in zip(links, self._counts[nodes].tolist(), strict=True)]
