"""Reads what a page asks of crawlers: `<meta name="robots">`, a meta of the crawler's own name, and the HTTP header X-Robots-Tag.

All tags that address this crawler count together, and the most restrictive wins, as at Google: `all` for one crawler takes back no
`noindex` for all. A header names a crawler before its rules (`X-Robots-Tag: otherbot: noindex, nofollow`); the name counts to the next one
in the same header line. Chinese sites also separate rules by full-width signs, or by blanks alone.
Reference: developers.google.com/search/docs/crawling-indexing/robots-meta-tag; MDN, X-Robots-Tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from unicodedata import normalize

from topiccrawler.pages.document import Document
from topiccrawler.patterns import lazy_pattern

AGENT = "topiccrawler"  # the name that metas and headers address, unless USER_AGENT has another
NO_INDEX, NO_FOLLOW, NONE, EXPIRED = "noindex", "nofollow", "none", "unavailable_after"
HEADER = "X-Robots-Tag"
_ALL = frozenset({"", "*", "robots"})
_VALUED = frozenset({EXPIRED, "max-snippet", "max-image-preview", "max-video-preview"})
_NAME = re.compile(r"[a-z0-9_*-]{1,60}", re.ASCII)
_SEPARATOR = lazy_pattern(r"[,;、]")
_WEEKDAY = lazy_pattern(r"\s*[a-z]{3,9}\.?\s*", re.IGNORECASE)
LONGEST = 1_000  # characters of a tag that are read
MOST_TAGS = 50


@dataclass(frozen=True, slots=True)
class RobotsTags:
    """The rules of a page for this crawler: the source of each tag (`meta robots`, `X-Robots-Tag` …) with its rules in lower case."""

    tags: Sequence[tuple[str, frozenset[str]]] = ()
    obeyed: bool = True  # else no_index and no_follow are empty

    def source_of(self, *rules: str) -> str:
        """The source of the first tag with one of these rules; empty when no tag has one."""
        return next((source for source, found in self.tags if not found.isdisjoint(rules)), "")

    @property
    def no_index(self) -> str:
        """The rule by which the page asks not to be kept, with its source, as `noindex (meta robots)`; empty when it does not."""
        return self._first(NO_INDEX, NONE, EXPIRED)

    @property
    def no_follow(self) -> str:
        """The rule by which the page asks that its links are not followed, with its source; empty when it does not."""
        return self._first(NO_FOLLOW, NONE)

    def _first(self, *rules: str) -> str:
        found = ((rule, self.source_of(rule)) for rule in rules if self.obeyed)
        return next((f"{rule} ({source})" for rule, source in found if source), "")


NO_TAGS = RobotsTags()


def robots_tags(
    document: Document, headers: Iterable[str] = (), agent: str = AGENT, now: datetime | None = None
) -> RobotsTags:
    """The tags of a page. `headers`: the values of all its headers X-Robots-Tag. `agent`: the product token of the crawler in lower case.
    `now`: when `unavailable_after` is compared; by default the present time."""
    texts = [(HEADER, text) for text in headers]
    for name in dict.fromkeys(("robots", agent)):
        texts += [(f"meta {name}", content) for content in document.contents_of(name)]
    found = [(source, rules) for source, text in texts[:MOST_TAGS] if (rules := _rules(text, agent, now))]
    return RobotsTags(tuple(found)) if found else NO_TAGS


def _rules(text: str, agent: str, now: datetime | None) -> frozenset[str]:
    """The rules of one tag that address the agent; `unavailable_after` only once its day has passed."""
    found, named = set[str](), ""
    parts = iter(_SEPARATOR.split(normalize("NFKC", text[:LONGEST])))
    for part in parts:
        name, rest = _named(part)
        while name and name not in _VALUED:
            named = name
            name, rest = _named(rest)
        if named not in _ALL and named != agent:
            continue
        if name == EXPIRED:
            if _has_passed(_date(rest, parts), now):
                found.add(EXPIRED)
        elif not name:
            found.update(rest.lower().split())
    return frozenset(found)


def _named(part: str) -> tuple[str, str]:
    """The name before a colon in lower case, and the text behind it; "" and the text itself when it has none."""
    name, colon, rest = part.partition(":")
    name = name.strip().lower()
    return (name, rest) if colon and _NAME.fullmatch(name) else ("", part)


def _date(text: str, following: Iterator[str]) -> str:
    """The date of a rule; that of an HTTP date goes on behind the comma after the day of the week."""
    return next(following, "") if _WEEKDAY.fullmatch(text) else text


def _has_passed(text: str, now: datetime | None) -> bool:
    """Whether a time in the form of RFC 822, RFC 850 or ISO 8601 has passed; false for any other text. A time without a zone is in UTC."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(
            ValueError, TypeError, OverflowError
        ):  # the last: at the end of the calendar, in another zone
            moment = read(text.strip())
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) <= (now or datetime.now(UTC))
    return False
