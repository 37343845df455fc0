"""The links seen so far, as a graph of integers: millions of edges in tens of megabytes.

Link strategies need the whole graph, and objects cost hundreds of bytes an edge. So a URL is a number (found by a
64-bit hash, URLs are not kept), an edge is two 32-bit numbers and a weight, and iterations (links.ranks) run on a
sparse matrix.

Nodes count from 0 in the order they were met. A page's out-edges are added at once, when it is read; a page read again
adds nothing. A link of a page to itself and a repeated link do not count.
Cost: 12 bytes a node and 12 an edge, plus what arrays reserve (benchmarks/graph.py).
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
    """Nodes by URL, weighted edges; grows only."""

    def __init__(self) -> None:
        self._sorted_keys = np.empty(0, np.uint64)
        self._sorted_nodes = np.empty(0, np.int32)
        self._recent: dict[int, int] = {}  # key -> node, those not sorted in yet
        self._sources, self._targets = array("i"), array("i")
        self._weights = array("f")
        self._spans: dict[int, tuple[int, int]] = {}  # node of a page that was read -> its edges
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def edges(self) -> int:
        """How many edges."""
        return len(self._sources)

    def nodes(self, urls: Sequence[str]) -> Ints:
        """The node of each URL; new ones are added."""
        found, keys = self._look_up(urls)
        for place in np.flatnonzero(found < 0).tolist():
            node = self._recent.setdefault(int(keys[place]), self._size)
            self._size += node == self._size
            found[place] = node
        if len(self._recent) > max(_MERGE_AT, self._sorted_keys.size // 8):
            self._merge()
        return found

    def find(self, urls: Sequence[str]) -> Ints:
        """The node of each URL, -1 for one never met."""
        return self._look_up(urls)[0]

    def add(
        self, page: str, targets: Sequence[str], weights: Sequence[float] | None = None
    ) -> tuple[int, Ints]:
        """The node of a page and of each of its links; the edges are added. Of a repeated link the largest weight counts."""
        found = self.nodes([page, *targets])
        source, nodes = int(found[0]), found[1:]
        if source in self._spans:
            return source, nodes
        heaviest: dict[int, float] = {}
        for place, node in enumerate(nodes.tolist()):
            weight = 1.0 if weights is None else weights[place]
            if node != source and weight > heaviest.get(node, -1.0):
                heaviest[node] = weight
        begun = len(self._sources)
        self._sources.extend([source] * len(heaviest))
        self._targets.extend(heaviest)
        self._weights.extend(heaviest.values())
        self._spans[source] = (begun, len(self._sources))
        return source, nodes

    def out(self, node: int) -> list[int]:
        """The nodes a page links to, each once, in the order of the links; none for a page not read."""
        begun, end = self._spans.get(node, (0, 0))
        return self._targets[begun:end].tolist()

    def out_weights(self, node: int) -> list[float]:
        """The weights of the same edges."""
        begun, end = self._spans.get(node, (0, 0))
        return self._weights[begun:end].tolist()

    def pages(self) -> list[int]:
        """The nodes of the pages read, in the order they were read."""
        return list(self._spans)

    def ends(self) -> tuple[Ints, Ints]:
        """Sources and targets of all edges, as they were added."""
        return np.array(self._sources, np.int32), np.array(self._targets, np.int32)

    def matrix(self, *, weighted: bool = False) -> csr_array:
        """Rows are sources, columns targets; 1 or the weight where there is an edge."""
        sources, targets = self.ends()
        values = np.array(self._weights, np.float64) if weighted else np.ones(sources.size)
        return csr_array((values, (sources, targets)), shape=(self._size, self._size))

    def save(self) -> Mapping[str, Any]:
        """JSON values."""
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
        """The graph that `save` gave."""
        graph = cls()
        graph._sorted_keys = unpacked(state["keys"], np.uint64)
        graph._sorted_nodes = unpacked(state["nodes"], np.int32)
        graph._sources = array("i", unpacked(state["sources"], np.int32).tobytes())
        graph._targets = array("i", unpacked(state["targets"], np.int32).tobytes())
        graph._weights = array("f", unpacked(state["weights"], np.float32).tobytes())
        graph._spans = {int(node): (int(begun), int(end)) for node, begun, end in state["spans"]}
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
    """64 bits: among ten million URLs two share a key once in 400 000 crawls."""
    data = url.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big")


Share = Literal["sum", "count"]
