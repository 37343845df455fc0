"""Turns crawls into the figures that result.json holds.

Every figure is the mean over a strategy's runs, and with more than one run a band stands beside it: the 95 % confidence
interval of that mean, by Student's t.

How good a crawl was: harvest rate, target recall and oracle ratio, from which of its pages were relevant.

    harvest_rate@N  = relevant among the first N fetched / N: Σ r_i / |V|, r_i = 1 for a relevant page of V (JLSE eq. 20)
    target_recall@N = relevant among the first N fetched / relevant pages that can be reached: |T ∩ C_t| / |T| (JLSE eq. 21)
    oracle_ratio@N  = sum over n = 1..N of relevant among the first n, divided by the same sum for the oracle
    pages_to_half   = pages fetched until half of the relevant pages that can be reached were among them
    off_topic_share = pages that are not relevant among all fetched / all fetched

A crawl whose queue runs empty keeps its count and is still divided by N; `pages` says how many it fetched.

The oracle: what a strategy could do that knew all links and all labels.

Idea: always fetch the queued page from which the nearest relevant page is fewest links away.
Formula: key = (links to the nearest relevant page, order of arrival); 0 for a relevant page; a page from which no relevant one
    can be reached comes after all others; equal keys first in, first out.
Parameters: none.
Reads: the whole link table and the truth, which no crawl has.
Cost: O(links + pages · log pages), once a topic.
But: it is greedy, not the best order there is: it does not weigh one near relevant page against many a step farther.
Reference: house definition (ALGORITHMS §7); oracle_ratio divides by it.

How good what a crawl keeps is, over the content pages that it fetched.

    precision = on topic among the kept / kept
    recall    = on topic among the kept / on topic
    kept_precision@N = on topic among the kept of the first N fetched / kept of them
    kept_recall@N    = on topic among the kept of the first N fetched / content pages on topic that can be reached
    p_at_25   = on topic among the 25 kept pages of highest relevance / min(25, on topic)
    calibration_error = sum over ten bins of relevance of pages in the bin / pages · |their mean relevance − their share on topic|

A page that could not be read is not kept, and is in no bin. Reference of the last: Naeini, Cooper & Hauskrecht (2015), Obtaining
Well Calibrated Probabilities Using Bayesian Binning (the expected calibration error with bins of equal width).

How far raters agree, and what their ratings say of a crawl: kappa, precision with an interval, recall's side, harvest over the crawl.

Formula: Cohen (two raters) and Fleiss (several): kappa = (P - Pe) / (1 - Pe). Fleiss: P = mean over pages of (sum of squared counts - n) /
(n(n - 1)), Pe = sum of squared shares of each answer; of the pages that all have rated. Cohen: P = share of pages rated alike, Pe = sum over
answers of the product of both raters' shares. None where all answers are one, and kappa has no meaning.
Interval: Wilson's score interval of a share, at 95 %.
Reference: Cohen (1960), Educ. Psychol. Meas. 20; Fleiss (1971), Psychol. Bull. 76; Wilson (1927), J. Am. Stat. Assoc. 22; nb-guided §4.3.1 for the curve.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from heapq import heappop, heappush
from itertools import accumulate
from statistics import fmean, stdev
from typing import Any, NamedTuple

from topiccrawler.crawling.harvest import Verdict
from topiccrawler.lab.recorded_web import NOWHERE, LinkTable


@dataclass(frozen=True, slots=True)
class Curve:
    """Relevant pages among the first 1, 2, … fetched."""

    counts: tuple[int, ...]

    @classmethod
    def of(cls, relevant: Iterable[bool]) -> Curve:
        """From one truth a fetched page, in order of fetching."""
        return cls(tuple(accumulate(map(int, relevant))))

    @property
    def pages(self) -> int:
        return len(self.counts)

    def found(self, pages: int) -> int:
        """Relevant pages among the first `pages`; a crawl that ended sooner keeps its count."""
        at = min(pages, len(self.counts))
        return self.counts[at - 1] if at > 0 else 0

    def area(self, pages: int) -> int:
        """Sum of found(n) over n = 1..pages."""
        missing = max(0, pages - len(self.counts))
        return sum(self.counts[:pages]) + missing * self.found(pages)


def harvest_rate(curve: Curve, pages: int) -> float:
    """0..1"""
    return curve.found(pages) / pages


def target_recall(curve: Curve, pages: int, reachable: int) -> float | None:
    """0..1; None when no relevant page can be reached."""
    return curve.found(pages) / reachable if reachable else None


def oracle_ratio(curve: Curve, oracle: Curve, pages: int) -> float | None:
    """0 = found nothing, 1 = as good as the oracle (a lucky crawl may pass it); None when the oracle finds nothing."""
    best = oracle.area(pages)
    return curve.area(pages) / best if best else None


def pages_to_half(curve: Curve, reachable: int) -> int | None:
    """None when the crawl ended before, or no relevant page can be reached."""
    half = (reachable + 1) // 2
    if not half or curve.found(curve.pages) < half:
        return None
    return bisect_left(curve.counts, half) + 1


def off_topic_share(curve: Curve) -> float | None:
    """0..1; None when nothing was fetched."""
    return 1.0 - curve.found(curve.pages) / curve.pages if curve.pages else None


def checkpoints(pages: int, step: int) -> list[int]:
    """Every `step` pages, and the end."""
    return [*range(step, pages, step), pages]


def oracle_order(links: LinkTable, seeds: Sequence[int], relevant: Iterable[int], pages: int) -> list[int]:
    """The first `pages` pages the oracle fetches from the seeds."""
    distances = links.distances(relevant)
    heap: list[tuple[int, int, int]] = []
    queued: set[int] = set()

    def queue(found: Iterable[int]) -> None:
        for page in found:
            if page not in queued:
                distance = len(links) if distances[page] == NOWHERE else distances[page]
                heappush(heap, (distance, len(queued), page))
                queued.add(page)

    order: list[int] = []
    queue(seeds)
    while heap and len(order) < pages:
        page = heappop(heap)[2]
        order.append(page)
        queue(links[page])
    return order


BEST = 25
BINS = 10


class Assessed(NamedTuple):
    """A content page that was fetched."""

    is_relevant: bool
    relevance: float | None  # 0..1, as the crawl has it; None: the page could not be read
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Bin:
    """The pages whose relevance is from `start` on and below `end`; the last bin has 1 too."""

    start: float
    end: float
    pages: int
    mean_relevance: float | None  # None: no page
    on_topic: float | None  # share of the pages


@dataclass(frozen=True, slots=True)
class Kept:
    """One crawl's. A figure is None when it would be a share of nothing."""

    pages: int  # kept
    precision: float | None
    recall: float | None
    p_at_25: float | None
    calibration_error: float | None


def measure(pages: Sequence[Assessed]) -> Kept:
    """`pages`: in order of fetching, which decides between equal relevances."""
    kept = [page for page in pages if page.is_kept]
    hits = sum(page.is_relevant for page in kept)
    relevant = sum(page.is_relevant for page in pages)
    best = sorted(kept, key=lambda page: -(page.relevance or 0.0))[:BEST]
    return Kept(
        pages=len(kept),
        precision=hits / len(kept) if kept else None,
        recall=hits / relevant if relevant else None,
        p_at_25=sum(page.is_relevant for page in best) / min(BEST, relevant) if relevant else None,
        calibration_error=calibration_error(reliability(pages)),
    )


def reliability(pages: Sequence[Assessed]) -> list[Bin]:
    """The bins of a reliability diagram."""
    parts: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for page in pages:
        if page.relevance is not None:
            parts[min(BINS - 1, int(page.relevance * BINS))].append((page.relevance, page.is_relevant))
    return [
        Bin(
            start=number / BINS,
            end=(number + 1) / BINS,
            pages=len(part),
            mean_relevance=fmean(relevance for relevance, _ in part) if part else None,
            on_topic=fmean(is_relevant for _, is_relevant in part) if part else None,
        )
        for number, part in enumerate(parts)
    ]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """0..1; None without pages."""
    pages = sum(one.pages for one in bins)
    gaps = (
        one.pages * abs(one.mean_relevance - one.on_topic)
        for one in bins
        if one.mean_relevance is not None and one.on_topic is not None
    )
    return sum(gaps) / pages if pages else None


CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rated pages with its interval."""

    yes: int
    of: int
    low: float
    high: float

    @classmethod
    def of_answers(cls, answers: Sequence[bool]) -> Share:
        """Wilson's interval; 0 to 1 for none."""
        if not answers:
            return cls(0, 0, 0.0, 1.0)
        from scipy.stats import binomtest

        interval = binomtest(sum(answers), len(answers)).proportion_ci(CONFIDENCE, "wilson")
        return cls(sum(answers), len(answers), float(interval.low), float(interval.high))

    @property
    def share(self) -> float:
        """0..1; 0 for none."""
        return self.yes / self.of if self.of else 0.0


def cohen_kappa(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """Of two raters' answers about the same pages."""
    if not first:
        return None
    alike = fmean(one == other for one, other in zip(first, second, strict=True))
    p, q = fmean(first), fmean(second)
    by_chance = p * q + (1 - p) * (1 - q)
    return None if by_chance >= 1 else (alike - by_chance) / (1 - by_chance)


def fleiss_kappa(answers: Sequence[Sequence[bool]]) -> float | None:
    """Of the answers of at least two raters about each page, as many about each."""
    if not answers or len(answers[0]) < 2:
        return None
    raters = len(answers[0])
    counts = [(sum(of_page), raters - sum(of_page)) for of_page in answers]
    alike = fmean((yes * yes + no * no - raters) / (raters * (raters - 1)) for yes, no in counts)
    share = sum(yes for yes, _ in counts) / (raters * len(counts))
    by_chance = share * share + (1 - share) * (1 - share)
    return None if by_chance >= 1 else (alike - by_chance) / (1 - by_chance)


def kappa(ratings: Sequence[Mapping[str, bool]]) -> tuple[str, float | None, int]:
    """Whose formula, its value, and of how many pages: those that every rater has rated."""
    if len(ratings) < 2:
        return "", None, 0
    common = sorted(set.intersection(*(set(rating) for rating in ratings)))
    columns = [[rating[url] for url in common] for rating in ratings]
    if len(ratings) == 2:
        return "Cohen", cohen_kappa(*columns), len(common)
    return "Fleiss", fleiss_kappa(list(zip(*columns, strict=True))), len(common)


def majority(ratings: Sequence[Mapping[str, bool]]) -> dict[str, bool]:
    """What most raters say of each page; a page they are divided about is left out."""
    found = {}
    for url in sorted(set().union(*ratings)):
        votes = [rating[url] for rating in ratings if url in rating]
        if 2 * sum(votes) != len(votes):
            found[url] = 2 * sum(votes) > len(votes)
    return found


STEP_PAGES = 250
DIGITS = 6
LABELS = "labels"
KEPT = tuple(one.name for one in fields(Kept))


@dataclass(frozen=True, slots=True)
class Truth:
    """What the crawls of one topic are measured by."""

    source: str  # LABELS | judge
    relevant: frozenset[int]
    content: frozenset[int]  # relevant pages of kind `content`; empty when kinds are not known
    reachable: frozenset[int]  # pages that can be reached from the seeds
    # of the relevant pages: registered domain, or host
    sites: Mapping[int, str] = field(default_factory=dict)
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

    def kept(self, order: Sequence[int], verdicts: Mapping[int, Verdict]) -> tuple[Curve, Curve]:
        """Of the content pages that the crawl keeps, and of those of them on topic."""
        kept = {page for page, verdict in verdicts.items() if verdict.is_kept}
        kept = kept if self.counted is None else kept & self.counted
        is_kept = [page in kept for page in order]
        hits = (one and page in self.relevant for page, one in zip(order, is_kept, strict=True))
        return Curve.of(is_kept), Curve.of(hits)

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
    # content pages fetched; none where nothing says what was kept
    assessed: tuple[tuple[Assessed, ...], ...] = ()
    kept: tuple[tuple[Curve, Curve], ...] = ()  # of each run: content pages kept, and those of them on topic

    @classmethod
    def of(
        cls, truth: Truth, orders: Collection[Sequence[int]], verdicts: Sequence[Mapping[int, Verdict]] = ()
    ) -> Scored:
        """`verdicts`: of each run, what it would keep. The page classifier is not measured by itself."""
        curves, content = (tuple(map(of, orders)) for of in (truth.curve, truth.content_curve))
        by_labels = list(zip(orders, verdicts, strict=False)) if truth.source == LABELS else []
        assessed = tuple(truth.assessed(*one) for one in by_labels)
        kept = tuple(truth.kept(*one) for one in by_labels)
        return cls(curves, content, tuple(map(truth.sites_of, orders)), assessed, kept)


def figures(
    scored: Scored, oracle: Curve, truth: Truth, pages: int, at: Sequence[int] = ()
) -> dict[str, Any]:
    """One strategy's entry in result.json; `at`: counts of pages at which it is measured, by default every STEP_PAGES."""
    at = at or checkpoints(pages, STEP_PAGES)
    runs: dict[str, Any] = {}  # of each figure its values, one a run
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
    """Of each figure, at each number of pages."""
    return {
        str(name): _of_each(values, of) if isinstance(values, dict) else of(values)
        for name, values in runs.items()
    }


def _reliability(runs: Sequence[Sequence[Assessed]]) -> list[dict[str, Any]]:
    """Of the pages of all runs; `pages`: the mean of the runs."""
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
    """None when any is; of counts a count, where it is whole."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    found = round(fmean(known), DIGITS)
    return int(found) if found.is_integer() and all(isinstance(value, int) for value in known) else found


def band(values: Sequence[float | None]) -> list[float] | None:
    """Lower and upper end of the confidence interval of the mean."""
    known = [value for value in values if value is not None]
    if len(known) < max(2, len(values)):
        return None
    from scipy.special import stdtrit

    reach = float(stdtrit(len(known) - 1, (1 + CONFIDENCE) / 2)) * stdev(known) / math.sqrt(len(known))
    return [round(fmean(known) - reach, DIGITS), round(fmean(known) + reach, DIGITS)]
