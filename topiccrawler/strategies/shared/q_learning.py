"""Q-learning on a known graph: the value of a vertex for the result pages it leads to.

Formula: Q(i, <i,j>) = r_j + gamma * max over edges of j of Q(j, <j,m>); r_j = reward if j is a result page, else 0;
    Q(i) = max over its edges, 0 without edges; a result page is terminal: nothing is gained beyond it, Q(result) = reward.
Sweeps over all edges are repeated until nothing changes, at most `most_sweeps` times.
Reference: Zhang et al., JLSE, eq. 15-18, algorithm 3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from topiccrawler.links.packed_arrays import Floats, Ints


def q_values(
    sources: Ints,
    targets: Ints,
    results: npt.NDArray[np.bool_],
    *,
    reward: float = 1.0,
    gamma: float = 0.9,
    most_sweeps: int = 100,
) -> tuple[Floats, Floats]:
    """Q of each edge and of each vertex. `results` says of each vertex whether it is a result page."""
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
