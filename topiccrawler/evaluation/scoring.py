"""Turns crawls into the figures that result.json holds.

The conflict: one strategy may have several runs, each a curve; scripts want one number a checkpoint. So every figure is the mean
over the runs, and with more than one run a band beside it: the 95 % confidence interval of that mean, by Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from topiccrawler.evaluation.measures import Curve, checkpoints, harvest_rate, oracle_ratio, target_recall

STEP_PAGES = 250
DIGITS = 6
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Truth:
    """What the crawls of one topic are measured by."""

    source: str  # labels | judge
    relevant: frozenset[int]
    content: frozenset[int]  # relevant pages of kind `content`; empty when kinds are not known
    reachable: frozenset[int]  # pages that can be reached from the seeds

    def curve(self, order: Sequence[int]) -> Curve:
        """Of all relevant pages."""
        return Curve.of(page in self.relevant for page in order)

    def content_curve(self, order: Sequence[int]) -> Curve:
        """Of relevant content pages alone."""
        return Curve.of(page in self.content for page in order)

    @property
    def targets(self) -> int:
        """Relevant pages that can be reached."""
        return len(self.relevant & self.reachable)

    @property
    def content_targets(self) -> int:
        return len(self.content & self.reachable)


@dataclass(frozen=True, slots=True)
class Scored:
    """The curves of one strategy's runs."""

    curves: tuple[Curve, ...]
    content: tuple[Curve, ...]

    @classmethod
    def of(cls, truth: Truth, orders: Collection[Sequence[int]]) -> Scored:
        return cls(tuple(map(truth.curve, orders)), tuple(map(truth.content_curve, orders)))


def figures(
    scored: Scored, oracle: Curve, truth: Truth, pages: int, step: int = STEP_PAGES
) -> dict[str, Any]:
    """One ordering's entry in result.json."""
    at = checkpoints(pages, step)
    measured: dict[str, Any] = {}
    bands: dict[str, Any] = {}

    def measure(name: str, curves: Sequence[Curve], value: Callable[[Curve, int], float | None]) -> None:
        for n in at:
            values = [value(curve, n) for curve in curves]
            measured.setdefault(name, {})[str(n)] = mean(values)
            bands.setdefault(name, {})[str(n)] = band(values)

    measure("harvest_rate", scored.curves, harvest_rate)
    measure("target_recall", scored.curves, lambda curve, n: target_recall(curve, n, truth.targets))
    if truth.content:
        measure("content_harvest_rate", scored.content, harvest_rate)
        measure(
            "content_target_recall",
            scored.content,
            lambda curve, n: target_recall(curve, n, truth.content_targets),
        )
    ratios = [oracle_ratio(curve, oracle, pages) for curve in scored.curves]
    measured["oracle_ratio"], bands["oracle_ratio"] = mean(ratios), band(ratios)
    measured["pages"] = mean([float(curve.pages) for curve in scored.curves])
    if measured["pages"] == int(measured["pages"]):
        measured["pages"] = int(measured["pages"])
    if len(scored.curves) > 1:
        measured["runs"] = len(scored.curves)
        measured["band"] = bands
    return measured


def mean(values: Sequence[float | None]) -> Any:
    """None when any is."""
    known = [value for value in values if value is not None]
    return round(fmean(known), DIGITS) if len(known) == len(values) else None


def band(values: Sequence[float | None]) -> list[float] | None:
    """Lower and upper end of the confidence interval of the mean."""
    known = [value for value in values if value is not None]
    if len(known) < max(2, len(values)):
        return None
    from scipy.special import stdtrit

    reach = float(stdtrit(len(known) - 1, (1 + CONFIDENCE) / 2)) * stdev(known) / math.sqrt(len(known))
    return [round(fmean(known) - reach, DIGITS), round(fmean(known) + reach, DIGITS)]
