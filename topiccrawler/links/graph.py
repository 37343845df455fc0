"""Stores the links seen so far as a graph of integers: millions of edges in tens of megabytes.

Link strategies need the whole graph, and objects cost hundreds of bytes an edge. So a URL is a number (found by a
64-bit hash; URLs are not stored), an edge is two 32-bit numbers and a weight, and iterations (links.ranks) run on a
sparse matrix.

Nodes are numbered from 0 in the order in which they were added. The out-edges of a page are added at once, when it is
read; a page read again adds nothing. A link of a page to itself and a repeated link do not count.
Cost: 12 bytes a node and 12 an edge, plus the spare room of arrays (benchmarks/graph.py).
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from topiccrawler.links.columns import Ints, packed, unpacked

_MERGE_AT = 4096


class LinkGraph:
    """A directed graph with weighted edges, whose nodes are found by URL; it only grows."""

    def __init__(self) -> None:
        self._sorted_keys = np.empty(0, np.uint64)
        self._sorted_nodes = np.empty(0, np.int32)
        self._recent: dict[int, int] = {}  # key -> node, for nodes that are not in the sorted arrays yet
        self._sources, self._targets = array("i"), array("i")
        self._weights = array("f")
        self._spans: dict[int, tuple[int, int]] = {}  # node of a page -> start and end of its out-edges
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def edges(self) -> int:
        """The number of edges."""
        return len(self._sources)

    def nodes(self, urls: Sequence[str]) -> Ints:
        """The node of each URL; a node is added for each new URL."""
        found, keys = self._look_up(urls)
        for place in np.flatnonzero(found < 0).tolist():
            node = self._recent.setdefault(int(keys[place]), self._size)
            self._size += node == self._size
            found[place] = node
        if len(self._recent) > max(_MERGE_AT, self._sorted_keys.size // 8):
            self._merge()
        return found

    def find(self, urls: Sequence[str]) -> Ints:
        """The node of each URL, -1 for an unknown one."""
        return self._look_up(urls)[0]

    def add(
        self, page: str, targets: Sequence[str], weights: Sequence[float] | None = None
    ) -> tuple[int, Ints]:
        """Add the edges of a page, unless it was added before. Returns the node of the page and that of each link. Of a repeated link the
        largest weight counts; without `weights` each is 1.
        """
        found = self.nodes([page, *targets])
        source, nodes = int(found[0]), found[1:]
        if source in self._spans:
            return source, nodes
        heaviest: dict[int, float] = {}
        for place, node in enumerate(nodes.tolist()):
            weight = 1.0 if weights is None else weights[place]
            if node != source and weight > heaviest.get(node, -1.0):
                heaviest[node] = weight
        start = len(self._sources)
        self._sources.extend([source] * len(heaviest))
        self._targets.extend(heaviest)
        self._weights.extend(heaviest.values())
        self._spans[source] = (start, len(self._sources))
        return source, nodes

    def out(self, node: int) -> list[int]:
        """The nodes a page links to, each once, in the order of the links; empty for a page that was not read."""
        start, end = self._spans.get(node, (0, 0))
        return self._targets[start:end].tolist()

    def out_weights(self, node: int) -> list[float]:
        """The weights of the out-edges of a page, in the order of `out`."""
        start, end = self._spans.get(node, (0, 0))
        return self._weights[start:end].tolist()

    def pages(self) -> list[int]:
        """The nodes of the pages read, in the order they were read."""
        return list(self._spans)

    def ends(self) -> tuple[Ints, Ints]:
        """The sources and the targets of all edges, in the order in which they were added."""
        return np.array(self._sources, np.int32), np.array(self._targets, np.int32)

    def matrix(self, *, weighted: bool = False) -> csr_array:
        """The adjacency matrix: rows are sources, columns targets; an edge has 1, or its weight if `weighted`."""
        sources, targets = self.ends()
        values = np.array(self._weights, np.float64) if weighted else np.ones(sources.size)
        return csr_array((values, (sources, targets)), shape=(self._size, self._size))

    def save(self) -> Mapping[str, Any]:
        """The graph as JSON values."""
        self._merge()
        return {
            "keys": packed(self._sorted_keys),
            "nodes": packed(self._sorted_nodes),
            "sources": packed(np.array(self._sources, np.int32)),
            "targets": packed(np.array(self._targets, np.int32)),
            "weights": packed(np.array(self._weights, np.float32)),
            "spans": [[node, *span] for node, span in self._spans.items()],
        }

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> LinkGraph:
        """Restore a graph from the values of `save`."""
        graph = cls()
        graph._sorted_keys = unpacked(state["keys"], np.uint64)
        graph._sorted_nodes = unpacked(state["nodes"], np.int32)
        graph._sources = array("i", unpacked(state["sources"], np.int32).tobytes())
        graph._targets = array("i", unpacked(state["targets"], np.int32).tobytes())
        graph._weights = array("f", unpacked(state["weights"], np.float32).tobytes())
        graph._spans = {int(node): (int(start), int(end)) for node, start, end in state["spans"]}
        graph._size = int(graph._sorted_nodes.size)
        return graph

    def _look_up(self, urls: Sequence[str]) -> tuple[Ints, npt.NDArray[np.uint64]]:
        keys = np.fromiter(map(_key, urls), np.uint64, len(urls))
        found = np.full(keys.size, -1, np.int32)
        if self._sorted_keys.size:
            positions = np.searchsorted(self._sorted_keys, keys)
            positions[positions == self._sorted_keys.size] = 0
            known = self._sorted_keys[positions] == keys
            found[known] = self._sorted_nodes[positions[known]]
        if self._recent:
            recent = self._recent.get
            for place in np.flatnonzero(found < 0).tolist():
                found[place] = recent(int(keys[place]), -1)
        return found, keys

    def _merge(self) -> None:
        if not self._recent:
            return
        keys = np.fromiter(self._recent, np.uint64, len(self._recent))
        nodes = np.fromiter(self._recent.values(), np.int32, len(self._recent))
        all_keys = np.concatenate([self._sorted_keys, keys])
        order = np.argsort(all_keys, kind="stable")
        self._sorted_keys = all_keys[order]
        self._sorted_nodes = np.concatenate([self._sorted_nodes, nodes])[order]
        self._recent = {}


def _key(url: str) -> int:
    """A 64-bit hash of a URL: among ten million URLs two share a key once in 400 000 crawls."""
    data = url.encode()
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")


Share = Literal["sum", "count"]
