"""Defines the records that modules exchange: links, pages, scores and visits; immutable and without behaviour.

All data between page reading, link scoring and storage is in these records. Link and Score are made two hundred times a page, and a named
tuple is made six times as fast as a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

LISTING = "listing"  # Link.kind of a feed or sitemap that was found as such (crawling.site_listings)


class Link(NamedTuple):
    """One link with its context on the page. Files of labelled links use the same field names."""

    url: str  # canonical, http or https
    host: str  # lower case, with the port when it is not the default one
    anchor: str = ""  # visible text; the title attribute or image alt when there is none
    before: str = ""  # context on the left, made by one of links.extract's context makers
    after: str = ""  # context on the right
    title: str = ""  # the title attribute
    heading: str = ""  # nearest heading above
    region: str = ""  # navigation | header | body | aside | footer
    path: str = ""  # class of the DOM path, for example "div.list>ul>li"
    kind: str = ""  # down | up | level | cross | out | frame | LISTING
    position: int = 0  # 0-based among the links of its page
    depth: int = 0  # link steps from the seeds
    source_url: str = ""  # the page that has the link; empty for a seed
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was fetched and read."""

    url: str
    depth: int = 0
    title: str = ""
    terms: Mapping[str, float] = field(default_factory=dict)  # word -> count in title and main text
    similarity: float = 0.0  # 0..1, to the topic and its surroundings (pages.read); strategies use it
    is_target: bool = False  # at least as likely on topic as not
    seconds: float = 0.0  # download time
    via: Via | None = None  # the link it was reached by; None for the virtual root
    # a page of one text, not of links (relevance.detail); False unless the strategy needs it
    is_detail: bool = False
    # canonical URLs of the feeds that it declares, or of the sitemaps that an index names
    listings: Sequence[str] = ()
    relevance: float = 0.0  # 0..1: the probability that the page is on topic, by its own words


@dataclass(frozen=True, slots=True)
class Via:
    """The queue row that led to a page: its link, the score at fetch, the strategy's carry value and the number of tunnel steps."""

    link: Link
    score: float = 0.0
    carry: float = 0.0
    tunnel: int = 0


class Score(NamedTuple):
    """The priority of a URL, given by a strategy. A larger value is fetched sooner. Values are finite, and comparable within one strategy
    only."""

    url: str
    value: float
    carry: float = 0.0  # the strategy gets it back as page.via.carry
    shares: bytes = b""  # the parts of the value (strategies.base); empty = one part, the whole


@dataclass(frozen=True, slots=True)
class Visit:
    """The result of fetching one URL. The crawl log is a list of these."""

    url: str
    status: int  # HTTP status; 0 when there was no response
    score: float  # at fetch
    relevance: float  # 0..1
    stored: bool
    time: float  # seconds since the epoch
    source_url: str = ""  # the page whose link led here; empty for a seed
    anchor: str = ""  # that link's text
    shares: Sequence[tuple[str, float]] = ()  # the parts of the score, by name
    gate: str = ""  # the link gate's decision
    etag: str = ""  # this and `modified`: headers of the response, for a conditional request later
    modified: str = ""
    # why the response is no page: "challenge: NAME", "login wall", "soft 404" (pages.challenge_signs)
    challenge: str = ""

    @property
    def is_page(self) -> bool:
        """Whether a page was fetched."""
        return 200 <= self.status < 300 and not self.challenge
