"""The plain values by which one crawl runs: all that is neither a part of it, nor a file, nor another process."""

from __future__ import annotations

from dataclasses import dataclass, field

from topiccrawler.crawling.page_filter import Restrictions
from topiccrawler.model import Link
from topiccrawler.pages.robots_tags import AGENT

DEFAULT_OPINIONS = 500


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """The limits at which a crawl ends, for all its processes together; None = no limit."""

    pages: int | None = None  # pages fetched
    targets: int | None = None  # articles kept
    # 0..1; ends when the expected share of kept pages among the next ones is below it
    until: float | None = None
    opinions: int = DEFAULT_OPINIONS  # pages about which a second opinion is asked, in the whole job


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """How a crawl runs, when it begins. A running crawl may change its limits and its restrictions."""

    seeds: tuple[Link, ...] = ()
    limits: CrawlLimits = CrawlLimits()
    # the topic's own rules for its sites are added
    restrictions: Restrictions = field(default_factory=Restrictions)
    agent: str = AGENT  # see crawling.page_filter.PageFilter, as the next one
    obeys_tags: bool = True
    links_kept: bool = False  # the links of each page are stored in the job's files
    durable: bool = False  # the queue outlives the process


DEFAULTS = CrawlOptions()
