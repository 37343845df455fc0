"""Computes ranks of the nodes of a graph: PageRank, IPageRank and HITS, by products of sparse matrices.

A refresh stops the crawl, and the graph has millions of edges. A product of a sparse matrix of that size with a vector
takes milliseconds, so the iterations fit into a second.

PageRank:  PR(A) = (1 - d) + d * sum over T -> A of PR(T) / C(T)
IPageRank: IPR(A) = (1 - d) + d * sum over T -> A of IPR(T) * RW(T -> A) / sum over j of RW(T -> j)
HITS:      authority = W' * hub, hub = W * authority, each divided by its largest entry
Iteration stops when nothing changes by more than `tolerance` (of the largest value) or after `most_sweeps`.
But: nodes without out-edges (every queued URL) do not pass on their rank. Compared with the form that spreads it evenly
    (networkx), all PageRanks are divided by one number, so the order is the same.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from topiccrawler.links.columns import Floats
from topiccrawler.links.graph import Share


def pagerank(
    matrix: csr_array,
    damping: float = 0.85,
    *,
    share: Share = "sum",
    tolerance: float = 1e-6,
    most_sweeps: int = 100,
) -> Floats:
    """PageRank of each node, or IPageRank when the matrix is weighted.

    `share`: the rank of a page is divided by the sum of the weights of its out-edges ("sum"), or by their number ("count").
    """
    total = np.diff(matrix.indptr).astype(np.float64) if share == "count" else np.asarray(matrix.sum(axis=1))
    shares = np.divide(damping, total, out=np.zeros(total.shape), where=total > 0)
    transposed = matrix.T.tocsr()
    ranks = np.ones(matrix.shape[0])
    for _ in range(most_sweeps):
        following = (1.0 - damping) + transposed @ (ranks * shares)
        change = float(np.abs(following - ranks).max(initial=0.0))
        ranks = following
        if change <= tolerance * float(ranks.max(initial=1.0)):
            break
    return ranks


def hits(matrix: csr_array, *, tolerance: float = 1e-6, most_sweeps: int = 50) -> tuple[Floats, Floats]:
    """Authorities and hubs of all nodes, each scaled so that the largest is 1 (all 0 for a graph without weights)."""
    transposed = matrix.T.tocsr()
    hubs = authorities = np.ones(matrix.shape[0])
    for _ in range(most_sweeps):
        following = _largest_one(transposed @ hubs)
        hubs = _largest_one(matrix @ following)
        change = float(np.abs(following - authorities).max(initial=0.0))
        authorities = following
        if change <= tolerance:
            break
    return authorities, hubs


def _largest_one(values: Floats) -> Floats:
    largest = float(values.max(initial=0.0))
    return values / largest if largest > 0 else values
