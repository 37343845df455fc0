"""Which pages a crawl keeps: the relevance of a page, compared with the page threshold; and counts of them.

Live crawls and comparisons both call `verdict_of`, so that a comparison measures what a crawl keeps.

Strategies are not notified of what is kept: they know the relevance of each page, not the page threshold, which a running crawl may be given anew.

Counted for reports: pages fetched, relevant and kept, of which formats, and the harvest rate, of all pages and of the latest.

Restrictions are formats of documents and a first day. A site's rule replaces the arguments for that site. The date of a page is
the one it states (pages.metadata), else the Last-Modified header's; a page without a date is kept.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from topiccrawler.crawling.assemble import Parts
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
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
