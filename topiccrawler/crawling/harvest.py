"""Counts the pages that a crawl fetches and keeps, and estimates how many relevant pages are still in the queue.

`HarvestCounter` counts for reports: pages fetched, relevant and kept, the formats, and the harvest rate of all pages and of the latest.

`Estimator` estimates how many relevant pages the crawl can still find. A score orders URLs, but it is no probability, its scale differs by
strategy, and it drifts while the strategy learns. So it is calibrated by the latest fetches of this crawl: the share of fetches with a
similar score whose page was kept. Later fetches count more (the weight halves with every 150 fetches), since waiting URLs resemble those
fetched last. The rate may only rise with the score (isotonic regression), and a few invented fetches at the lowest score keep it
from 0 and 1. The sum over waiting URLs is estimated from a random sample of the queue, so the cost does not grow with the queue. Pages that
are not linked yet are not included.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topiccrawler.crawling.link_gate import Decision
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import FrontierView, Notes
from topiccrawler.messages import Message
from topiccrawler.model import Visit
from topiccrawler.pages.kinds import ARTICLE, KINDS
from topiccrawler.topics.topic import SiteRule

JUDGED_SINCE_NOTE = "judged_since"  # note with the time since when pages are judged for the present topic


def judged_since(notes: Notes) -> float:
    """The time since when pages of the job are judged for its present topic, in seconds since the epoch; 0 = from the beginning."""
    try:
        return float(notes.get(JUDGED_SINCE_NOTE) or 0.0)
    except ValueError:
        return 0.0


def of_topic(visits: Iterable[Visit], notes: Notes) -> Iterator[Visit]:
    """The visits since the crawl has its present topic; damaged entries are skipped."""
    since = judged_since(notes)
    return (visit for visit in visits if _is_whole(visit) and visit.time >= since)


def _is_whole(visit: Visit) -> bool:
    """Whether the fields of a visit have the right types: a crawl log that was edited by hand may hold others.

    Relevances out of range are clipped elsewhere (relevance.base).
    """
    return isinstance(visit.url, str) and all(
        isinstance(one, int | float) for one in (visit.time, visit.relevance)
    )


def begin_anew(notes: Notes, now: float) -> None:
    """Record that the topic has changed now, so that earlier pages are no evidence for the new topic, also in a resumed job."""
    notes.put(JUDGED_SINCE_NOTE, repr(now))


def own_domains(sites: Mapping[str, SiteRule]) -> list[str]:
    """The hosts to which the rules of sites confine the crawl; empty = any host."""
    return sorted({place.partition("/")[0].partition(":")[0] for place, rule in sites.items() if rule.only})


RECENT_PAGES = 200


class HarvestCounter:
    """Counts the pages of a whole job; a note in the frontier holds the counts for a resumed job.

    `begun_with`: pages of earlier runs. `formats`, `kinds`: pages kept, by format and by kind. `copies`: copies of other pages, kept without their text.
    """

    NOTE = "harvest"

    def __init__(self, note: str | None = None) -> None:
        try:
            kept = json.loads(note) if note else {}
            self.pages, self.relevant, self.kept, self.copies = (
                int(kept.get(name, 0)) for name in ("pages", "relevant", "kept", "copies")
            )
            self.formats, self.kinds = (Counter[str](kept.get(name, {})) for name in ("formats", "kinds"))
        except (ValueError, TypeError, AttributeError) as error:
            raise StateError(
                "the job's page counts", f"are damaged ({error})", "choose another JOBDIR"
            ) from None
        self.begun_with = self.pages
        self._recent: deque[bool] = deque(maxlen=RECENT_PAGES)

    def add(
        self,
        *,
        kept: bool,
        relevant: bool = False,
        format: str = "",  # noqa: A002
        kind: str = "",
        copy: bool = False,
    ) -> None:
        """Count one page that was fetched and read; `format`, `kind` and `copy` apply to kept pages."""
        self.pages += 1
        self.relevant += relevant
        self.kept += kept
        self.copies += copy
        if kept and format:
            self.formats[format] += 1
        if kept and kind:
            self.kinds[kind] += 1
        self._recent.append(kept)

    def correct(self, kept: int, copies: int, kinds: Mapping[str, int], formats: Mapping[str, int]) -> None:
        """Add what judging stored pages again has changed, negative where fewer are kept."""
        self.kept, self.copies = max(0, self.kept + kept), max(0, self.copies + copies)
        self.relevant = max(0, self.relevant + kept)
        self.kinds = +Counter({name: self.kinds[name] + kinds.get(name, 0) for name in {*self.kinds, *kinds}})
        of_format = {name: self.formats[name] + formats.get(name, 0) for name in {*self.formats, *formats}}
        self.formats = +Counter(of_format)

    @property
    def articles(self) -> int:
        """The number of articles among the kept pages."""
        return self.kinds[ARTICLE]

    def by_kind(self) -> str:
        """The kept pages by kind, for a person: `80 articles, 30 lists, 10 stubs`; empty when none has a kind."""
        return ", ".join(f"{self.kinds[kind]} {kind}s" for kind in KINDS) if self.kinds else ""

    @property
    def harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, over the whole job."""
        return self.kept / self.pages if self.pages else 0.0

    @property
    def recent_pages(self) -> int:
        """The number of pages in `recent_harvest_rate`: the last pages of this run, 200 at most."""
        return len(self._recent)

    @property
    def recent_harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, over the last `recent_pages` pages."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def note(self) -> str:
        """The counts as JSON, from which a resumed job continues."""
        counts = {
            name: getattr(self, name) for name in ("pages", "relevant", "kept", "copies", "formats", "kinds")
        }
        return json.dumps(counts)


@dataclass(slots=True)
class GateCounts:
    """Counts the requests of links about which the link gate was asked in this run, before they were downloaded."""

    asked: int = 0
    scored: int = 0  # requests whose link was scored
    refused: int = 0  # requests that were not downloaded
    tunnels: int = 0  # requests admitted as tunnel steps
    probabilities: float = 0.0  # sum over the scored requests

    @property
    def mean_probability(self) -> float | None:
        """The mean probability of the scored requests, 0..1; None if none was scored."""
        return self.probabilities / self.scored if self.scored else None

    def add(self, decision: Decision) -> None:
        """Count the decision on one request."""
        self.asked += 1
        self.tunnels += bool(decision.tunnel)
        self.refused += not decision.passed
        if decision.probability is not None:
            self.scored += 1
            self.probabilities += decision.probability


NEXT = 100  # number of future fetches for which `Estimate.promise` is estimated
LEAST = 100  # number of fetches before the first estimate
LATEST = 1000  # number of latest fetches used for calibration
HALF_LIFE, PROMISE_HALF_LIFE = 150, 50  # fetches
_INVENTED, _INVENTED_RATE = (
    5.0,
    0.03,
)  # number of invented fetches at the lowest score, and their share of kept pages
_SAMPLE = 2000  # waiting URLs
_FEWEST = 10  # least number of URLs of the sample that represent the next fetches
_EVERY = 20  # fetches between two estimates

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """`relevant`: expected number of waiting URLs whose pages would be kept. `promise`: expected share of kept pages, 0..1, among the next
    `NEXT` fetches."""

    relevant: float
    promise: float


class Estimator:
    """Estimates what one crawl can still find. `view`: a view of the queue. `visits`: visits of earlier runs, the latest last."""

    def __init__(self, view: FrontierView, visits: Iterable[Visit] = ()) -> None:
        self._view = view
        self._latest = deque(((visit.score, visit.stored) for visit in visits), maxlen=LATEST)
        self._ended = 0
        self._made: tuple[int, Estimate | None] = (-_EVERY, None)

    def ended(self, score: float, *, kept: bool) -> None:
        """Record the end of a fetch, and the score with which its URL was leased. O(1)."""
        self._latest.append((score, kept))
        self._ended += 1

    def forget(self) -> None:
        """Discard all recorded fetches, because the topic has changed."""
        self._latest.clear()
        self._made = (self._ended - _EVERY, None)

    def estimate(self, *, anew: bool = False) -> Estimate | None:
        """The current estimate, at most 20 fetches old, or computed now with `anew`; None while there are too few fetches."""
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
    """Isotonic regression of kept pages on the score. Returns the steps: their lowest scores, ascending, and their rates (0..1)."""
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
    """The estimate as a line for the end of a crawl's output; no line without an estimate."""
    if estimate is not None:
        yield Message(
            "about {count} of the URLs that wait are probably relevant; the next {pages} pages promise {share}",
            count=f"{estimate.relevant:.0f}",
            pages=NEXT,
            share=f"{estimate.promise:.0%}",
        )
