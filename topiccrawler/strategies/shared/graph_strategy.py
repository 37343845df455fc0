"""Base of the strategies that rank the whole graph of links: it grows a page at a time, ranks follow now and then.

Ranking the whole graph takes a second. So between two rankings a link is scored from the value of its page, and the graph
is ranked again when it has grown by a tenth. Then the queue is rescored a piece at a time; whether that is under way is
part of the state, so that a restart goes on with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from topiccrawler.links.graph import LinkGraph
from topiccrawler.links.packed_arrays import Floats, grown, packed, unpacked
from topiccrawler.model import Link, Score
from topiccrawler.strategies.base import Strategy

GROWTH = 1.1
_PIECE = 250  # links


@dataclass
class GraphStrategy(Strategy):
    """Base of graph strategies: keeps the graph and the score of each node."""

    refresh_every: ClassVar[int] = 25
    _graph: LinkGraph = field(default_factory=LinkGraph, init=False, repr=False)
    _values: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)
    _edges_ranked: int = field(default=0, init=False, repr=False)
    _refreshing: bool = field(default=False, init=False, repr=False)

    def _rank(self) -> Floats:
        """The score of each node by the whole graph."""
        raise NotImplementedError(f"{type(self).__name__}._rank")

    def _due(self) -> bool:
        """Has enough changed since the last ranking?"""
        return 0 < self._graph.edges >= GROWTH * self._edges_ranked

    def refresh(self, queued: Iterable[Link]) -> Iterator[Score]:
        if not self._refreshing:
            if not self._due():
                return
            self._edges_ranked = self._graph.edges
            self._values = self._rank()
            self._refreshing = True
        links = iter(queued)
        while piece := [link.url for link in islice(links, _PIECE)]:
            for url, node in zip(piece, self._graph.find(piece).tolist(), strict=True):
                if node >= 0:  # a page read since may have raised the value: it is taken at the last moment
                    yield Score(url, float(self._values[node]))
        self._refreshing = False

    def current(self, link: Link) -> Score | None:
        node = int(self._graph.find([link.url])[0])
        return None if node < 0 else Score(link.url, float(self._values[node]))

    def _room(self, fill: float) -> Floats:
        """The scores, with one for each node; new nodes get `fill`."""
        self._values = grown(self._values, len(self._graph), fill)
        return self._values

    def save(self) -> Mapping[str, Any]:
        return {
            "graph": self._graph.save(),
            "values": packed(self._values),
            "edges_ranked": self._edges_ranked,
            "refreshing": self._refreshing,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._graph = LinkGraph.load(state["graph"])
        self._values = unpacked(state["values"], np.float64)
        self._edges_ranked = int(state["edges_ranked"])
        self._refreshing = bool(state["refreshing"])
