"""The features of `adaptive` and the weights they begin with, chosen on the log-odds scale (docs/lab/adaptive.md)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from topiccrawler.errors import StrategyError
from topiccrawler.links.packed_arrays import Floats

FEATURES: Mapping[str, float] = {
    "bias": -1.0,
    "link text": 1.0,
    "page": 1.0,
    "grandparent": 0.0,
    "site": 0.6,
    "site text": 0.3,
    "source host": 0.0,
    "words": 0.5,
    "unproductive": 1.0,
}


def mask_of(without: str) -> Floats:
    """0 for each feature that is left out, 1 for the others. `without`: names, separated by commas. StrategyError for one that is none."""
    left_out = {name.strip() for name in without.split(",") if name.strip()}
    if unknown := sorted(left_out - FEATURES.keys()):
        fault, remedy = f"adaptive has no feature {unknown[0]!r}", f"use {', '.join(FEATURES)}"
        raise StrategyError(f"strategy parameter without={without}", fault, remedy)
    return np.array([float(name not in left_out) for name in FEATURES])
