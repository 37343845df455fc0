"""Turns crawls into the figures that result.json holds.

Every figure is the mean over a strategy's runs, and with more than one run a band stands beside it: the 95 % confidence
interval of that mean, by Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from statistics import fmean, stdev
from typing import Any

from topiccrawler.crawling.keeping import Verdict
from topiccrawler.evaluation.kept_pages import Assessed, Kept, measure, reliability
from topiccrawler.evaluation.measures import (
    Curve,
    checkpoints,
    harvest_rate,
    off_topic_share,
    oracle_ratio,
    pages_to_half,
    target_recall,
)

STEP_PAGES = 250
DIGITS = 6
CONFIDENCE = 0.95
LABELS = "labels"
KEPT = tuple(one.name for one in fields(Kept))


@dataclass(frozen=True, slots=True)
class Truth:
    """What the crawls of one topic are measured by."""

    source: str  # LABELS | judge
    relevant: frozenset[int]
    content: frozenset[int]  # relevant pages of kind `content`; empty when kinds are not known
    reachable: frozenset[int]  # pages that can be reached from the seeds
    sites: Mapping[int, str] = field(
        default_factory=dict
    )  # of the relevant pages: registered domain, or host
    counted: frozenset[int] | None = None  # pages of kind `content`, of any topic; None: kinds are not known

    def curve(self, order: Sequence[int]) -> Curve:
        """Of all relevant pages."""
        return Curve.of(page in self.relevant for page in order)

    def content_curve(self, order: Sequence[int]) -> Curve:
        """Of relevant content pages alone."""
        return Curve.of(page in self.content for page in order)

    def assessed(self, order: Sequence[int], verdicts: Mapping[int, Verdict]) -> tuple[Assessed, ...]:
        """The content pages among these, or all where kinds are not known, with what the crawl made of them."""
        fetched = (page for page in order if self.counted is None or page in self.counted)
        return tuple(Assessed(page in self.relevant, *verdicts.get(page, (None, False))) for page in fetched)

    def sites_of(self, pages: Iterable[int]) -> int:
        """Sites with a relevant page among these."""
        return len({self.sites[page] for page in pages if page in self.sites})

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
    sites: tuple[int, ...] = ()  # with a relevant page among those fetched
    assessed: tuple[
        tuple[Assessed, ...], ...
    ] = ()  # content pages fetched; none where nothing says what was kept

    @classmethod
    def of(
        cls,
        truth: Truth,
        orders: Collection[Sequence[int]],
        verdicts: Sequence[Mapping[int, Verdict]] = (),
    ) -> Scored:
        """`verdicts`: of each run, what it would keep. The page classifier is not measured by itself."""
        curves, content = (tuple(map(of, orders)) for of in (truth.curve, truth.content_curve))
        assessed = tuple(map(truth.assessed, orders, verdicts)) if truth.source == LABELS else ()
        return cls(curves, content, tuple(map(truth.sites_of, orders)), assessed)


def figures(
    scored: Scored, oracle: Curve, truth: Truth, pages: int, at: Sequence[int] = ()
) -> dict[str, Any]:
    """One strategy's entry in result.json; `at`: counts of pages at which it is measured, by default every STEP_PAGES."""
    at = at or checkpoints(pages, STEP_PAGES)
    measured: dict[str, Any] = {}
    bands: dict[str, Any] = {}
    kinds = [("", scored.curves, truth.targets), ("content_", scored.content, truth.content_targets)]
    for kind, curves, targets in kinds[: 2 if truth.content else 1]:
        rates = {n: [harvest_rate(curve, n) for curve in curves] for n in at}
        recalls = {n: [target_recall(curve, n, targets) for curve in curves] for n in at}
        for name, values in (("harvest_rate", rates), ("target_recall", recalls)):
            measured[kind + name] = {str(n): mean(values[n]) for n in at}
            bands[kind + name] = {str(n): band(values[n]) for n in at}
    ratios = [oracle_ratio(curve, oracle, pages) for curve in scored.curves]
    measured["oracle_ratio"], bands["oracle_ratio"] = mean(ratios), band(ratios)
    per_run: dict[str, list[float | None]] = {
        "pages_to_half": [pages_to_half(curve, truth.targets) for curve in scored.curves],
        "relevant_sites": list(scored.sites),
    }
    off_topic = [off_topic_share(curve) for curve in scored.curves]
    measured["off_topic_share"], bands["off_topic_share"] = mean(off_topic), band(off_topic)
    for name, found in per_run.items():
        measured[name], bands[name] = _whole(mean(found)), band(found)
    if scored.assessed:
        measured["kept"], bands["kept"] = _kept(scored.assessed)
    measured["pages"] = _whole(mean([float(curve.pages) for curve in scored.curves]))
    if len(scored.curves) > 1:
        measured["runs"] = len(scored.curves)
        measured["band"] = bands
    return measured


def _kept(runs: Sequence[Sequence[Assessed]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Figures and bands; the reliability is that of the pages of all runs."""
    measured: dict[str, Any] = {}
    bands: dict[str, Any] = {}
    of_runs = [measure(pages) for pages in runs]
    for name in KEPT:
        values = [getattr(one, name) for one in of_runs]
        measured[name], bands[name] = mean(values), band(values)
    measured["pages"] = _whole(measured["pages"])
    pooled = reliability([page for pages in runs for page in pages])
    measured["reliability"] = [
        {
            "from": one.start,
            "to": one.end,
            "pages": _whole(mean([one.pages / len(runs)])),
            "mean_relevance": mean([one.mean_relevance]),
            "on_topic": mean([one.on_topic]),
        }
        for one in pooled
    ]
    return measured, bands


def _whole(value: Any) -> Any:
    """A count without its point when it is whole."""
    return int(value) if value is not None and value == int(value) else value


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
