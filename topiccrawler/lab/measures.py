"""Measures how good a crawl was from the relevance of its pages, as the figures of result.json.

    harvest_rate@N  = relevant among the first N fetched / N: Σ r_i / |V|, r_i = 1 for a relevant page of V (JLSE eq. 20)
    target_recall@N = relevant among the first N fetched / relevant pages that can be reached: |T ∩ C_t| / |T| (JLSE eq. 21)
    oracle_ratio@N  = sum over n = 1..N of relevant among the first n, divided by the same sum for the oracle
    pages_to_half   = pages fetched until half of the relevant pages that can be reached were among them
    off_topic_share = pages that are not relevant among all fetched / all fetched

A crawl whose queue runs empty keeps its count, which is still divided by N; `pages` is the number of pages it fetched.

Every figure is the mean over a strategy's runs. With more than one run it comes with a band: the 95 % confidence interval of
that mean, by Student's t.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import accumulate
from statistics import fmean, stdev
from typing import Any

from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.lab.kept_pages import Assessed, Kept, measure, reliability


@dataclass(frozen=True, slots=True)
class Curve:
    """The numbers of relevant pages among the first 1, 2, … pages fetched."""

    counts: tuple[int, ...]

    @classmethod
    def of(cls, relevant: Iterable[bool]) -> Curve:
        """A curve from the relevance of each fetched page, in order of fetching."""
        return cls(tuple(accumulate(map(int, relevant))))

    @property
    def pages(self) -> int:
        """The number of pages fetched."""
        return len(self.counts)

    def found(self, pages: int) -> int:
        """The number of relevant pages among the first `pages`; a crawl that ended sooner keeps its count."""
        at = min(pages, len(self.counts))
        return self.counts[at - 1] if at > 0 else 0

    def area(self, pages: int) -> int:
        """The sum of found(n) over n = 1..pages."""
        missing = max(0, pages - len(self.counts))
        return sum(self.counts[:pages]) + missing * self.found(pages)


def harvest_rate(curve: Curve, pages: int) -> float:
    """The share of relevant pages among the first `pages`, 0..1."""
    return curve.found(pages) / pages


def target_recall(curve: Curve, pages: int, reachable: int) -> float | None:
    """The share of the reachable relevant pages that is among the first `pages`, 0..1; None when none can be reached."""
    return curve.found(pages) / reachable if reachable else None


def oracle_ratio(curve: Curve, oracle: Curve, pages: int) -> float | None:
    """The area under the curve by that of the oracle: 0 = found nothing, 1 = as good as the oracle (a lucky crawl may exceed it); None
    when the oracle finds nothing."""
    best = oracle.area(pages)
    return curve.area(pages) / best if best else None


def pages_to_half(curve: Curve, reachable: int) -> int | None:
    """The number of pages fetched until half of the reachable relevant pages were found; None when the crawl ended before, or none can be
    reached."""
    half = (reachable + 1) // 2
    if not half or curve.found(curve.pages) < half:
        return None
    return bisect_left(curve.counts, half) + 1


def off_topic_share(curve: Curve) -> float | None:
    """The share of pages that are not relevant among all fetched pages, 0..1; None when nothing was fetched."""
    return 1.0 - curve.found(curve.pages) / curve.pages if curve.pages else None


def checkpoints(pages: int, step: int) -> list[int]:
    """The numbers of pages at which a crawl is measured: every `step` pages, and the end."""
    return [*range(step, pages, step), pages]


CONFIDENCE = 0.95


STEP_PAGES = 250
DIGITS = 6
LABELS = "labels"
KEPT = tuple(one.name for one in fields(Kept))


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth by which the crawls of one topic are measured."""

    source: str  # LABELS | judge
    relevant: frozenset[int]
    content: frozenset[int]  # relevant pages of kind `content`; empty when kinds are not known
    reachable: frozenset[int]  # pages that can be reached from the seeds
    # of the relevant pages: registered domain, or host
    sites: Mapping[int, str] = field(default_factory=dict)
    counted: frozenset[int] | None = None  # pages of kind `content`, of any topic; None: kinds are not known

    def curve(self, order: Sequence[int]) -> Curve:
        """The curve of all relevant pages."""
        return Curve.of(page in self.relevant for page in order)

    def content_curve(self, order: Sequence[int]) -> Curve:
        """The curve of relevant content pages alone."""
        return Curve.of(page in self.content for page in order)

    def assessed(self, order: Sequence[int], verdicts: Mapping[int, Verdict]) -> tuple[Assessed, ...]:
        """The content pages among these (all pages if kinds are unknown), each with its truth and the crawl's verdict."""
        fetched = (page for page in order if self.counted is None or page in self.counted)
        return tuple(Assessed(page in self.relevant, *verdicts.get(page, (None, False))) for page in fetched)

    def kept(self, order: Sequence[int], verdicts: Mapping[int, Verdict]) -> tuple[Curve, Curve]:
        """The curve of the content pages that the crawl keeps, and the curve of those of them that are on topic."""
        kept = {page for page, verdict in verdicts.items() if verdict.is_kept}
        kept = kept if self.counted is None else kept & self.counted
        is_kept = [page in kept for page in order]
        hits = (one and page in self.relevant for page, one in zip(order, is_kept, strict=True))
        return Curve.of(is_kept), Curve.of(hits)

    def sites_of(self, pages: Iterable[int]) -> int:
        """The number of sites with a relevant page among these."""
        return len({self.sites[page] for page in pages if page in self.sites})

    @property
    def targets(self) -> int:
        """The number of relevant pages that can be reached."""
        return len(self.relevant & self.reachable)

    @property
    def content_targets(self) -> int:
        """The number of relevant content pages that can be reached."""
        return len(self.content & self.reachable)


@dataclass(frozen=True, slots=True)
class Scored:
    """The curves of one strategy's runs."""

    curves: tuple[Curve, ...]
    content: tuple[Curve, ...]
    sites: tuple[int, ...] = ()  # of each run: number of sites with a relevant page among those fetched
    # of each run: the content pages fetched; empty without labels
    assessed: tuple[tuple[Assessed, ...], ...] = ()
    kept: tuple[tuple[Curve, Curve], ...] = ()  # of each run: content pages kept, and those of them on topic

    @classmethod
    def of(
        cls, truth: Truth, orders: Collection[Sequence[int]], verdicts: Sequence[Mapping[int, Verdict]] = ()
    ) -> Scored:
        """The curves of runs that fetched pages in these orders. `verdicts`: of each run, on its pages; used only with labels, because the
        page classifier must not be measured by itself."""
        curves, content = (tuple(map(of, orders)) for of in (truth.curve, truth.content_curve))
        by_labels = list(zip(orders, verdicts, strict=False)) if truth.source == LABELS else []
        assessed = tuple(truth.assessed(*one) for one in by_labels)
        kept = tuple(truth.kept(*one) for one in by_labels)
        return cls(curves, content, tuple(map(truth.sites_of, orders)), assessed, kept)


def figures(
    scored: Scored, oracle: Curve, truth: Truth, pages: int, at: Sequence[int] = ()
) -> dict[str, Any]:
    """One strategy's entry in result.json. `at`: numbers of pages at which it is measured, by default every STEP_PAGES."""
    at = at or checkpoints(pages, STEP_PAGES)
    runs: dict[str, Any] = {}  # figure -> its values, one a run
    kinds = [("", scored.curves, truth.targets), ("content_", scored.content, truth.content_targets)]
    for kind, curves, targets in kinds[: 2 if truth.content else 1]:
        runs[kind + "harvest_rate"] = {n: [harvest_rate(curve, n) for curve in curves] for n in at}
        runs[kind + "target_recall"] = {n: [target_recall(curve, n, targets) for curve in curves] for n in at}
    runs["oracle_ratio"] = [oracle_ratio(curve, oracle, pages) for curve in scored.curves]
    runs["off_topic_share"] = [off_topic_share(curve) for curve in scored.curves]
    runs["pages_to_half"] = [pages_to_half(curve, truth.targets) for curve in scored.curves]
    runs["relevant_sites"] = scored.sites
    if scored.assessed:
        of_runs = [measure(of_run) for of_run in scored.assessed]
        runs["kept"] = {name: [getattr(one, name) for one in of_runs] for name in KEPT}
        whole = truth.targets if truth.counted is None else truth.content_targets
        runs["kept_precision"] = {
            n: [target_recall(hits, n, kept.found(n)) for kept, hits in scored.kept] for n in at
        }
        runs["kept_recall"] = {n: [target_recall(hits, n, whole) for _, hits in scored.kept] for n in at}
    measured = _of_each(runs, mean)
    if scored.assessed:
        measured["kept"]["reliability"] = _reliability(scored.assessed)
    measured["pages"] = mean([curve.pages for curve in scored.curves])
    if len(scored.curves) > 1:
        measured |= {"runs": len(scored.curves), "band": _of_each(runs, band)}
    return measured


def _of_each(runs: Mapping[Any, Any], of: Callable[[Sequence[float | None]], Any]) -> dict[str, Any]:
    """The result of `of` for each figure, at each number of pages where it has several."""
    return {
        str(name): _of_each(values, of) if isinstance(values, dict) else of(values)
        for name, values in runs.items()
    }


def _reliability(runs: Sequence[Sequence[Assessed]]) -> list[dict[str, Any]]:
    """The reliability diagram over the pages of all runs; `pages`: the mean over the runs."""
    pooled = reliability([page for pages in runs for page in pages])
    of_runs = zip(*map(reliability, runs), strict=True)
    return [
        {
            "from": one.start,
            "to": one.end,
            "pages": mean([each.pages for each in of_run]),
            "mean_relevance": mean([one.mean_relevance]),
            "on_topic": mean([one.on_topic]),
        }
        for one, of_run in zip(pooled, of_runs, strict=True)
    ]


def mean(values: Sequence[float | None]) -> Any:
    """The mean, rounded; None when any value is None. An integer if the values are integers and their mean is whole."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    found = round(fmean(known), DIGITS)
    return int(found) if found.is_integer() and all(isinstance(value, int) for value in known) else found


def band(values: Sequence[float | None]) -> list[float] | None:
    """The lower and the upper end of the confidence interval of the mean; None for fewer than two values, or when any is None."""
    known = [value for value in values if value is not None]
    if len(known) < max(2, len(values)):
        return None
    from scipy.special import stdtrit

    reach = float(stdtrit(len(known) - 1, (1 + CONFIDENCE) / 2)) * stdev(known) / math.sqrt(len(known))
    return [round(fmean(known) - reach, DIGITS), round(fmean(known) + reach, DIGITS)]
