"""PageRank and HITS against networkx, IPageRank by hand."""

import random

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from topiccrawler.links.graph import LinkGraph
from topiccrawler.links.ranks import hits, pagerank


def drawn(seed: int, nodes: int = 80) -> tuple[LinkGraph, nx.DiGraph]:
    """The same random graph twice; half of the nodes have no links, weights are sixteenths."""
    draw = random.Random(seed)
    ours, theirs = LinkGraph(), nx.DiGraph()
    ours.nodes([f"http://{n}.example/" for n in range(nodes)])
    theirs.add_nodes_from(range(nodes))
    for source in range(nodes // 2):
        targets = [n for n in draw.sample(range(nodes), draw.randint(1, 9)) if n != source]
        weights = [draw.randint(1, 16) / 16 for _ in targets]
        ours.add(f"http://{source}.example/", [f"http://{n}.example/" for n in targets], weights)
        theirs.add_weighted_edges_from(
            (source, n, weight) for n, weight in zip(targets, weights, strict=True)
        )
    return ours, theirs


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_pagerank_is_networkx_but_for_one_factor(seed: int, weighted: bool) -> None:
    ours, theirs = drawn(seed)
    ranks = pagerank(ours.matrix(weighted=weighted), 0.85, tolerance=1e-12)
    oracle = nx.pagerank(theirs, 0.85, tol=1e-12, max_iter=1000, weight="weight" if weighted else None)
    assert ranks / ranks.sum() == pytest.approx(np.array([oracle[n] for n in range(80)]), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_hits_is_networkx_but_for_one_factor(seed: int) -> None:
    ours, theirs = drawn(seed)
    authorities, hubs = hits(ours.matrix(weighted=True), tolerance=1e-13, most_sweeps=10_000)
    their_hubs, their_authorities = nx.hits(theirs, max_iter=10_000, tol=1e-13)
    expected = np.array([their_authorities[n] for n in range(80)])
    assert authorities / authorities.sum() == pytest.approx(expected, abs=1e-6)
    assert hubs / hubs.sum() == pytest.approx(np.array([their_hubs[n] for n in range(80)]), abs=1e-6)


def test_pagerank_by_hand() -> None:
    """a -> b, a -> c, b -> c; d = .5: PR(a) = .5, PR(b) = .5 + .5 * .25, PR(c) = .5 + .5 * (.25 + .625)."""
    matrix = csr_array(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], float))
    assert pagerank(matrix, 0.5).tolist() == pytest.approx([0.5, 0.625, 0.9375])


def test_ipagerank_by_hand() -> None:
    """a -> b (RW 1), a -> c (RW .5), b -> c (RW 0): a gives 2/3 and 1/3, b nothing; d = .6.

    IPR(a) = .4; IPR(b) = .4 + .6 * .4 * 2/3 = .56; IPR(c) = .4 + .6 * .4 / 3 = .48. Shared by count, a gives 1/2 and 1/4:
    IPR(b) = .4 + .6 * .4 / 2 = .52, IPR(c) = .4 + .6 * .4 / 4 = .46.
    """
    matrix = csr_array((np.array([1.0, 0.5, 0.0]), ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    assert pagerank(matrix, 0.6).tolist() == pytest.approx([0.4, 0.56, 0.48])
    assert pagerank(matrix, 0.6, share="count").tolist() == pytest.approx([0.4, 0.52, 0.46])
