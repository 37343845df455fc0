"""From log-odds to a probability."""

from __future__ import annotations

import math


def logistic(log_odds: float) -> float:
    """P = 1 / (1 + e^-x), without overflow."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))
