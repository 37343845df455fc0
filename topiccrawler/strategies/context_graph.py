"""Implements the strategy `context_graph`, which scores a link by the estimated distance of its page from the topic.

`Layers` is a classifier over a page's words. It estimates the page's layer: its distance in links from a relevant page.
Formula: P(w|layer) = (count of w in the layer's documents + 1) / (words of the layer + V), V = words known to any layer;
    l(layer) = sum over words w of a page of count(w) * ln P(w|layer) / sqrt(words of the page);
    P(layer|page) = e^l(layer) / sum over layers e^l, equal priors, layers without documents left out.
Reference: Diligenti et al., VLDB 2000.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from topiccrawler.links.columns import Floats, Ints, packed, unpacked
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import SEED, Shares, check_range
from topiccrawler.strategies.features import (
    SIZE,
    Hashed,
    as_rows,
    hashed_counts,
    packed_texts,
    unpacked_texts,
)
from topiccrawler.strategies.graph_ranks import GraphStrategy

OTHER = 5  # layers 0-4 are distinguished


class Layers:
    """Word counts of each layer, and the naive Bayes classifier made from them."""

    def __init__(self, counts: Floats, documents: Sequence[int]) -> None:
        self.counts = counts  # (layers, words)
        self.documents = list(documents)  # number of documents of each layer
        known = int((counts.sum(axis=0) > 0).sum())
        totals = counts.sum(axis=1, keepdims=True)
        logs = np.log((counts + 1.0) / (totals + max(1, known)))
        self._used = np.array([layer for layer, count in enumerate(self.documents) if count], np.int32)
        self._logs = np.ascontiguousarray(logs[self._used].T)  # (words, used layers)

    @classmethod
    def learned(cls, documents: Sequence[Sequence[Hashed]]) -> Layers:
        """Make the classifier from the documents of each layer."""
        counts = np.stack([np.asarray(as_rows(texts).sum(axis=0)).reshape(-1) for texts in documents])
        return cls(counts, [len(texts) for texts in documents])

    def classify(self, pages: csr_array) -> tuple[Ints, Floats]:
        """Return the most likely layer of each row and its probability."""
        lengths = np.sqrt(np.maximum(1.0, np.asarray(pages.sum(axis=1))))
        likelihood = (pages @ self._logs) / lengths[:, None]
        likelihood -= likelihood.max(axis=1, keepdims=True)
        probabilities = np.exp(likelihood)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        best = probabilities.argmax(axis=1)
        return self._used[best], probabilities[np.arange(best.size), best]

    def save(self) -> Mapping[str, Any]:
        """Return the word counts as JSON values."""
        words = np.flatnonzero(self.counts.any(axis=0)).astype(np.int32)
        return {"documents": self.documents, "words": packed(words), "counts": packed(self.counts[:, words])}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Layers:
        """Restore the classifier that `save` returned."""
        words = unpacked(state["words"], np.int32)
        counts = np.zeros((OTHER, SIZE))
        counts[:, words] = unpacked(state["counts"], np.float64).reshape(OTHER, words.size)
        return cls(counts, [int(count) for count in state["documents"]])


def distances(sources: Ints, targets: Ints, relevant: Sequence[int], size: int) -> Ints:
    """Return the smallest number of links from each node to a relevant node, at most OTHER."""
    steps = np.full(size, OTHER, np.int32)
    steps[list(relevant)] = 0
    for layer in range(1, OTHER):
        before = sources[steps[targets] == layer - 1]
        steps[before[steps[before] > layer]] = layer
    return steps


_LESS_THAN_ONE = 0.999


@dataclass
class ContextGraph(GraphStrategy):
    """Fetch the links of pages first that look like pages few steps before a relevant one.

    Idea: pages at the same distance from the topic (its layer: home page, section, list, article) are alike; a
        classifier estimates from a page's words how many steps are left.
    Formula: score = -layer(p) + 0.999 * confidence(p) for the best page p with the link, layers 0-4;
        -5 + 0.999 * confidence for "other": the best layer's probability is under the limit
        layer, confidence -> the largest P(layer|words), five multinomial naive Bayes classifiers with equal
        priors (strategies.context_graph); a page classified relevant is layer 0, with its relevance.
    Parameters: limit 0.5, documents 300 a layer (Diligenti; JLSE §4.2); page_words 100, most_pages 20 000
        newest, first 20 relevant pages before layers are learned (ours).
    Reads: words of pages, which pages are relevant, links between pages; no link text.
    Cost: one classification a page; refresh: layers learned again and all pages classified again, when the
        graph has grown by a tenth.
    But: back-links come from the pages read, not from a search engine. Before `first` relevant pages every page
        is "other", with its relevance as confidence; a small `first` can mislead a crawl
        (docs/lab.md). The log-likelihood is divided by the square root of the number of words; else
        P would always be near 0 or 1.
    Reference: Diligenti et al., VLDB 2000; JLSE §4.2 (CFC).
    """

    name: ClassVar[str] = "context_graph"
    share_names: ClassVar[tuple[str, ...]] = ("layer", "confidence")
    limit: float = 0.5
    documents: int = 300
    page_words: int = 100
    most_pages: int = 20_000
    first: int = 20
    _texts: dict[int, Hashed] = field(default_factory=dict, init=False, repr=False)
    # similarity of each page; 1 is added for a target, so targets have values >= 1
    _relevances: dict[int, float] = field(default_factory=dict, init=False, repr=False)
    _layers: Layers | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "limit", self.limit, 0.0, 1.0)
        for key in ("first", "documents", "page_words", "most_pages"):
            check_range(self.name, key, getattr(self, key), 1)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        source, nodes = self._graph.add(page.url, [link.url for link in links])
        best = self._room(float(-OTHER))
        if page.depth < 0:
            value = 1.0
        else:
            self._texts[source] = _bounded(page.terms, self.page_words)
            self._relevances[source] = page.similarity + float(page.is_target)
            if len(self._texts) > self.most_pages:
                oldest = next(iter(self._texts))
                del self._texts[oldest], self._relevances[oldest]
            value = float(self._page_values([source])[0])
        best[nodes] = np.maximum(best[nodes], value)
        return [Score(link.url, value) for link in links]

    def shares(self, link: Link, score: float, kept: bytes) -> Shares:
        layer = float(-max(0, math.ceil(-score)))  # a confidence is less than 1
        return (
            list(zip(self.share_names, (layer, score - layer), strict=True))
            if link.source_url
            else [(SEED, score)]
        )

    def _page_values(self, pages: Sequence[int]) -> Floats:
        """Return -layer + 0.999 * confidence for pages whose words are stored."""
        relevances = np.array([self._relevances[page] for page in pages])
        if self._layers is None:
            layers, sure = np.full(len(pages), OTHER), np.where(relevances >= 1, relevances - 1, relevances)
        else:
            layers, sure = self._layers.classify(as_rows([self._texts[page] for page in pages]))
            layers = np.where(sure < self.limit, OTHER, layers)
        layers = np.where(relevances >= 1, 0, layers)
        sure = np.where(relevances >= 1, relevances - 1, sure)
        values: Floats = _LESS_THAN_ONE * sure - layers
        return values

    def _rank(self) -> Floats:
        """Learn the layers again; return for each node the value of the best page that links to it."""
        sources, targets = self._graph.ends()
        pages = list(self._texts)
        self._layers = self._learn(sources, targets)
        values = np.full(len(self._graph), float(-OTHER))
        values[pages] = self._page_values(pages)
        best = np.full(len(self._graph), float(-OTHER))
        np.maximum.at(best, targets, values[sources])
        return best

    def _learn(self, sources: Ints, targets: Ints) -> Layers | None:
        relevant = [page for page in self._texts if self._relevances[page] >= 1]
        if len(relevant) < self.first:
            return None
        steps = distances(sources, targets, relevant, len(self._graph))
        documents: list[list[Hashed]] = [[] for _ in range(OTHER)]
        for page in reversed(self._texts):
            layer = int(steps[page])
            if layer < OTHER and len(documents[layer]) < self.documents:
                documents[layer].append(self._texts[page])
        return Layers.learned(documents)

    def save(self) -> Mapping[str, Any]:
        return {
            **super().save(),
            "pages": list(self._texts),
            **packed_texts(list(self._texts.values())),
            "relevances": list(self._relevances.items()),
            "layers": None if self._layers is None else self._layers.save(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._texts = dict(zip(map(int, state["pages"]), unpacked_texts(state), strict=True))
        relevances = ((int(page), float(value)) for page, value in state["relevances"])
        self._relevances = {page: value for page, value in relevances if page in self._texts}
        self._layers = None if state["layers"] is None else Layers.load(state["layers"])


def _bounded(terms: Mapping[str, float], most: int) -> Hashed:
    """Return the `most` most frequent words of a text; of equally frequent words the earlier ones."""
    if len(terms) <= most:
        return hashed_counts(terms)
    return hashed_counts(dict(sorted(terms.items(), key=lambda term: -term[1])[:most]))
