"""IPageRank: PageRank in which a link counts as much as its text is near the topic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from topiccrawler.errors import StrategyError
from topiccrawler.links.packed_arrays import Floats
from topiccrawler.links.ranking import Share, pagerank
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, LinkScorer, check_range
from topiccrawler.strategies.relevance_weighting import RelevanceWeighting
from topiccrawler.strategies.shared.graph_strategy import GraphStrategy
from topiccrawler.topics.topic import Breadth


@dataclass
class IPageRank(GraphStrategy):
    """Fetch the link first that important pages point to with words near the topic.

    Idea: PageRank of a reader who follows a link with a probability proportional to its similarity to the
        topic.
    Formula: IPR(A) = (1 - d) + d * sum over pages T with a link to A of
        IPR(T) * RW(T -> A) / sum over j of RW(T -> j)
        d -> damping; RW -> relevance_weighting (its parameters); a page whose links all have RW 0 gives
        nothing.
    Parameters: damping 0.85 (SkyReach); c 0.6, top_words 60, with_context as in relevance_weighting; share
        "sum", or "count" for the other reading, RW / number of links of T.
    Pruned: links whose IPR is .15 (no page gave any) for a broad topic, under .1514 for a normal, .1561 for a
        specific one, but for tunnels (crawl.gate); a threshold t stands for an IPR of t / (1 - t).
    Reads: links, their anchor and context, topic keywords, thesaurus; no relevance of pages.
    Cost: one call of the segmenter and O(links) a page; refresh as in pagerank.
    But: the formula is illegible in the scan; this one follows the paper's explanation. Between refreshes a
        new page's share is added to its links and goes no further.
    Reference: Li, Zhao & Yu, SkyReach, 2003, §3.6.4, eq. 3.
    """

    name: ClassVar[str] = "ipagerank"
    changeable = frozenset({"damping"})
    share_names: ClassVar[tuple[str, ...]] = ("IPageRank",)
    prunes: ClassVar[bool] = True
    own_thresholds: ClassVar[Mapping[Breadth, float]] = {"broad": 0.1305, "normal": 0.1315, "specific": 0.135}
    damping: float = 0.85
    c: float = 0.6
    top_words: int = 60
    share: str = "sum"
    with_context: bool = True

    def __post_init__(self) -> None:
        check_range(self.name, "damping", self.damping, 0.0, 1.0)
        if self.share not in {"sum", "count"}:
            fault = f"{self.name} knows sum and count"
            raise StrategyError(f"strategy parameter share={self.share}", fault, "use strategy_share=sum")
        self._weighting = RelevanceWeighting(self.c, self.top_words, self.with_context)

    def prepare(self, knowledge: Knowledge) -> None:
        self._weighting.prepare(knowledge)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        weighed = self._weighting.weights(links)
        source, nodes = self._graph.add(page.url, [link.url for link in links], weighed)
        ranks = self._room(1.0 - self.damping)
        weights = np.array(self._graph.out_weights(source))
        divisor = float(weights.sum()) if self.share == "sum" else float(weights.size)
        if divisor > 0:
            ranks[np.array(self._graph.out(source))] += self.damping * ranks[source] * weights / divisor
        return [Score(link.url, rank) for link, rank in zip(links, ranks[nodes].tolist(), strict=True)]

    @property
    def current_scorer(self) -> LinkScorer:
        return _OfRank(self)

    def ranks(self, links: Sequence[Link]) -> list[float]:
        """IPR of each link, as far as it is known; of one that no page read links to, the least there is."""
        nodes = self._graph.find([link.url for link in links]).tolist()
        least = 1.0 - self.damping
        return [float(self._values[node]) if 0 <= node < len(self._values) else least for node in nodes]

    def _rank(self) -> Floats:
        return pagerank(self._graph.matrix(weighted=True), self.damping, share=cast("Share", self.share))


@dataclass(frozen=True)
class _OfRank:
    """IPR as the gate wants it: as odds, in a logarithm."""

    ranking: IPageRank

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [math.log(max(rank, 1e-9)) for rank in self.ranking.ranks(links)]
