"""An online logistic regression: learns the weight of each feature from one example at a time.

Formula    score = w . x, P = 1 / (1 + e^-score); after an example with outcome y (0 or 1):
           g = (P - y) x;  s += g^2;  w -= rate * g / sqrt(s)
Parameters rate; `squares` begin at 1, so that the first examples do not change the weights too much.
Cost       one product of a matrix with a vector.
Reference  AdaGrad: Duchi, Hazan & Singer, JMLR 12, 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from topiccrawler.links.packed_arrays import Floats
from topiccrawler.text.odds import logistic


class Regression:
    """Weights, and the sums of squared gradients that slow their learning."""

    def __init__(self, weights: Iterable[float], rate: float) -> None:
        self.weights = np.array(list(weights))
        self.squares = np.ones(len(self.weights))
        self.rate = rate

    def scores(self, features: Floats) -> Floats:
        """Log-odds of each row of (rows, features)."""
        scores: Floats = features @ self.weights
        return scores

    def learn(self, features: Floats, outcome: float) -> None:
        """From one row."""
        gradient = (logistic(float(features @ self.weights)) - outcome) * features
        self.squares += gradient * gradient
        self.weights -= self.rate * gradient / np.sqrt(self.squares)

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {"weights": self.weights.tolist(), "squares": self.squares.tolist()}

    def load(self, state: Mapping[str, Any]) -> None:
        """What `save` kept. ValueError when it was of other features."""
        weights, squares = np.array(state["weights"], float), np.array(state["squares"], float)
        if not weights.shape == squares.shape == self.weights.shape:
            raise ValueError(f"weights of {weights.size} features, not of {self.weights.size}")
        self.weights, self.squares = weights, squares
