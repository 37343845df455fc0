"""Measures how good crawls were, as the figures of result.json: from the relevance of the pages fetched, and of those kept.

    harvest_rate@N  = relevant among the first N fetched / N: Σ r_i / |V|, r_i = 1 for a relevant page of V (JLSE eq. 20)
    target_recall@N = relevant among the first N fetched / relevant pages that can be reached: |T ∩ C_t| / |T| (JLSE eq. 21)
    oracle_ratio@N  = sum over n = 1..N of relevant among the first n, divided by the same sum for the oracle
    pages_to_half   = pages fetched until half of the relevant pages that can be reached were among them
    off_topic_share = pages that are not relevant among all fetched / all fetched

A crawl whose queue runs empty keeps its count, which is still divided by N; `pages` is the number of pages it fetched.

Of the kept pages, over the content pages fetched (a page that could not be read is not kept, and in no bin):

    precision, recall = on topic among the kept / kept, / on topic
    kept_precision@N  = on topic among the kept of the first N fetched / kept of the first N fetched
    kept_recall@N     = on topic among the kept of the first N fetched / content pages on topic that can be reached
    p_at_25           = on topic among the 25 kept pages of highest relevance / min(25, on topic)
    calibration_error = sum over ten bins of relevance of pages in the bin / pages · |their mean relevance − their share on topic|
                        (expected calibration error: Naeini, Cooper & Hauskrecht 2015)

Every figure is the mean over a strategy's runs. With more than one run it comes with a band: the 95 % confidence interval of
that mean, by Student's t.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import fmean, stdev
from typing import Any, NamedTuple

from topiccrawler.crawling.page_filter import Verdict

BEST = 25
BINS = 10
CONFIDENCE = 0.95
STEP_PAGES = 250
DIGITS = 6
LABELS = "labels"
UNREAD = (None, False)  # the verdict on a page that could not be read


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
        return sum(self.counts[:pages]) + max(0, pages - len(self.counts)) * self.found(pages)


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
    return bisect_left(curve.counts, half) + 1 if half and curve.found(curve.pages) >= half else None


def off_topic_share(curve: Curve) -> float | None:
    """The share of pages that are not relevant among all fetched pages, 0..1; None when nothing was fetched."""
    return 1.0 - curve.found(curve.pages) / curve.pages if curve.pages else None


def checkpoints(pages: int, step: int) -> list[int]:
    """The numbers of pages at which a crawl is measured: every `step` pages, and the end."""
    return [*range(step, pages, step), pages]


class Assessed(NamedTuple):
    """A content page that was fetched, with its truth and the crawl's verdict."""

    is_relevant: bool
    relevance: float | None  # 0..1, by the crawl's page classifier; None: the page could not be read
    is_kept: bool = False


class Bin(NamedTuple):
    """The pages with a relevance of at least `start` and less than `end`; the last bin includes 1."""

    start: float
    end: float
    pages: int
    mean_relevance: float | None  # None: no page
    on_topic: float | None  # share of the pages


class Kept(NamedTuple):
    """The figures of one crawl's kept pages. A figure is None when its denominator is 0."""

    pages: int
    precision: float | None
    recall: float | None
    p_at_25: float | None
    calibration_error: float | None

    @classmethod
    def of(cls, pages: Sequence[Assessed]) -> Kept:
        """The figures of a crawl. `pages`: in order of fetching, which breaks ties of relevance."""
        kept = [page for page in pages if page.is_kept]
        hits, relevant = (sum(page.is_relevant for page in some) for some in (kept, pages))
        best = sorted(kept, key=lambda page: -(page.relevance or 0.0))[:BEST]
        return cls(
            len(kept),
            hits / len(kept) if kept else None,
            hits / relevant if relevant else None,
            sum(page.is_relevant for page in best) / min(BEST, relevant) if relevant else None,
            calibration_error(reliability(pages)),
        )


def reliability(pages: Sequence[Assessed]) -> list[Bin]:
    """The bins of a reliability diagram."""
    parts: list[list[Assessed]] = [[] for _ in range(BINS)]
    for page in pages:
        if page.relevance is not None:
            parts[min(BINS - 1, int(page.relevance * BINS))].append(page)
    return [
        Bin(
            number / BINS,
            (number + 1) / BINS,
            len(part),
            fmean(page.relevance or 0.0 for page in part) if part else None,
            fmean(page.is_relevant for page in part) if part else None,
        )
        for number, part in enumerate(parts)
    ]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error over the bins, 0..1; None without pages."""
    pages = sum(one.pages for one in bins)
    gaps = (one.pages * abs((one.mean_relevance or 0.0) - (one.on_topic or 0.0)) for one in bins)
    return sum(gaps) / pages if pages else None


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

    def measured(self, order: Sequence[int], verdicts: Mapping[int, Verdict] | None = None) -> Measured:
        """What a run that fetched pages in this order found. `verdicts`: on its pages; used only with labels, because the page classifier
        must not be measured by itself."""
        curve, content = (Curve.of(page in some for page in order) for some in (self.relevant, self.content))
        found = Measured(curve, content, self.sites_of(order))
        if verdicts is None or self.source != LABELS:
            return found
        counted = [page for page in order if self.counted is None or page in self.counted]
        assessed = tuple(Assessed(page in self.relevant, *verdicts.get(page, UNREAD)) for page in counted)
        kept = {page for page, one in zip(counted, assessed, strict=True) if one.is_kept}
        hits = kept & self.relevant
        curves = (Curve.of(page in some for page in order) for some in (kept, hits))
        return found._replace(assessed=assessed, kept=tuple(curves))

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


class Measured(NamedTuple):
    """What one run found."""

    curve: Curve
    content: Curve  # of content pages alone
    sites: int  # number of sites with a relevant page among those fetched
    assessed: tuple[Assessed, ...] | None = None  # the content pages fetched; None without labels
    kept: tuple[Curve, ...] = ()  # content pages kept, and those of them on topic

    def figures(self, oracle: Curve, truth: Truth, pages: int, at: Sequence[int]) -> dict[str, Any]:
        """The run's part of an entry in result.json."""
        found: dict[str, Any] = {}
        kinds = [("", self.curve, truth.targets), ("content_", self.content, truth.content_targets)]
        for kind, curve, targets in kinds[: 2 if truth.content else 1]:
            found[kind + "harvest_rate"] = {str(n): harvest_rate(curve, n) for n in at}
            found[kind + "target_recall"] = {str(n): target_recall(curve, n, targets) for n in at}
        found["oracle_ratio"] = oracle_ratio(self.curve, oracle, pages)
        found["off_topic_share"] = off_topic_share(self.curve)
        found["pages_to_half"] = pages_to_half(self.curve, truth.targets)
        found["relevant_sites"] = self.sites
        if self.assessed is not None:
            kept, hits = self.kept
            whole = truth.targets if truth.counted is None else truth.content_targets
            found["kept"] = Kept.of(self.assessed)._asdict()
            found["kept_precision"] = {str(n): target_recall(hits, n, kept.found(n)) for n in at}
            found["kept_recall"] = {str(n): target_recall(hits, n, whole) for n in at}
        return found


def figures(
    runs: Sequence[Measured], oracle: Curve, truth: Truth, pages: int, at: Sequence[int] = ()
) -> dict[str, Any]:
    """One strategy's entry in result.json. `at`: numbers of pages at which it is measured, by default every STEP_PAGES."""
    at = at or checkpoints(pages, STEP_PAGES)
    of_each = [run.figures(oracle, truth, pages, at) for run in runs]
    measured: dict[str, Any] = _over_runs(of_each, mean)
    if "kept" in measured:
        measured["kept"]["reliability"] = _reliability([run.assessed or () for run in runs])
    measured["pages"] = mean([run.curve.pages for run in runs])
    if len(runs) > 1:
        measured |= {"runs": len(runs), "band": _over_runs(of_each, band)}
    return measured


def _over_runs(runs: Sequence[Any], of: Callable[[Sequence[float | None]], Any]) -> Any:
    """The result of `of` for each figure of the runs, which have the same names."""
    if not isinstance(runs[0], dict):
        return of(runs)
    return {name: _over_runs([run[name] for run in runs], of) for name in runs[0]}


def _reliability(runs: Sequence[Sequence[Assessed]]) -> list[dict[str, Any]]:
    """The reliability diagram over the pages of all runs; `pages`: the mean over the runs."""
    bins = reliability([page for pages in runs for page in pages])
    return [
        {
            "from": one.start,
            "to": one.end,
            "pages": mean([one.pages / len(runs)]) if one.pages % len(runs) else one.pages // len(runs),
            "mean_relevance": mean([one.mean_relevance]),
            "on_topic": mean([one.on_topic]),
        }
        for one in bins
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
