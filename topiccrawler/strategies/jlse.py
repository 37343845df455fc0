"""Implements the strategy `jlse`, which scores a link by its anchor text or by its similarity to links that led to result pages.

`q_values` computes the value of the known links by Q-learning on the graph.
Formula: Q(i, <i,j>) = r_j + gamma * max over edges of j of Q(j, <j,m>); r_j = reward if j is a result page, else 0;
    Q(i) = max over its edges, 0 without edges; a result page is terminal: Q(result) = reward (ours: in the paper it is a leaf, and a leaf
    has no Q). i, j, m: vertices u_i, u_j, u_m; <i,j>: the action e_k; r_j: the immediate reward r(u_i, <u_i,u_j>); T: result pages.
Sweeps over all edges are repeated until nothing changes, at most `most_sweeps` times.
Reference: Zhang et al., JLSE, eq. 15-18, algorithm 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from topiccrawler.link_model.classifier import LinkWords, words_of_links
from topiccrawler.links.columns import Floats, Ints, packed, unpacked
from topiccrawler.links.extract import ContextMaker
from topiccrawler.links.graph import LinkGraph
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, check_range
from topiccrawler.strategies.baselines import AnchorText
from topiccrawler.strategies.link_index import LinkIndex, Words, hashed
from topiccrawler.text.segmenter import PLAIN, STOP_WORDS, Segmenter


def q_values(
    sources: Ints,
    targets: Ints,
    results: npt.NDArray[np.bool_],
    *,
    reward: float = 1.0,
    gamma: float = 0.9,
    most_sweeps: int = 100,
) -> tuple[Floats, Floats]:
    """Return the Q of each edge and of each vertex. `results` marks the vertices that are result pages."""
    leads_on = ~results[sources]  # a result page is terminal
    gained = np.where(results[targets], reward, 0.0)
    best = np.zeros(results.size)
    edges = np.zeros(sources.size)
    for _ in range(most_sweeps):
        edges = np.where(leads_on, gained + gamma * best[targets], 0.0)
        following = np.zeros(results.size)
        np.maximum.at(following, sources, edges)
        if np.array_equal(following, best):
            break
        best = following
    return edges, np.where(results, reward, best)


@dataclass
class Jlse(AnchorText):
    """Fetch links first whose anchors are about the topic, or that are like links which led to result pages.

    Idea: the anchor is direct evidence. A link that resembles one on a path to result pages has the same value
        as that one (delayed benefit), computed by Q-learning on the graph of these paths.
    Formula: priority(i) = sim(i) / (sum over the page's links v of sim(v)) * P(+|page);
        sim = max(sim_anchor, s_v * Q(v)); sim_anchor -> as in anchor_text;
        v -> the vertex most like the link by BM25 over anchor, URL and context (strategies.link_index),
        s_v its similarity; Q -> strategies.jlse. The graph holds all pages from which a result page can be
        reached by known links; result page -> `Page.is_target`, with `detail` also `Page.is_detail`.
        It is built again after every cf result pages.
    Parameters: cf 150 (JLSE §4.3), gamma 0.9 (its example), sweeps 100, most_vertices 20 000 newest pages
        (ours); negative 0.01, detail false, terminal false, sample_anchors true as in anchor_text; leaves true:
        links like those to result pages count too, with Q = 1; false, as in the paper: v is a vertex with
        children, because only these have a Q; by_similarity true; false: eq. 9 read as Q(v) alone.
    Reads: anchor, URL and context of links, without stop words; the context is the text within 5 steps in the
        DOM tree (JLSE §3.2.1: 4 to 6); relevance of pages, and whether they are detail pages; the link graph.
    Cost: under 50 ms a page of 200 links against 20 000 vertices (benchmarks/graph.py), building: under 2 s.
    But: a context has at most 60 characters a side; eq. 9 is read as s_v * Q(v); a queued link is
        rescored only when it is found again. Page classifier, result pages, and the pages whose links are
        followed: as in anchor_text. Figures: docs/papers.md.
    Reference: Zhang, Li, Yu & Zhang, "使用联合链接相似度评估爬取Web资源", Chinese Journal of Computers, eq. 3-18.
    """

    name: ClassVar[str] = "jlse"
    changeable = frozenset({"gamma", "sweeps", "negative"})
    share_names: ClassVar[tuple[str, ...]] = ("link by page",)
    context: ClassVar[ContextMaker | None] = "dom"
    cf: int = 150
    gamma: float = 0.9
    sweeps: int = 100
    most_vertices: int = 20_000
    leaves: bool = True
    by_similarity: bool = True
    _segmenter: Segmenter = field(default=PLAIN, init=False, repr=False)
    _graph: LinkGraph = field(default_factory=LinkGraph, init=False, repr=False)
    # page -> words of the link that led to it
    _words: dict[int, list[Words]] = field(default_factory=dict, init=False, repr=False)
    _results: list[int] = field(default_factory=list, init=False, repr=False)
    # numbers of pages, edges and results when the index was built last
    _built: tuple[int, int, int] = field(default=(0, 0, 0), init=False, repr=False)
    _index: LinkIndex | None = field(default=None, init=False, repr=False)
    _worths: Any = field(default=None, init=False, repr=False)  # Q of each vertex

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self.name, "cf", self.cf, 1)
        check_range(self.name, "gamma", self.gamma, 0.0, 1.0)
        check_range(self.name, "sweeps", self.sweeps, 1)
        check_range(self.name, "most_vertices", self.most_vertices, 1)

    def prepare(self, knowledge: Knowledge) -> None:
        super().prepare(knowledge)
        self._segmenter = knowledge.segmenter

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        source, _ = self._graph.add(page.url, [link.url for link in links])
        if page.via is not None and source not in self._words:
            self._words[source] = _three_fields(words_of_links([page.via.link], self._segmenter)[0])
            if self.is_result(page):
                self._results.append(source)
                if len(self._results) % self.cf == 0:
                    while len(self._words) > self.most_vertices:
                        del self._words[next(iter(self._words))]
                    self._built = (len(self._words), self._graph.edges, len(self._results))
                    self._build()
        return super().visit(page, links)

    def similarities(self, links: Sequence[Link]) -> list[float]:
        direct = super().similarities(links)
        if self._index is None:
            return direct
        words = words_of_links(links, self._segmenter)
        vertices, likeness = self._index.nearest(list(map(_three_fields, words)))
        shares = likeness if self.by_similarity else likeness > 0.0
        predicted = shares * self._worths[vertices]
        return np.maximum(direct, predicted).tolist()  # type: ignore[no-any-return]

    def _build(self) -> None:
        """Build the link index and the Q values from the first pages, edges and result pages, as many as `_built` counts."""
        pages, edges, results = self._built
        size = len(self._graph)
        sources, targets = (ends[:edges] for ends in self._graph.ends())
        known = np.zeros(size, bool)
        known[list(self._words)[:pages]] = True
        is_result = np.zeros(size, bool)
        is_result[self._results[:results]] = True
        between = known[sources] & known[targets]
        sources, targets = sources[between], targets[between]
        on_path = _leading_to(sources, targets, is_result & known)
        inside = on_path[sources] & on_path[targets]
        edges_inside = sources[inside], targets[inside]
        _, worths = q_values(*edges_inside, is_result, gamma=self.gamma, most_sweeps=self.sweeps)
        vertices = np.flatnonzero(on_path if self.leaves else on_path & ~is_result)
        self._worths = worths[vertices]
        self._index = LinkIndex([self._words[int(v)] for v in vertices]) if vertices.size else None

    def save(self) -> Mapping[str, Any]:
        lengths = [[words.size for words in fields] for fields in self._words.values()]
        every = [words for fields in self._words.values() for words in fields]
        return {
            "graph": self._graph.save(),
            "pages": list(self._words),
            "lengths": lengths,
            "words": packed(np.concatenate(every) if every else np.empty(0, np.uint32)),
            "results": self._results,
            "built": self._built,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._graph = LinkGraph.load(state["graph"])
        words, begin = unpacked(state["words"], np.uint32), 0
        self._words = {}
        for page, lengths in zip(state["pages"], state["lengths"], strict=True):
            ends = np.cumsum([begin, *lengths])
            self._words[int(page)] = [words[ends[place] : ends[place + 1]] for place in range(len(lengths))]
            begin = int(ends[-1])
        self._results = [int(page) for page in state["results"]]
        pages, edges, results = state["built"]
        self._built = (int(pages), int(edges), int(results))
        if results:
            self._build()


def _three_fields(words: LinkWords) -> list[Words]:
    """The documents d(1), d(2), d(3) of a link (definition 6)."""
    return [
        hashed(word for word in text if word not in STOP_WORDS)
        for text in (words.anchor, words.url, words.context)
    ]


def _leading_to(sources: Any, targets: Any, results: Any) -> Any:
    """Which nodes are results or lead to one."""
    reached = results.copy()
    while True:
        before = sources[reached[targets] & ~reached[sources]]
        if not before.size:
            return reached
        reached[before] = True
