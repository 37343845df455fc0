"""What keeps links and pages out: the link gate, what the user has blocked, and what the job's arguments or a site's rule restrict.

The link gate. The conflict: most of a queue is never fetched, but a crawl that only follows good links never finds what lies behind a poor
one; and what was right when a link was queued may be wrong by now. So the gate keeps out only what the link model holds hopeless (its
threshold keeps 98 % of relevant links that the model had not seen), looks again before a link is fetched, by what is known
*then*, and now and then lets a poor link through as a tunnel step, the same ones each time the crawl is run.

Blocks are URLs by pattern, and whole sites. A pattern matches a whole URL; `*` matches any characters, all else itself. Without a `*`
it means the URLs that begin with it. A site is a host with all its subdomains. They are a note of the queue, so they outlive a restart.

Restrictions are kinds of documents and a first day. What a site's rule names counts for it in place of the arguments. The date of a page is
the one it states (pages.metadata), else the Last-Modified header's; a page without any is kept.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.4, step 5; MySpider thesis (2009) §4.2.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from email.utils import parsedate_to_datetime

from topiccrawler.crawling.sharing import Exchange
from topiccrawler.crawling.site_listings import LISTING
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.model import Link
from topiccrawler.pages.site_rules import rule_of
from topiccrawler.strategies.base import LinkScorer
from topiccrawler.text.weights import logistic_of
from topiccrawler.topics.topic import SiteRule
from topiccrawler.urls.canonical import canonical, host_of

logger = logging.getLogger(__name__)

NOTE = "blocks"
LONGEST = 2000  # characters


@dataclass(frozen=True, slots=True)
class Block:
    """Exactly one of the two is set. ArgumentError for none, both, or what would match everything."""

    pattern: str = ""
    site: str = ""

    def __post_init__(self) -> None:
        if bool(self.pattern) == bool(self.site) or len(self.text) > LONGEST:
            raise ArgumentError(
                "block", "needs a URL pattern or a site", "block 'http://host/path/*' or block --site HOST"
            )
        if self.pattern and not self.pattern.strip("*"):
            raise ArgumentError(f"block {self.pattern}", "matches everything", "use stop to end the crawl")
        if self.site and (set(self.site) & set("/:*? ") or self.site != self.site.lower()):
            raise ArgumentError(
                f"block --site {self.site}", "is no host", "write it as news.example.com, in small letters"
            )

    @property
    def text(self) -> str:
        """As the user typed it."""
        return self.pattern or self.site

    @property
    def reason(self) -> str:
        """For the URLs that it drops."""
        return f"blocked: {self.text}"

    def matches(self, url: str) -> bool:
        """Whether a URL is blocked; O(length), whatever the pattern."""
        if self.site:
            host = host_of(url).partition(":")[0]
            return host == self.site or host.endswith(f".{self.site}")
        first, *rest = self.pattern.split("*")
        if not url.startswith(first):
            return False
        if not rest:
            return True
        place, last = len(first), rest.pop()
        for part in rest:
            found = url.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return len(url) - place >= len(last) and url.endswith(last)


def block_of(pattern: str, site: str = "") -> Block:
    """What a user means: a pattern that is a host is a site. ArgumentError for one that no URL matches."""
    if site or not pattern or "*" in pattern or pattern.startswith("http"):
        return Block(pattern, site)
    host = host_of(canonical(f"http://{pattern}") or "")
    if "." in host and host == pattern.lower().rstrip("/"):
        return Block(site=host)
    raise ArgumentError(f"block {pattern}", "matches no URL", "begin it with http:// or https://, or with *")


class Blocks:
    """The blocks of one crawl; with an `exchange` a block of one process counts for all."""

    def __init__(self, notes: Notes, exchange: Exchange | None = None) -> None:
        self._notes, self._exchange = notes, exchange
        self._received = 0  # announcements
        try:
            kept = json.loads(notes.get(NOTE) or "[]")
            self._blocks = [Block(**block) for block in kept]
        except (ValueError, TypeError, ArgumentError) as error:
            raise StateError("the job's blocks", f"are damaged ({error})", "choose another JOBDIR") from None

    def add(self, block: Block) -> None:
        """Block from now on, in all processes."""
        if self._keep(block) and self._exchange is not None:
            self._exchange.announce(json.dumps({NOTE: asdict(block)}, ensure_ascii=False))

    def any(self) -> bool:
        """Something is blocked."""
        self._receive()
        return bool(self._blocks)

    def reason(self, url: str) -> str | None:
        """Why a URL is blocked; None when it is not."""
        self._receive()
        return next((block.reason for block in self._blocks if block.matches(url)), None)

    def _keep(self, block: Block) -> bool:
        """False when it is known."""
        if block in self._blocks:
            return False
        self._blocks.append(block)
        self._notes.put(NOTE, json.dumps([asdict(one) for one in self._blocks], ensure_ascii=False))
        return True

    def _receive(self) -> None:
        """Add the blocks that other processes announced."""
        if self._exchange is None or self._received == len(self._exchange.announced):
            return
        new = self._exchange.announced[self._received :]
        self._received += len(new)
        for text in new:
            try:
                block = Block(**json.loads(text)[NOTE])
            except (ValueError, TypeError, KeyError, ArgumentError) as error:
                logger.warning("A block announced by another process is damaged (%s): skipped", error)
                continue
            if self._keep(block):
                logger.info("Block announced by another process: %s", block.text)


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


REFUSED = "below link threshold"
OPEN = "the gate stands open"
SEED = "a seed"
OF_SITE = "a listing of a site with relevant pages"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule says of one link (crawling.admission)."""

    passed: bool
    tunnel: int = 0  # tunnel steps in a row, this one included, when the gate lets it through
    probability: float | None = None  # P(+|link); None when the gate is open and did not score the link
    reason: str = ""  # why
    postpones: bool = False  # a refused URL keeps waiting, its host is passed over


@dataclass(slots=True)
class LinkGate:
    """Refuses links whose probability lies under the threshold.

    `threshold`: 0..1, 0 = open; a running crawl may change it. `tunnel_probability`: 0..1, share of poor links that get a second chance.
    `tunnel_depth`: how many second chances in a row a path may use.
    A URL's hash decides about its second chance, so that a run repeats. Source: SkyReach §2.3.4, MySpider §2.4.
    """

    scorer: LinkScorer | None = None
    threshold: float = 0.0
    tunnel_probability: float = 0.0
    tunnel_depth: int = 0

    def decide(self, link: Link, tunnel: int = 0) -> Decision:
        """Of one link. `tunnel`: consecutive tunnel steps that led to its page."""
        return self.decided([link], tunnel)[0]

    def decided(self, links: Sequence[Link], tunnel: int = 0) -> list[Decision]:
        """Of links of one page; the scorer is asked once for all of them."""
        if self.threshold <= 0.0 or self.scorer is None:
            return [_EXEMPT.get(_exempt(link), _OPEN) for link in links]
        judged = [link for link in links if not _exempt(link)]
        probabilities = iter(logistic_of(self.scorer.log_odds(judged)) if judged else ())
        return [
            _EXEMPT[why] if (why := _exempt(link)) else self._decided(link, next(probabilities), tunnel)
            for link in links
        ]

    def passing(self, links: Sequence[Link], tunnel: int = 0) -> Sequence[Link]:
        """Those that pass."""
        decided = self.decided(links, tunnel)
        return [link for link, verdict in zip(links, decided, strict=True) if verdict.passed]

    def _decided(self, link: Link, probability: float, tunnel: int) -> Decision:
        if probability >= self.threshold:
            return Decision(True, 0, probability, f"at or above the threshold {self.threshold:g}")
        if tunnel < self.tunnel_depth and _share(link.url) < self.tunnel_probability:
            return Decision(True, tunnel + 1, probability, f"second chance, tunnel step {tunnel + 1}")
        return Decision(False, 0, probability, REFUSED)


_OPEN = Decision(True, reason=OPEN)
_EXEMPT = {OF_SITE: Decision(True, reason=OF_SITE), SEED: Decision(True, reason=SEED)}


def _exempt(link: Link) -> str:
    """Why the gate does not look at a link; empty when it does."""
    return OF_SITE if link.kind == LISTING else "" if link.source_url else SEED


def _share(url: str) -> float:
    """A number in 0..1 that depends on the URL alone."""
    return (
        int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        / 2**64
    )
