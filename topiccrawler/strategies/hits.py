"""HITS: a link is scored by the hubs that point to it, weighted by link text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from topiccrawler.links.packed_arrays import Floats, packed, unpacked
from topiccrawler.links.ranking import hits
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, check_range, topic_of
from topiccrawler.strategies.shared.graph_strategy import GraphStrategy
from topiccrawler.strategies.shared.topic_similarity import TopicSimilarity


@dataclass
class Hits(GraphStrategy):
    """Fetch the link first that good hubs of the topic point to.

    Idea: a hub is good when it points to authorities, an authority when hubs point to it; a link counts as
        much as its text is near the topic.
    Formula: authority(A) = sum over pages T with a link to A of w(T, A) * hub(T);
        hub(T) = sum over its links of w(T, A) * authority(A); the largest of each is 1.
        w = least + (1 - least) * max(anchor, context / 2); score -> authority;
        anchor, context -> similarity to the topic (strategies.shared.topic_similarity), 0..1.
    Parameters: least 0.05, the weight of a link without a topic word (ours: 0 would cut the graph to pieces).
    Reads: links, anchor and context, topic keywords; no relevance of pages.
    Cost: one call of the segmenter and O(links) a page; refresh: links.ranking, as in pagerank.
    But: all pages seen take part, not a root set of search results. Between refreshes a new page's hub value
        is computed from the authorities of its links, and is added to them.
    Reference: Kleinberg 1999; the weights MySpider thesis (2009) §3.2.2 (no formula given).
    """

    name: ClassVar[str] = "hits"
    share_names: ClassVar[tuple[str, ...]] = ("authority",)
    least: float = 0.05
    _scale: float = field(default=0.0, init=False, repr=False)  # hub value of one unit of authority reached
    _similarity: TopicSimilarity | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "least", self.least, 0.0, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._similarity = TopicSimilarity(topic_of(knowledge, self.name))

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        assert self._similarity is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        weights = [
            self.least + (1 - self.least) * max(anchor, context / 2)
            for anchor, context in self._similarity.links(links)
        ]
        source, nodes = self._graph.add(page.url, [link.url for link in links], weights)
        authorities = self._room(0.0)
        targets = np.array(self._graph.out(source), np.int32)
        edges = np.array(self._graph.out_weights(source))
        hub = self._scale * float(edges @ authorities[targets]) if self._scale else 1.0
        authorities[targets] += edges * hub
        return [Score(link.url, own) for link, own in zip(links, authorities[nodes].tolist(), strict=True)]

    def _rank(self) -> Floats:
        matrix = self._graph.matrix(weighted=True)
        authorities, _ = hits(matrix)
        largest = float((matrix @ authorities).max(initial=0.0))
        back = float((matrix.T @ (matrix @ authorities)).max(initial=0.0))
        # an authority gains w * hub / norm of authorities, where hub = w * authority / norm of hubs
        self._scale = 1.0 / back if largest > 0 and back > 0 else 0.0
        return authorities

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "scale": packed(np.array([self._scale]))}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._scale = float(unpacked(state["scale"], np.float64)[0])
