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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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

    def assessed(self, order: Sequence[int], verdicts: Mapping[int, Verdict]) -> tuple[Assessed, ...]:
        """The content pages among these (all pages if kinds are unknown), each with its truth and the crawl's verdict."""
        fetched = (page for page in order if self.counted is None or page in self.counted)
        return tuple(Assessed(page in self.relevant, *verdicts.get(page, (None, False))) for page in fetched)

    def kept(self, order: Sequence[int], verdicts: Mapping[int, Verdict]) -> tuple[Curve, Curve]:
        """The curve of the content pages that the crawl keeps, and the curve of those of them that are on topic."""
        kept = {page for page, verdict in verdicts.items() if verdict.is_kept}
        kept = kept if self.counted is None else kept & self.counted
        hits = kept & self.relevant
        return Curve.of(page in kept for page in order), Curve.of(page in hits for page in order)

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
    """The curves of one strategy's runs, each field with an entry a run."""

    curves: tuple[Curve, ...]
    content: tuple[Curve, ...]  # of content pages alone
    sites: tuple[int, ...] = ()  # number of sites with a relevant page among those fetched
    assessed: tuple[tuple[Assessed, ...], ...] = ()  # the content pages fetched; empty without labels
    kept: tuple[tuple[Curve, Curve], ...] = ()  # content pages kept, and those of them on topic

    @classmethod
    def of(
        cls, truth: Truth, orders: Collection[Sequence[int]], verdicts: Sequence[Mapping[int, Verdict]] = ()
    ) -> Scored:
        """The curves of runs that fetched pages in these orders. `verdicts`: of each run, on its pages; used only with labels, because the
        page classifier must not be measured by itself."""
        curves, content = (
            tuple(Curve.of(page in pages for page in order) for order in orders)
            for pages in (truth.relevant, truth.content)
        )
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
        of_runs = zip(*map(Kept.of, scored.assessed), strict=True)
        runs["kept"] = dict(zip(Kept._fields, map(list, of_runs), strict=True))
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
