"""What characters add to words, on headlines: pairs and single characters beside words, still a sum of naive Bayes shares.

The conflict: a headline has seven words, and one in eight has never been met; its characters have. But a character says
again what its word says, and counted at full weight the three drown the prior; so each has a trust, as fields have.

Idea: three naive Bayes tables, one sum; the threshold is chosen inside the training part, each fifth scored by the rest.
Formula: x = ln p/(1-p) + sum over kinds k of t_k * sum over features F of kind k of ln (n+ + m p)/(n- + m (1-p)) - ln p/(1-p)
    t_k -> trust: words 0.45, pairs 0.2, characters 0.25 (ours: the ratio that logistic regression over the three sums gave)
    n+, n- -> headlines of each class that hold F;  p -> share of relevant ones;  m -> smoothing 2
Cost: training some seconds; scoring three times the words' (not used for links: see models/README.md).
But: characters are those of the text as it stands, with punctuation and blanks: how a headline is written tells too.
Reference: Peng and Schuurmans 2003 for characters in naive Bayes.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from topiccrawler.link_model.training.evaluation import Row, row

TRUST: Mapping[str, float] = {"words": 0.45, "pairs": 0.2, "characters": 0.25}
SMOOTHING = 2.0
FOLDS = 5


class Headline(NamedTuple):
    """A headline, its words, whether it is about the topic, which collection it is from, and what that calls it."""

    text: str
    words: Sequence[str]
    positive: bool
    source: str = ""
    label: str = ""


def features(headline: Headline) -> dict[str, frozenset[str]]:
    """The features of a headline by kind."""
    text = headline.text.strip()
    return {
        "words": frozenset(word for word in headline.words if word.isalpha()),
        "pairs": frozenset(text[at : at + 2] for at in range(len(text) - 1)),
        "characters": frozenset(text),
    }


class CharacterModel:
    """Naive Bayes over the three kinds."""

    def __init__(self, headlines: Iterable[tuple[Mapping[str, frozenset[str]], bool]]) -> None:
        counts: dict[str, tuple[Counter[str], Counter[str]]] = {
            kind: (Counter(), Counter()) for kind in TRUST
        }
        sizes = [0, 0]
        for found, positive in headlines:
            sizes[positive] += 1
            for kind, (negative_counts, positive_counts) in counts.items():
                (positive_counts if positive else negative_counts).update(found[kind])
        share = (sizes[1] + 1) / (sum(sizes) + 2)
        self._bias = math.log(share / (1 - share))
        self._tables = {kind: self._shares(kind, *pair, share) for kind, pair in counts.items()}

    def _shares(
        self, kind: str, negative: Counter[str], positive: Counter[str], share: float
    ) -> dict[str, float]:
        more, less = SMOOTHING * share, SMOOTHING * (1 - share)
        return {
            feature: TRUST[kind]
            * (math.log((positive[feature] + more) / (negative[feature] + less)) - self._bias)
            for feature in {*negative, *positive}
        }

    def log_odds(self, found: Mapping[str, frozenset[str]]) -> float:
        """ln P(+|headline) - ln P(-|headline); the same sum in whatever order the features come."""
        shares = (
            self._tables[kind].get(feature, 0.0) for kind, features in found.items() for feature in features
        )
        return math.fsum((self._bias, *shares))


def character_row(name: str, kept: Sequence[Headline], aside: Sequence[Headline], seed: int) -> Row:
    """Trained on the one part, measured on the other; the threshold comes from the one part alone."""
    known = [(features(one), one.positive) for one in kept]
    model = CharacterModel(known)
    truth = [one.positive for one in aside]
    scores = [model.log_odds(features(one)) for one in aside]
    return row(name, truth, scores, _threshold(known, seed))


def _threshold(known: Sequence[tuple[Mapping[str, frozenset[str]], bool]], seed: int) -> float:
    """The one that gives the best F1 when each fifth is scored by a model of the others."""
    order = list(known)
    random.Random(seed).shuffle(order)
    truth, scores = [], []
    for fold in range(FOLDS):
        model = CharacterModel(one for at, one in enumerate(order) if at % FOLDS != fold)
        truth += [positive for _, positive in order[fold::FOLDS]]
        scores += [model.log_odds(found) for found, _ in order[fold::FOLDS]]
    return row("", truth, scores).best_threshold
