"""Which URLs are traps by their form alone.

A broken relative link, a filter menu or a calendar offers endless URLs, but long paths and many parameters are common on the
Chinese web. So the form decides only far outside of what ordinary sites use; doubtful URLs are left to budgets.

    path depth         more than `path_segments` segments
    repeated segments  one segment more than `segment_repeats` times in a path: /news/news/news/news/a.html
    query facets       more than `query_parameters` parameters, or one name more than `segment_repeats` times
    calendar           a date more than `calendar_years` years ahead or before 1970, linked by a page of such a date:
                       one such page alone may be a blogger's way to stay on top, a chain of them is a calendar
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

_DATE = re.compile(
    r"(?<![0-9])(?P<year>[12][0-9]{3})(?:[-/._]|%2[DF])(?:0?[1-9]|1[0-2])(?![0-9])"
    r"|[?&](?:y|year|yyyy|nian)=(?P<named>[12][0-9]{3})(?![0-9])"
)
_FIRST_YEAR = 1970
_YEAR_SECONDS = 31_556_952.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What is still ordinary; 0 switches a rule off. The numbers were chosen here, on the frozen webs: no page
    of theirs is refused.
    """

    path_segments: int = 16
    segment_repeats: int = 3
    query_parameters: int = 12
    calendar_years: int = 2


def trap(url: str, source_url: str, limits: Limits, now: float) -> str | None:
    """Why a canonical URL, linked by a page, counts as a trap; None when it looks ordinary. `now`: seconds since
    the epoch."""
    address, _, query = url.partition("?")
    segments = [segment for segment in address.split("/")[3:] if segment]
    if 0 < limits.path_segments < len(segments):
        return f"path depth: {len(segments)} segments"
    repeated = _most(segments)
    if 0 < limits.segment_repeats < repeated[1]:
        return f"repeated segments: {repeated[0]} {repeated[1]} times"
    if query:
        names = [part.partition("=")[0] for part in query.split("&")]
        if 0 < limits.query_parameters < len(names):
            return f"query facets: {len(names)} parameters"
        repeated = _most(names)
        if 0 < limits.segment_repeats < repeated[1]:
            return f"query facets: {repeated[0]} {repeated[1]} times"
    if limits.calendar_years > 0:
        last = _FIRST_YEAR + int(now / _YEAR_SECONDS) + limits.calendar_years
        year = _strange_year(url, last)
        if year is not None and _strange_year(source_url, last) is not None:
            return f"calendar: the year {year}"
    return None


def _strange_year(url: str, last: int) -> int | None:
    for date in _DATE.finditer(url, max(url.find("/", 8), 0)):
        year = int(date["year"] or date["named"])
        if not _FIRST_YEAR <= year <= last:
            return year
    return None


def _most(texts: list[str]) -> tuple[str, int]:
    """The text that occurs most often; the first among equals."""
    return max(Counter(texts).items(), key=lambda pair: pair[1], default=("", 0))
