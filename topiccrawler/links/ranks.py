"""Ranks of the nodes of a graph: PageRank, IPageRank, HITS, by sparse products.

A refresh stops the crawl, and a crawl has millions of edges; a product of a sparse matrix with a vector
takes milliseconds there, so the iterations fit into a second.

PageRank:  PR(A) = (1 - d) + d * sum over T -> A of PR(T) / C(T)
IPageRank: IPR(A) = (1 - d) + d * sum over T -> A of IPR(T) * RW(T -> A) / sum over j of RW(T -> j)
HITS:      authority = W' * hub, hub = W * authority, each divided by its largest entry
Iteration stops when nothing changes by more than `tolerance` (of the largest value) or after `most_sweeps`.
But: nodes without out-edges (every queued URL) give nothing away; against the form that spreads their rank evenly
    (networkx) this divides all PageRanks by one number, so the order is the same.
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

    `share`: a page's rank is divided by the sum of its edges' weights, or (`count`) by their number.
    """
    given = np.diff(matrix.indptr).astype(np.float64) if share == "count" else np.asarray(matrix.sum(axis=1))
    shares = np.divide(damping, given, out=np.zeros(given.shape), where=given > 0)
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
    """Authority and hub value of each node, the largest of each 1 (0 for a graph without weight)."""
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
