"""Implements the strategy `seed_selector`: a crawl in stages, each of which begins at the best page found so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from topiccrawler.links.columns import Floats, grown
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import check_range
from topiccrawler.strategies.graph_ranks import GraphStrategy

RANKED_EVERY = 25  # pages


@dataclass
class SeedSelector(GraphStrategy):
    """Choose the best fetched page as the next seed, fetch its links, choose again.

    Idea: fetched pages are candidates. The candidate that is most relevant and best linked with the pages chosen
        before is the seed of the next stage, and its links are fetched.
    Formula: score = max of weight(p) over the pages p with the link
        weight(p) = relevance(p) + link_weight * (in(p) / max in + out(p) / max out) / 2
        in(p), out(p) -> links from and to chosen pages, the maxima over all candidates;
        relevance -> `Page.similarity`; a page is chosen once one of its links was fetched.
    Parameters: link_weight 0.1 (ours: the thesis names the three terms, but no weights); stages false; true, as
        in the thesis: all waiting links of the chosen page are fetched first.
    Reads: relevance of pages and the links between them; no link text.
    Cost: O(links) a page; ranking every 25 pages over the whole graph, when that has grown by a tenth.
    But: without stages the links of a better page go first as soon as it is found. With concurrent fetches the
        next stage begins while the last links of the previous one are fetched.
    Reference: MySpider thesis (2009) §2.2.1-2.2.2.
    """

    name: ClassVar[str] = "seed_selector"
    changeable = frozenset({"link_weight"})
    learned: ClassVar[tuple[str, ...]] = (
        *GraphStrategy.learned,
        *("_relevances", "_chosen", "_votes", "_most_in", "_most_out", "_read", "_links_of", "_raised"),
    )
    share_names: ClassVar[tuple[str, ...]] = ("weight of the linking page",)
    refresh_every: ClassVar[int] = 1
    link_weight: float = 0.1
    stages: bool = False
    _relevances: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)
    _chosen: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)  # 1 = chosen
    # number of links from chosen pages
    _votes: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)
    _most_in: float = field(default=1.0, init=False, repr=False)
    _most_out: float = field(default=1.0, init=False, repr=False)
    _read: int = field(default=0, init=False, repr=False)  # number of pages read
    # with stages: links of pages that are not chosen yet, and links of chosen pages whose scores are not raised yet
    _links_of: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False)
    _raised: deque[str] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "link_weight", self.link_weight, 0.0, 100.0)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        urls = [link.url for link in links]
        source, nodes = self._graph.add(page.url, urls)
        chosen = "" if page.via is None else page.via.link.source_url
        # new if that page was never visited
        chosen_node = int(self._graph.nodes([chosen])[0]) if chosen else -1
        self._read += page.depth >= 0
        if self.stages and page.depth >= 0:
            self._links_of[page.url] = urls
        columns, size = (self._relevances, self._chosen, self._votes), len(self._graph)
        self._relevances, self._chosen, self._votes = (grown(column, size) for column in columns)
        self._relevances[source] = page.similarity
        if chosen:
            self._choose(chosen_node)
            raised = self._links_of.pop(chosen, [])
            self._raised += raised
            self._room(0.0)[self._graph.nodes(raised)] = self._stage
        out = float(self._chosen[np.array(self._graph.out(source), np.int32)].sum())
        self._most_in = max(self._most_in, float(self._votes[source]))
        self._most_out = max(self._most_out, out)
        weight = self._weight(page.similarity, float(self._votes[source]), out)
        best = self._room(0.0)
        best[nodes] = np.maximum(best[nodes], weight)
        return [Score(link.url, weight) for link in links]

    def refresh(self, queued: Iterable[Link]) -> Iterator[Score]:
        if self.stages:  # the links of a chosen page are fetched before all others, in their order
            while self._raised:
                url = self._raised.popleft()
                yield Score(url, self._stage)
            return
        if self._refreshing or self._read % RANKED_EVERY == 0:
            yield from super().refresh(queued)

    @property
    def _stage(self) -> float:
        """The score of the links of a chosen page, larger than every weight."""
        return 2.0 + self.link_weight

    def _choose(self, node: int) -> None:
        if self._chosen[node]:
            return
        self._chosen[node] = 1.0
        self._votes[np.array(self._graph.out(node), np.int32)] += 1.0

    def _weight(self, relevance: Any, links_in: Any, links_out: Any) -> Any:
        return relevance + self.link_weight * (links_in / self._most_in + links_out / self._most_out) / 2

    def _rank(self) -> Floats:
        """Return for each node the weight of the best page that links to it."""
        size = len(self._graph)
        sources, targets = self._graph.ends()
        pages = np.array(self._graph.pages(), np.int32)
        links_out = np.bincount(sources, self._chosen[targets], minlength=size)
        self._most_in = max(1.0, float(self._votes[pages].max(initial=0.0)))
        self._most_out = max(1.0, float(links_out[pages].max(initial=0.0)))
        weights = self._weight(self._relevances[:size], self._votes[:size], links_out)
        best = np.zeros(size)
        np.maximum.at(best, targets, weights[sources])
        return best
