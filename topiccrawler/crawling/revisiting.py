"""Ranks the pages of a job that are to be fetched again, by the probability that they have changed and by the value of a change.

Formula    value = relevance * P(changed) + P(leads to a new page)      a page that is not kept has the second term only
           P(changed) = 1 - exp(-rate * days)             days since the last check
           rate = (changes + A) / (observed + A / site)   per day; Gamma posterior: changes seen in the days observed
           site = the same formula over the pages of the site, with the job's rate as prior; the job's rate has FIRST_RATE as prior
           P(leads to a new page) = 1 - exp(-draw * days)
           draw ~ Gamma(found + 1, observed + 1 / (source * children / mean children)), new pages per day
           source = (sum of found + A) / (sum of observed + A / FIRST_RATE) over the job's sources
Symbols    changes, observed, found: store.page_checks.Check; children: kept pages that were first found through the page
Reads      the crawl log (one pass), checks.sqlite; O(pages of the job) once per run.
But:       two changes between two checks are seen as one, so that high rates are estimated too low (Cho & Garcia-Molina correct that for
           even intervals; here they are uneven, and only the order matters). A Last-Modified header counts as days without a change.
Reference  Cho & Garcia-Molina, Effective page refresh policies for Web crawlers, TODS 2003 (Poisson changes); the draw is Thompson
           sampling: a source of which little is known is tried now and then.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from topiccrawler.model import Visit
from topiccrawler.pages.metadata import http_time
from topiccrawler.store.page_checks import Check
from topiccrawler.urls.canonical import host_of, site_of

A = 0.5  # weight of the prior, in changes
# prior of the job's rate, in changes per day; an assumption, which matters in the first revisit of a job only
FIRST_RATE = 1 / 30
MOST_MISSES = 2  # consecutive responses 404 or 410 after which a page is gone and not fetched again
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Known:
    """A page that was fetched before."""

    check: Check
    relevance: float  # 0..1
    is_kept: bool
    children: int  # number of kept pages first found through it


@dataclass(slots=True)
class Due:
    """A page that is to be checked again, and what the check has found so far."""

    check: Check
    value: float  # see the formula in the module docstring
    digest: str = ""


def known_pages(visits: Iterable[Visit], checks: Iterable[Check]) -> list[Known]:
    """The pages of a job that are kept, or that led to a kept page."""
    later = {check.url: check for check in checks}
    # Only the fields needed of a visit, since the log of a long job has many.
    pages: dict[str, tuple[Check, float, bool]] = {}
    children: Counter[str] = Counter()
    for visit in visits:
        if visit.is_page:
            pages[visit.url] = later.get(visit.url) or first_check(visit), visit.relevance, visit.stored
            if visit.stored:
                children[visit.source_url] += 1
    return [
        Known(check, relevance, is_kept, children[url])
        for url, (check, relevance, is_kept) in pages.items()
        if is_kept or children[url]
    ]


def first_check(visit: Visit) -> Check:
    """The record of a page after its first fetch, by the entry in the crawl log."""
    seconds = _seconds_since(visit.modified, visit.time)
    return Check(visit.url, visit.time, visit.etag, visit.modified, days=seconds / DAY)


def ranked(pages: Iterable[Known], now: float, random: Random) -> list[tuple[float, Known]]:
    """The pages that are not gone, with their values, the most valuable first."""
    alive = [page for page in pages if page.check.misses < MOST_MISSES]
    rates, of_child = _rates(alive), _new_pages_a_child(alive)
    valued = [(_value(page, rates[page.check.url], of_child, now, random), page) for page in alive]
    return sorted(valued, key=lambda found: (-found[0], found[1].check.url))


def looked(check: Check, now: float, *, digest: str, etag: str = "", modified: str = "") -> Check:
    """The record of a page after a check whose response was a page."""
    has_changed = bool(check.digest) and digest != check.digest
    return _after(check, now, has_changed, digest=digest, etag=etag, modified=modified)


def looked_unchanged(check: Check, now: float, etag: str = "", modified: str = "") -> Check:
    """The record of a page after a response 304, which may have a new ETag or Last-Modified header."""
    return _after(
        check, now, False, digest=check.digest, etag=etag or check.etag, modified=modified or check.modified
    )


def missed(check: Check, now: float) -> Check:
    """The record of a page after a response 404 or 410."""
    return replace(check, looked=now, misses=check.misses + 1, gone=check.gone or now)


def _after(check: Check, now: float, has_changed: bool, *, digest: str, etag: str, modified: str) -> Check:
    return replace(
        check,
        looked=now,
        etag=etag,
        modified=modified,
        digest=digest,
        looks=check.looks + 1,
        changes=check.changes + has_changed,
        days=check.days + max(0.0, now - check.looked) / DAY,
        misses=0,
        gone=0.0,
    )


def _rates(pages: Iterable[Known]) -> dict[str, float]:
    """The estimated rate of each page, in changes per day, by URL."""
    sites: dict[str, list[Check]] = defaultdict(list)
    for page in pages:
        sites[site_of(host_of(page.check.url))].append(page.check)
    job = _posterior([check for checks in sites.values() for check in checks], FIRST_RATE)
    return {
        check.url: _posterior([check], of_site)
        for checks in sites.values()
        for of_site in [_posterior(checks, job)]
        for check in checks
    }


def _posterior(checks: Iterable[Check], prior: float) -> float:
    checks = list(checks)
    changes, days = sum(check.changes for check in checks), sum(check.days for check in checks)
    return (changes + A) / (days + A / prior)


def _new_pages_a_child(pages: Iterable[Known]) -> float:
    """The number of new pages per day to which a source leads, for each page to which it led before."""
    sources = [page for page in pages if page.children]
    found, days = sum(page.check.found for page in sources), sum(page.check.days for page in sources)
    mean_children = sum(page.children for page in sources) / max(1, len(sources))
    return (found + A) / (days + A / FIRST_RATE) / max(1.0, mean_children)


def _value(page: Known, rate: float, of_child: float, now: float, random: Random) -> float:
    check = page.check
    days = max(0.0, now - check.looked) / DAY
    value = page.relevance * -math.expm1(-rate * days) if page.is_kept else 0.0
    if page.children:
        draw = random.gammavariate(check.found + 1, 1 / (check.days + 1 / (of_child * page.children)))
        value -= math.expm1(-draw * days)
    return value


def _seconds_since(modified: str, now: float) -> float:
    date = http_time(modified)
    return 0.0 if date is None else max(0.0, now - date)
