"""Ranks the pages of a job that are to be fetched again, by relevance and by the time since their last fetch.

Formula    value = relevance * days since the last fetch
Reads      the crawl log (one pass), the checks; O(pages of the job) once per run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from topiccrawler.model import Visit
from topiccrawler.store.page_checks import Check

MOST_MISSES = 2  # consecutive responses 404 or 410 after which a page is gone and not fetched again
DAY = 86_400.0


@dataclass(slots=True)
class Due:
    """A page that was fetched before and is to be checked again, and what the check has found so far."""

    check: Check
    relevance: float  # 0..1
    digest: str = ""

    def value(self, now: float) -> float:
        """See the formula in the module docstring."""
        return self.relevance * max(0.0, now - self.check.looked) / DAY


def known_pages(visits: Iterable[Visit], checks: Iterable[Check]) -> list[Due]:
    """The pages of a job that are kept, or that led to a kept page."""
    later = {check.url: check for check in checks}
    # Only the fields needed of a visit, since the log of a long job has many.
    pages: dict[str, tuple[Check, float]] = {}
    wanted: set[str] = set()
    for visit in visits:
        if visit.is_page:
            pages[visit.url] = later.get(visit.url) or first_check(visit), visit.relevance
            if visit.stored:
                wanted |= {visit.url, visit.source_url}
    return [Due(*known) for url, known in pages.items() if url in wanted]


def first_check(visit: Visit) -> Check:
    """The record of a page after its first fetch, by the entry in the crawl log."""
    return Check(visit.url, visit.time, visit.etag, visit.modified)


def ranked(pages: Iterable[Due], now: float) -> list[Due]:
    """The pages that are not gone, the most valuable first."""
    left = (page for page in pages if page.check.misses < MOST_MISSES)
    return sorted(left, key=lambda page: (-page.value(now), page.check.url))


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
        misses=0,
        gone=0.0,
    )
