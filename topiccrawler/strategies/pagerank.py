"""PageRank: a link is scored by the importance of the pages that have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from topiccrawler.links.packed_arrays import Floats
from topiccrawler.links.ranking import pagerank
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import check_range
from topiccrawler.strategies.shared.graph_strategy import GraphStrategy


@dataclass
class PageRank(GraphStrategy):
    """Fetch the link first that important pages point to.

    Idea: a page is important when important pages point to it, each sharing its importance among its links.
    Formula: PR(A) = (1 - d) + d * sum over pages T with a link to A of PR(T) / C(T)
        d -> damping; C(T) -> distinct links of T; every URL met counts, fetched or not.
    Parameters: damping 0.85 (Brin & Page 1998).
    Reads: links only, neither text nor relevance.
    Cost: O(links) a page; refresh: links.ranking, when the graph has grown by a tenth (under 1 s at 2 million
        edges).
    But: between refreshes a new page's share is added to its links and goes no further.
    Reference: Brin & Page 1998; Cho, Garcia-Molina & Page 1998 as a crawl order; MySpider thesis §3.2.2.
    """

    name: ClassVar[str] = "pagerank"
    changeable = frozenset({"damping"})
    share_names: ClassVar[tuple[str, ...]] = ("PageRank",)
    damping: float = 0.85

    def __post_init__(self) -> None:
        check_range(self.name, "damping", self.damping, 0.0, 1.0)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        source, nodes = self._graph.add(page.url, [link.url for link in links])
        ranks = self._room(1.0 - self.damping)
        targets = self._graph.out(source)
        if targets:
            ranks[np.array(targets)] += self.damping * ranks[source] / len(targets)
        return [Score(link.url, rank) for link, rank in zip(links, ranks[nodes].tolist(), strict=True)]

    def _rank(self) -> Floats:
        return pagerank(self._graph.matrix(), self.damping)
