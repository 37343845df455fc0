"""Counts the pages that a crawl fetches and keeps.

`HarvestCounter` counts for reports: pages fetched, relevant and kept, the formats, and the harvest rate of all pages and of the latest.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from topiccrawler.crawling.link_gate import Decision
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
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
