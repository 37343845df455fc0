"""What a crawl harvests: which pages it keeps, counts of them, and how many relevant ones probably wait.

A page is kept by its relevance, compared with the page threshold. Live crawls and comparisons both call `verdict_of`, so that a
comparison measures what a crawl keeps. Strategies are not notified of what is kept: they know the relevance of each page, not the page
threshold, which a running crawl may be given anew.

Restrictions are formats of documents and a first day. A site's rule replaces the arguments for that site. The date of a page is
the one it states (pages.metadata), else the Last-Modified header's; a page without a date is kept.

Counted for reports: pages fetched, relevant and kept, of which formats, and the harvest rate, of all pages and of the latest.

What a crawl has still to gain is estimated. A score orders URLs, but it is no probability, its scale differs by strategy, and it drifts
while the strategy learns. So it is calibrated by this crawl's own latest fetches: of those with a score like this one, how many gave a
page that was kept. The later a fetch, the more it counts (half as much for each 150 before it), since what waits resembles what was
fetched last. The rate may only rise with the score (isotonic regression), and at the lowest score a few invented fetches keep it from 0
and 1. The sum over what waits is taken over a random sample of the queue, so the cost does not grow with it. Pages that are not linked
yet are not in it. docs/long-crawls.md compares both figures with what came (benchmarks/enough.py).
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topiccrawler.crawling.assemble import Parts
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import FrontierView, Notes
from topiccrawler.model import Page, Visit
from topiccrawler.pages.read import PageWords
from topiccrawler.pages.site_rules import rule_of
from topiccrawler.relevance.base import similarity_of
from topiccrawler.topics.topic import SiteRule

NOTE = "linking_pages"  # its name in jobs of all versions: since when pages were judged for the present topic


def visit_similarity(visit: Visit, threshold: float, probability_since: float | None) -> float:
    """The similarity of a page that was fetched, as the crawl log has it; `threshold`: of similarity."""
    if probability_since is None or visit.time < probability_since:
        return visit.relevance
    return similarity_of(visit.relevance, threshold)


def judged_since(notes: Notes) -> float:
    """When the job's first page was judged for its present topic, in seconds since the epoch."""
    try:
        return float(notes.get(NOTE) or 0.0)
    except ValueError:
        return 0.0


def of_topic(visits: Iterable[Visit], notes: Notes) -> Iterator[Visit]:
    """Those since the crawl has its present topic."""
    since = judged_since(notes)
    return (visit for visit in visits if _is_whole(visit) and visit.time >= since)


def _is_whole(visit: Visit) -> bool:
    """A line of a log that somebody wrote into may be JSON of other types; relevances out of range are cut (relevance.base)."""
    return isinstance(visit.url, str) and all(
        isinstance(one, int | float) for one in (visit.time, visit.relevance)
    )


def begin_anew(notes: Notes, now: float) -> None:
    """The topic has changed: what was read before says nothing of it, to a job that goes on later either."""
    notes.put(NOTE, repr(now))


@dataclass(frozen=True, slots=True)
class Restrictions:
    """`formats`: none = all."""

    formats: frozenset[str] = frozenset()
    since: date | None = None
    sites: Mapping[str, SiteRule] = field(default_factory=dict)

    def reads(self, url: str, form: str) -> bool:
        """Whether a document of that format is read."""
        rule = rule_of(url, self.sites)
        formats = rule.formats if rule is not None and rule.formats else self.formats
        return not formats or form in formats

    def is_old(self, url: str, published: str, last_modified: str = "") -> bool:
        """Whether a page is older than wanted; `published`: YYYY-MM-DD or empty, `last_modified`: the header."""
        rule = rule_of(url, self.sites)
        since = rule.since if rule is not None and rule.since else self.since
        published_on = None if since is None else _day(published) or _day_of_header(last_modified)
        return since is not None and published_on is not None and published_on < since


def own_domains(sites: Mapping[str, SiteRule]) -> list[str]:
    """The hosts of the sites that the crawl is to stay on; none = anywhere."""
    return sorted({place.partition("/")[0].partition(":")[0] for place, rule in sites.items() if rule.only})


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _day_of_header(text: str) -> date | None:
    try:
        return parsedate_to_datetime(text).date()
    except (ValueError, OverflowError):  # OverflowError: a year or a time zone of twenty digits
        return None


class Verdict(NamedTuple):
    """Of one page."""

    relevance: float  # 0..1, by the topic as it was taught
    is_kept: bool


def verdict_of(page: Page, words: PageWords | None, parts: Parts, threshold: float) -> Verdict:
    """`words`: of the page; None = it was read by the topic as it was taught. `threshold`: 0..1."""
    classifier = parts.page_classifier
    if words is None or parts.strategy_classifier is classifier:
        relevance = page.relevance
    else:
        relevance = classifier.relevance(words)
    return Verdict(relevance, relevance >= threshold)


RECENT_PAGES = 200


class HarvestCounter:
    """Counts pages over a whole job; its note in the frontier lets a resumed job count on.

    `begun_with`: pages of earlier runs. `formats`: pages kept, by format; `copies`: those kept without text.
    """

    NOTE = "harvest"

    def __init__(self, note: str | None = None) -> None:
        try:
            kept = json.loads(note) if note else {}
            self.pages, self.relevant, self.kept, self.copies = (
                int(kept.get(name, 0)) for name in ("pages", "relevant", "kept", "copies")
            )
            self.formats: Counter[str] = Counter(kept.get("formats", {}))
        except (ValueError, TypeError, AttributeError) as error:
            raise StateError(
                "the job's page counts", f"are damaged ({error})", "choose another JOBDIR"
            ) from None
        self.begun_with = self.pages
        self._recent: deque[bool] = deque(maxlen=RECENT_PAGES)

    def add(self, *, kept: bool, relevant: bool = False, format: str = "", copy: bool = False) -> None:  # noqa: A002
        """Count one page that was fetched and read; `format` and `copy` of one that was kept."""
        self.pages += 1
        self.relevant += relevant
        self.kept += kept
        self.copies += copy
        if kept and format:
            self.formats[format] += 1
        self._recent.append(kept)

    @property
    def harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, over the whole job."""
        return self.kept / self.pages if self.pages else 0.0

    @property
    def recent_pages(self) -> int:
        """How many pages `recent_harvest_rate` is of: the last of this run, 200 at most."""
        return len(self._recent)

    @property
    def recent_harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, of these."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def note(self) -> str:
        """What a resumed job needs to count on."""
        counts = {name: getattr(self, name) for name in ("pages", "relevant", "kept", "copies", "formats")}
        return json.dumps(counts)


NEXT = 100  # fetches that a promise is about
LEAST = 100  # fetches before which nothing is said
LATEST = 1000  # fetches that count
HALF_LIFE, PROMISE_HALF_LIFE = 150, 50  # fetches
_INVENTED, _INVENTED_RATE = 5.0, 0.03  # fetches at the lowest score
_SAMPLE = 2000  # URLs that wait
_FEWEST = 10  # of the sample stand for the next fetches
_EVERY = 20  # fetches between two estimates

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`relevant`: URLs that wait and would be kept. `promise`: 0..1, of the next `NEXT` fetches the share that will be kept."""

    relevant: float
    promise: float


class Estimator:
    """Of one crawl. `view`: of its queue. `visits`: of its earlier runs, the latest last."""

    def __init__(self, view: FrontierView, visits: Iterable[Visit] = ()) -> None:
        self._view = view
        self._latest = deque(((visit.score, visit.stored) for visit in visits), maxlen=LATEST)
        self._ended = 0
        self._made: tuple[int, Estimate | None] = (-_EVERY, None)

    def ended(self, score: float, *, kept: bool) -> None:
        """A fetch of a URL leased with this score ended. O(1)."""
        self._latest.append((score, kept))
        self._ended += 1

    def forget(self) -> None:
        """The topic has changed: what was kept before says nothing of it."""
        self._latest.clear()
        self._made = (self._ended - _EVERY, None)

    def estimate(self, *, anew: bool = False) -> Estimate | None:
        """The latest, at most 20 fetches old unless it is made `anew`; None while too little is known."""
        if anew or self._made[1] is None or self._ended - self._made[0] >= _EVERY:
            self._made = (self._ended, self._make())
        return self._made[1]

    def _make(self) -> Estimate | None:
        if len(self._latest) < LEAST:
            return None
        waiting = self._view.waiting()
        scores = np.asarray(self._view.sample(_SAMPLE) if waiting else [], dtype=np.float64)
        history = np.array(self._latest, dtype=np.float64)
        age = np.arange(len(history))[::-1]
        latest = float(np.average(history[:, 1], weights=0.5 ** (age / PROMISE_HALF_LIFE)))
        if not scores.size:
            return None if waiting else Estimate(0.0, latest)
        lowest, rates = calibration(history[:, 0], history[:, 1], 0.5 ** (age / HALF_LIFE))
        likely = rates[np.maximum(0, np.searchsorted(lowest, scores, side="right") - 1)]
        first = max(_FEWEST, round(NEXT * scores.size / max(waiting, scores.size)))
        best = likely[np.argsort(-scores, kind="stable")[:first]]
        return Estimate(float(likely.mean()) * waiting, (float(best.mean()) + latest) / 2)


def calibration(scores: Floats, kept: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Isotonic regression of what was kept on the score: ascending lowest scores of steps, and the rate (0..1) of each."""
    lowest, which = np.unique(scores, return_inverse=True)
    hits, fetches = (np.bincount(which, of_each) for of_each in (kept * weights, weights))
    hits[0] += _INVENTED * _INVENTED_RATE
    fetches[0] += _INVENTED
    steps: list[list[float]] = []  # lowest score, kept, fetches
    for step in zip(lowest.tolist(), hits.tolist(), fetches.tolist(), strict=True):
        steps.append([*step])
        while len(steps) > 1 and steps[-2][1] * steps[-1][2] >= steps[-1][1] * steps[-2][2]:
            last = steps.pop()
            steps[-1][1] += last[1]
            steps[-1][2] += last[2]
    found = np.array(steps)
    return found[:, 0], found[:, 1] / found[:, 2]


def words_of(estimate: Estimate | None) -> Iterator[str]:
    """For the last lines of a crawl: one line, or none."""
    if estimate is not None:
        yield (
            f"about {estimate.relevant:.0f} of the URLs that wait are probably relevant; "
            f"the next {NEXT} pages promise {estimate.promise:.0%}"
        )
