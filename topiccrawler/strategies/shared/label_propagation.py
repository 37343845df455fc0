"""Label propagation: the link model's algebra.

V has a row and a column for every queued link; all pairs of a few thousand are tens of millions. So rows are
made a slice at a time, and of each only its k largest entries are kept.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from topiccrawler.links.packed_arrays import Floats

_SLICE = 500  # rows


def nearest_rows(vectors: csr_array, k: int) -> csr_array:
    """Cosine of each row (of length 1) with each other row; of each row's the k largest, never itself."""
    transposed = vectors.T.tocsr()
    columns, values, ends = [], [], [0]
    for begin in range(0, vectors.shape[0], _SLICE):
        likeness = (vectors[begin : begin + _SLICE] @ transposed).tocsr()
        for row in range(likeness.shape[0]):
            first, last = likeness.indptr[row], likeness.indptr[row + 1]
            others, near = likeness.indices[first:last], likeness.data[first:last]
            kept = np.flatnonzero(others != begin + row)
            if kept.size > k:
                kept = kept[np.argpartition(near[kept], -k)[-k:]]
            columns.append(others[kept])
            values.append(near[kept])
            ends.append(ends[-1] + kept.size)
    size = vectors.shape[0]
    if not size:
        return csr_array((0, 0))
    return csr_array((np.concatenate(values), np.concatenate(columns), np.array(ends)), shape=(size, size))


def propagate(
    votes: Floats, likeness: csr_array, gamma: float, start: Floats | None = None, tolerance: float = 1e-9
) -> Floats:
    """The fixed point of X <- (1 - gamma) * votes + gamma * likeness * X; the same from every start."""
    given = (1.0 - gamma) * votes
    x = np.zeros(votes.size) if start is None else start
    for _ in range(200):
        following = given + gamma * (likeness @ x)
        change = float(np.abs(following - x).max(initial=0.0))
        x = following
        if change <= tolerance:
            break
    return x
