"""OPIC: cash flows along links, and the URL that has most is fetched next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from topiccrawler.links.packed_arrays import Floats, packed, unpacked
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.shared.graph_strategy import GraphStrategy


@dataclass
class Opic(GraphStrategy):
    """Fetch the URL first that has received most cash.

    Idea: importance as money: the seeds have 1 together, a page read gives all it has to its links; a URL
        that many and important pages point to becomes rich, without iterations over the graph.
    Formula: a page T with cash c and C(T) distinct links gives c / C(T) to each; score(A) = cash(A). A page
        without links pays into a pool, which is shared evenly among the queued URLs at the next refresh.
        The sum stays 1.
    Parameters: none.
    Reads: links only, neither text nor relevance.
    Cost: O(links) a page; refresh every 25 pages: O(URLs), only when there is something in the pool.
    But: cash that comes back to a page already fetched stays there: no page is fetched twice.
    Reference: Abiteboul, Preda & Cobena, WWW 2003.
    """

    name: ClassVar[str] = "opic"
    share_names: ClassVar[tuple[str, ...]] = ("cash",)
    _pool: float = field(default=0.0, init=False, repr=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        source, nodes = self._graph.add(page.url, [link.url for link in links], self._shares(page, links))
        cash = self._room(0.0)
        given = 1.0 if page.depth < 0 else float(cash[source])
        cash[source] = 0.0
        targets, weights = self._graph.out(source), np.array(self._graph.out_weights(source))
        total = float(weights.sum())
        if total > 0:
            cash[np.array(targets)] += given * (weights / total)
        else:
            self._pool += given
        return [Score(link.url, value) for link, value in zip(links, cash[nodes].tolist(), strict=True)]

    def _shares(self, page: Page, links: Sequence[Link]) -> Sequence[float] | None:
        """How the page's cash is shared among its links; None = evenly."""
        return None

    def _due(self) -> bool:
        return self._pool > 0.0

    def _rank(self) -> Floats:
        """The cash of each URL, that of the pool given away."""
        waiting = np.ones(len(self._graph), bool)
        waiting[self._graph.pages()] = False
        cash, waiters = self._room(0.0), int(waiting.sum())
        if waiters:
            cash[: waiting.size][waiting] += self._pool / waiters
            self._pool = 0.0
        return cash

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "pool": packed(np.array([self._pool]))}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._pool = float(unpacked(state["pool"], np.float64)[0])
