"""From log-odds to a probability."""

from __future__ import annotations

import math


def logistic(log_odds: float) -> float:
    """P = 1 / (1 + e^-x), without overflow."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))


def log_odds(probability: float) -> float:
    """ln(P / (1 - P)); of 0 and 1 that of numbers near them."""
    held = min(max(probability, 1e-12), 1.0 - 1e-12)
    return math.log(held / (1.0 - held))
