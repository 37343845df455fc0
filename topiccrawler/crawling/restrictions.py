"""Which pages a user does not want: other kinds of documents, and older ones; by the job's arguments and by site.

What a site's rule names counts for it in place of the arguments. The date of a page is the one it tells (pages.date), else the Last-Modified
header's; a page without any is kept.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.4, step 5; MySpider thesis (2009) §4.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from email.utils import parsedate_to_datetime

from topiccrawler.pages.site_rules import rule_of
from topiccrawler.topics.topic import SiteRule


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
        told = None if since is None else _day(published) or _day_of_header(last_modified)
        return since is not None and told is not None and told < since


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
    except ValueError:
        return None
