"""Implements the strategies that score URLs by the whole link graph: `pagerank`, `ipagerank`, `hits`, `opic` and `opie`.

Ranking the whole graph takes a second, too long for every page. So between two rankings a link is scored from the value of its page.
The graph is ranked again when it has grown by a tenth; then the queue is rescored one slice at a time. Whether a rescoring is under way
is part of the saved state, so that a restart resumes it. `opic` and `opie` need no ranking: each visit pays the cash of a page to its
links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar, cast

import numpy as np

from topiccrawler.errors import StrategyError
from topiccrawler.links.columns import Floats, grown
from topiccrawler.links.graph import LinkGraph, Share
from topiccrawler.links.ranks import hits, pagerank
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import (
    Knowledge,
    LinkScorer,
    Strategy,
    check_range,
    link_scorer_of,
    topic_of,
)
from topiccrawler.strategies.features import TopicSimilarity
from topiccrawler.strategies.shark_search import RelevanceWeighting
from topiccrawler.text.weights import log_odds, logistic
from topiccrawler.topics.topic import Breadth

GROWTH = 0.1  # share of new edges after which the graph is ranked again
_PIECE = 250  # links rescored in one call
MOST_SAMPLED = 4096  # URLs sampled at most to estimate the quantile of a link's rank


@dataclass
class GraphStrategy(Strategy):
    """Base class of graph strategies: stores the link graph and the score of each node."""

    learned: ClassVar[tuple[str, ...]] = ("_graph", "_values", "_edges_ranked", "_refreshing")
    refresh_every: ClassVar[int] = 25
    _graph: LinkGraph = field(default_factory=LinkGraph, init=False, repr=False)
    _values: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)
    _edges_ranked: int = field(default=0, init=False, repr=False)
    _refreshing: bool = field(default=False, init=False, repr=False)

    def _rank(self) -> Floats:
        """Return the score of each node, computed from the whole graph."""
        raise NotImplementedError(f"{type(self).__name__}._rank")

    def _due(self) -> bool:
        """Whether the graph has changed enough since the last ranking to be ranked again."""
        return 0 < self._graph.edges >= (1.0 + self._growth) * self._edges_ranked

    @property
    def _growth(self) -> float:
        return GROWTH

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
                if node >= 0:  # look the value up late, because a page read meanwhile may have raised it
                    yield Score(url, float(self._values[node]))
        self._refreshing = False

    def current(self, link: Link) -> Score | None:
        node = int(self._graph.find([link.url])[0])
        return None if node < 0 else Score(link.url, float(self._values[node]))

    def _room(self, fill: float) -> Floats:
        """Return the scores, extended to all nodes of the graph; new nodes get `fill`."""
        self._values = grown(self._values, len(self._graph), fill)
        return self._values


@dataclass
class PageRank(GraphStrategy):
    """Fetch the link first that important pages point to.

    Idea: a page is important when important pages point to it, each sharing its importance among its links.
    Formula: PR(A) = (1 - d) + d * sum over pages T with a link to A of PR(T) / C(T)
        d -> damping; C(T) -> distinct links of T; every URL found counts, fetched or not.
    Parameters: damping 0.85 (Brin & Page 1998).
    Reads: links only, neither text nor relevance.
    Cost: O(links) a page; refresh: links.ranks, when the graph has grown by a tenth (under 1 s at 2 million
        edges).
    But: between refreshes a new page's share is added to its direct links only.
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


@dataclass
class IPageRank(GraphStrategy):
    """Fetch the link first that important pages point to with words near the topic.

    Idea: PageRank of a reader who follows a link with a probability proportional to its similarity to the
        topic.
    Formula: IPR(A) = (1 - d) + d * sum over pages T with a link to A of
        IPR(T) * RW(T -> A) / sum over j of RW(T -> j)
        d -> damping; RW -> relevance_weighting (its parameters); a page whose links all have RW 0 passes on
        nothing.
    Parameters: damping 0.85 (SkyReach); c 0.6, top_words 60, with_context as in relevance_weighting; share
        "sum", or "count" for the other reading, RW / k, k the number of links of T; growth 0.1 (ours): share of
        new edges after which the graph is ranked again, 0: at every refresh.
    Pruned: links whose IPR is in the lowest quarter of all URLs found so far for a broad topic, the lower half
        for a normal one, the lowest three quarters for a specific one, except in tunnels (crawling.admission).
        Equal ranks share the middle of their quantiles; the largest passes. TOPIC_LINK_THRESHOLD: such a share.
    Reads: links, their anchor and context, topic keywords, thesaurus; no relevance of pages.
    Cost: one call of the segmenter and O(links) a page; refresh as in pagerank.
    But: the formula is illegible in the scan; this one follows the paper's explanation. Between refreshes a
        new page's share is added to its direct links only.
    Reference: Li, Zhao & Yu, SkyReach, 2003, §3.6.4, eq. 3.
    """

    name: ClassVar[str] = "ipagerank"
    changeable = frozenset({"damping"})
    share_names: ClassVar[tuple[str, ...]] = ("IPageRank",)
    prunes: ClassVar[bool] = True
    own_thresholds: ClassVar[Mapping[Breadth, float]] = {"broad": 0.25, "normal": 0.5, "specific": 0.75}
    damping: float = 0.85
    c: float = 0.6
    top_words: int = 60
    share: str = "sum"
    with_context: bool = True
    growth: float = GROWTH

    def __post_init__(self) -> None:
        check_range(self.name, "damping", self.damping, 0.0, 1.0)
        check_range(self.name, "growth", self.growth, 0.0, 10.0)
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
        """Return the current IPR of each link; the minimum, 1 - damping, for a URL to which no page read so far links."""
        nodes = self._graph.find([link.url for link in links]).tolist()
        least = 1.0 - self.damping
        return [float(self._values[node]) if 0 <= node < len(self._values) else least for node in nodes]

    def places(self, links: Sequence[Link]) -> list[float]:
        """Return the quantile of each link's IPR: the share of known URLs with a smaller IPR plus half of those with an equal one.
        The largest IPR gets 1.
        """
        values = self._values[: len(self._graph)]
        if not values.size:
            return [1.0] * len(links)
        sample = np.sort(values[:: 1 + values.size // MOST_SAMPLED])  # enough to estimate a quantile
        ranks = np.array(self.ranks(links))
        ends = (np.searchsorted(sample, ranks, side) for side in ("left", "right"))
        shares: Floats = sum(ends, np.zeros(len(ranks))) / (2 * sample.size)
        shares[ranks >= values.max()] = 1.0
        return cast("list[float]", shares.tolist())

    @property
    def _growth(self) -> float:
        return self.growth

    def _rank(self) -> Floats:
        return pagerank(self._graph.matrix(weighted=True), self.damping, share=cast("Share", self.share))


@dataclass(frozen=True)
class _OfRank:
    """The link gate's scorer: the log-odds of a link's IPR quantile."""

    ranking: IPageRank

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [log_odds(place) for place in self.ranking.places(links)]


@dataclass
class Hits(GraphStrategy):
    """Fetch the link first that good hubs of the topic point to.

    Idea: a hub is good when it points to authorities, an authority when hubs point to it; the nearer a link's
        text is to the topic, the more it counts.
    Formula: authority(A) = sum over pages T with a link to A of w(T, A) * hub(T);
        hub(T) = sum over its links of w(T, A) * authority(A); both are scaled to a maximum of 1.
        w = least + (1 - least) * max(anchor, context / 2);
        anchor, context -> similarity to the topic (strategies.features), 0..1.
        score(A) = (1 - hubs) * authority(A) + hubs * hub(A); a URL in the queue has no links yet, so its
        hub(A) is that of the best hub that links to it.
    Parameters: least 0.05, the weight of a link without a topic word (ours: 0 would cut the graph to pieces);
        hubs 0, by authority alone; .5 is the thesis' judgement of a page by both, which gives no shares.
    Reads: links, anchor and context, topic keywords; no relevance of pages.
    Cost: one call of the segmenter and O(links) a page; refresh: links.ranks, as in pagerank.
    But: all pages seen are ranked, not a root set of search results. Between refreshes a new page's hub value
        is computed from the authorities of its links, and is added to them. The thesis also filters links by
        how long they have existed, which a crawl does not know.
    Reference: Kleinberg 1999; hubs and weights MySpider thesis (2009) §3.2.2 (no formula).
    """

    name: ClassVar[str] = "hits"
    learned: ClassVar[tuple[str, ...]] = (
        *GraphStrategy.learned,
        "_authorities",
        "_best_hubs",
        "_scale",
        "_largest",
    )
    share_names: ClassVar[tuple[str, ...]] = ("authority and hub",)
    least: float = 0.05
    hubs: float = 0.0
    _authorities: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)
    # that link to a node
    _best_hubs: Floats = field(default_factory=lambda: np.empty(0), init=False, repr=False)
    _scale: float = field(default=0.0, init=False, repr=False)  # of a hub, in the authority that it passes on
    _largest: float = field(default=0.0, init=False, repr=False)  # authority reached by the best hub
    _similarity: TopicSimilarity | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "least", self.least, 0.0, 1.0)
        check_range(self.name, "hubs", self.hubs, 0.0, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._similarity = TopicSimilarity(topic_of(knowledge, self.name))

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        assert self._similarity is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        weights = [
            self.least + (1 - self.least) * max(anchor, context / 2)
            for anchor, context in self._similarity.links(links)
        ]
        source, nodes = self._graph.add(page.url, [link.url for link in links], weights)
        size = len(self._graph)
        self._authorities, self._best_hubs = grown(self._authorities, size), grown(self._best_hubs, size)
        scores = self._room(0.0)
        targets = np.array(self._graph.out(source), np.int32)
        edges = np.array(self._graph.out_weights(source))
        reached = float(edges @ self._authorities[targets])
        self._authorities[targets] += edges * (self._scale * reached if self._scale else 1.0)
        hub = min(1.0, reached / self._largest) if self._largest else 1.0
        self._best_hubs[targets] = np.maximum(self._best_hubs[targets], hub)
        scores[targets] = self._both(self._authorities[targets], self._best_hubs[targets])
        return [Score(link.url, own) for link, own in zip(links, scores[nodes].tolist(), strict=True)]

    def _both(self, authorities: Floats, hubs: Floats) -> Floats:
        return (1.0 - self.hubs) * authorities + self.hubs * hubs

    def _rank(self) -> Floats:
        matrix = self._graph.matrix(weighted=True)
        self._authorities, hubs = hits(matrix)
        self._largest = float((matrix @ self._authorities).max(initial=0.0))
        back = float((matrix.T @ (matrix @ self._authorities)).max(initial=0.0))
        # an authority gains w * hub / norm of authorities from a link, where hub = w * authority / norm of hubs
        self._scale = 1.0 / back if self._largest > 0 and back > 0 else 0.0
        sources, targets = self._graph.ends()
        self._best_hubs = np.zeros(len(self._graph))
        np.maximum.at(self._best_hubs, targets, hubs[sources])
        return self._both(self._authorities, self._best_hubs)


@dataclass
class Opic(GraphStrategy):
    """Fetch the URL first that has received most cash.

    Idea: importance is like money: the seeds share a cash of 1, and a page that is read pays all its cash to its
        links; a URL that many and important pages point to becomes rich, without iterations over the graph.
    Formula: page T with cash c and C(T) distinct links pays c / C(T) to each; score(A) = cash(A). A page
        without links pays into a pool, which is shared evenly among the queued URLs at the next refresh.
        The sum stays 1.
    Parameters: none.
    Reads: links only, neither text nor relevance.
    Cost: O(links) a page; refresh every 25 pages: O(URLs), only when the pool is not empty.
    But: cash paid to a page that was fetched before stays there, because no page is fetched twice.
    Reference: Abiteboul, Preda & Cobena, WWW 2003.
    """

    name: ClassVar[str] = "opic"
    learned: ClassVar[tuple[str, ...]] = (*GraphStrategy.learned, "_pool")
    share_names: ClassVar[tuple[str, ...]] = ("cash",)
    _pool: float = field(default=0.0, init=False, repr=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        source, nodes = self._graph.add(page.url, [link.url for link in links], self._shares(page, links))
        cash = self._room(0.0)
        paid = 1.0 if page.depth < 0 else float(cash[source])
        cash[source] = 0.0
        targets, weights = self._graph.out(source), np.array(self._graph.out_weights(source))
        total = float(weights.sum())
        if total > 0:
            cash[np.array(targets)] += paid * (weights / total)
        else:
            self._pool += paid
        return [Score(link.url, value) for link, value in zip(links, cash[nodes].tolist(), strict=True)]

    def _shares(self, page: Page, links: Sequence[Link]) -> Sequence[float] | None:
        """Return the weights by which the page's cash is divided among its links; None = evenly."""
        return None

    def _due(self) -> bool:
        return self._pool > 0.0

    def _rank(self) -> Floats:
        """Pay out the pool and return the cash of each URL."""
        waiting = np.ones(len(self._graph), bool)
        waiting[self._graph.pages()] = False
        cash, waiters = self._room(0.0), int(waiting.sum())
        if waiters:
            cash[: waiting.size][waiting] += self._pool / waiters
            self._pool = 0.0
        return cash


@dataclass
class Opie(Opic):
    """Fetch the URL first that has received most cash from links about the topic.

    Idea: OPIC with a bias: a page's cash goes to its links in proportion to their similarity to the topic.
    Formula: link i of page T gets cash(T) * sim(i) / sum over T's links of sim(j)
        sim(i) = alpha * P(+|link) + (1 - alpha) * relevance(T); P -> the link model;
        relevance -> `Page.similarity`.
    Parameters: alpha 0.8 (ours: JLSE says that link context and page are weighted, but not how).
    Reads: anchor and context through the link model; the parent's relevance.
    Cost: one batch call to the classifier and O(links) a page; refresh as in opic.
    But: as in opic; sim is at least 0.001, so that every link receives some cash.
    Reference: Guan et al. 2008, as described by Zhang et al. (JLSE), §2 and §3.2.2.
    """

    name: ClassVar[str] = "opie"
    changeable = frozenset({"alpha"})
    needs_link_scorer: ClassVar[bool] = True
    alpha: float = 0.8
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "alpha", self.alpha, 0.0, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)

    def _shares(self, page: Page, links: Sequence[Link]) -> Sequence[float] | None:
        assert self._scorer is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        if page.depth < 0:
            return None
        of_page = (1 - self.alpha) * page.similarity
        return [max(0.001, self.alpha * logistic(odds) + of_page) for odds in self._scorer.log_odds(links)]
