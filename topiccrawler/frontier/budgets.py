"""How many pages a host, a site and a URL shape may still cost, and the evidence for each site.

What the form of a URL does not betray as a trap is left to budgets, which count unproductive pages in a row.

A page is productive when it is about the topic and new: no recent page of its host had the same text, and its site has not used all
its words before. The page whose link led to it is then productive too, so that hubs are kept for what they lead to. The words of a site
are a table of 2^17 bits (16 KB): after 50 000 words a third of the new ones is mistaken for known. Generated text has a fixed vocabulary,
natural text keeps adding to it (Heaps' law). The table is not kept over a restart: a site then counts as new again.

    FRONTIER_HOST_PAGES, FRONTIER_DOMAIN_PAGES  fetched pages                  the host is closed
    FRONTIER_UNPROVEN_PAGES                     fetched pages of a site that   the host is closed until
                                                nothing vouches for (sites)    something does
    FRONTIER_HOST_UNPRODUCTIVE_PAGES            pages in a row                 the host is closed
    FRONTIER_SHAPE_UNPRODUCTIVE_PAGES           pages in a row of one shape    its URLs are discarded (`shape`)

A closed host keeps its URLs waiting: `scrapy frontier` lists them with the reason, and a job resumed with a larger
budget fetches them. Cost: one look-up a lease and one a page, none a link, so a trap's URLs that are never leased cost nothing; memory: one
record a host fetched from. Each host's record is a note of the frontier, written in the transaction of the page that changed it. In a
shared crawl it goes with the host to its next owner (frontier.hosts); what counts by site counts for a process.

The evidence for each site: which others link to it, which it links to, and how much of its text was new.

A site is a registered domain. Its own pages can say anything about it, so a proof must come from elsewhere:

    supports   branches of the crawl that link to it. The branch of a site is the site on its way that a seed's site links to,
               so that a network of sites found through one of them supports none of them twice.
    outside    sites it links to that were known from elsewhere before, from the third on (a footer has one or two)
    fresh      pages about the topic with words the site had not used before, one proof for each hundred

    proofs = supports + outside counted so + fresh / 100, at least 1

A site with no second support that links to no others is *unproven*: budgets bound its pages. A seed's own site is what the
user wants: it has no bound.

Reference: budgets by in-links from other registered domains: Lee, Leonard, Wang, Loguinov: IRLbot, WWW 2008, §6.
Cost: one look a distinct host a page links to. Kept as notes of the frontier, one a site, while they still change.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import filterfalse
from math import inf
from typing import Any
from zlib import crc32

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Notes, State
from topiccrawler.model import Link, Page
from topiccrawler.urls.canonical import host_of, site_of
from topiccrawler.urls.unwanted import Limits, trap

_DIGITS = re.compile(r"[0-9]+")
_SHAPE_CHARACTERS = 120


def shape(url: str) -> str:
    """The form that a canonical URL shares with similar ones: digits become #, a query counts with its path only.

    /calendar/2031/05?view=week and /calendar/1999/12 are /calendar/#/#? and /calendar/#/#.
    """
    path, mark, _ = url[url.find("/", 8) :].partition("?")
    return _DIGITS.sub("#", path)[:_SHAPE_CHARACTERS] + mark


SITE_NOTE = "site/"  # and the site
MOST_SUPPORTS = 8  # supports and outside sites that are remembered; more change nothing
FOOTER_SITES = 2  # outside sites that prove nothing
FRESH_PAGES = 100  # for one proof


@dataclass(slots=True)
class _Site:
    branch: str  # "" = a seed's own site
    supports: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    fresh: int = 0

    @property
    def linked_outside(self) -> int:
        return max(0, len(self.outside) - FOOTER_SITES)


class Sites:
    """Listens to seeds, links and pages; knows the proofs of each site."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._changed: dict[str, None] = {}
        self._sites = {
            name.removeprefix(SITE_NOTE): _site_of_note(name, text)
            for name, text in notes.all(SITE_NOTE).items()
        }

    def seed(self, hosts: Iterable[str]) -> None:
        """These hosts were named by the user."""
        for site in map(site_of, hosts):
            self._sites[site] = _Site("")
            self._changed[site] = None

    def linked(self, source_host: str, hosts: Iterable[str]) -> None:
        """A page of that host links to these hosts."""
        source = site_of(source_host)
        known = self._sites.get(source) or self._add(source, source)
        for site in {site_of(host): None for host in hosts}:
            if site == source:
                continue
            target = self._sites.get(site)
            support = known.branch or source
            if target is None:
                target = self._add(site, known.branch or site)
                target.supports.append(support)
            elif support != target.branch or not target.supports:
                self._remember(site, target.supports, support)
                if target.branch != known.branch:
                    self._remember(source, known.outside, site)

    def fresh_page(self, host: str) -> None:
        """A page of that host is about the topic and has words its site had not used before."""
        site = site_of(host)
        known = self._sites.get(site) or self._add(site, site)
        known.fresh += 1
        self._changed[site] = None

    def proofs(self, site: str) -> float:
        """From 1 on; inf for a seed's own site."""
        known = self._sites.get(site)
        if known is None:
            return 1.0
        if not known.branch:
            return inf
        return max(1.0, len(known.supports) + known.linked_outside + known.fresh / FRESH_PAGES)

    def is_unproven(self, site: str) -> bool:
        """It only links itself, and no second site links it."""
        known = self._sites.get(site)
        return (
            known is not None and bool(known.branch) and len(known.supports) < 2 and not known.linked_outside
        )

    def keep(self) -> None:
        """Write what changed beside the queue."""
        for site in self._changed:
            one = self._sites[site]
            kept = {
                "branch": one.branch,
                "supports": one.supports,
                "outside": one.outside,
                "fresh": one.fresh,
            }
            self._notes.put(SITE_NOTE + site, json.dumps(kept, ensure_ascii=False))
        self._changed.clear()

    def _add(self, site: str, branch: str) -> _Site:
        self._changed[site] = None
        return self._sites.setdefault(site, _Site(branch))

    def _remember(self, site: str, found: list[str], new: str) -> None:
        if len(found) < MOST_SUPPORTS and new not in found:
            found.append(new)
            self._changed[site] = None


def _site_of_note(name: str, text: str) -> _Site:
    try:
        kept: dict[str, Any] = json.loads(text)
        return _Site(
            str(kept["branch"]),
            [str(one) for one in kept["supports"]],
            [str(one) for one in kept["outside"]],
            int(kept["fresh"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise StateError(name, f"its note is damaged ({error})", "choose another JOBDIR") from error


BITS = 1 << 17


class Vocabulary:
    """The words of one site."""

    __slots__ = ("_bits",)

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def add(self, words: Iterable[str]) -> float:
        """The share of these distinct words that are new, 0..1; they are known from now on. 0 when there are none."""
        bits, new, count = self._bits, 0, 0
        for word in words:
            at = crc32(word.encode("utf-8", "replace")) % BITS
            mask = 1 << (at & 7)
            count += 1
            if not bits[at >> 3] & mask:
                bits[at >> 3] |= mask
                new += 1
        return new / count if count else 0.0


NOTE = "budget/"  # and the host

HOST_PAGES, DOMAIN_PAGES, HOST_UNPRODUCTIVE = "host budget", "domain budget", "no longer useful"
UNPROVEN = "unproven site"
_NEW_WORDS = 0.01  # share of a page's words from which it is new; the shortest runs of natural pages below are in the lab notes
_VOCABULARY_FROM = 20  # pages of a site; smaller ones have no table
_SHAPES = 32  # of one host that are counted; the most productive one is dropped for a new one
_RECENT = 32  # contents of one host that are remembered
_REDIRECTED = "redirected"


@dataclass(frozen=True, slots=True)
class Allowance:
    """Pages; 0 = no bound. The unproductive bounds were chosen here: at one useful page in forty a host is closed by chance
    once in 150 times, and on the frozen webs no strategy loses a useful page by them.
    """

    host_pages: int = 0
    domain_pages: int = 0
    host_unproductive_pages: int = 200
    shape_unproductive_pages: int = 100
    unproven_pages: int = 500
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class _Record:
    pages: int = 0  # fetched
    unproductive: int = 0  # in a row that were not useful
    shapes: dict[str, int] = field(default_factory=dict)  # shape -> unproductive pages in a row
    recent: list[int] = field(default_factory=list)  # contents, oldest first
    under_way: int = 0  # leased now; not kept


class Budgets:
    """Checked before each lease; notified of each page read and of each lease that ended."""

    def __init__(self, frontier: Frontier, allowance: Allowance | None = None) -> None:
        self.frontier = frontier
        self.allowance = allowance or Allowance()
        self.closed: dict[str, str] = {}  # host -> reason
        self.refused: Counter[str] = Counter()  # kind of trap -> URLs discarded in this run
        self._records: dict[str, _Record] = {}
        self.sites = Sites(frontier.notes)
        self._pages: Counter[str] = Counter()  # site -> fetched pages and leases
        self._vocabularies: dict[str, Vocabulary] = {}
        self._leased: dict[str, Link] = {}
        self._read: set[str] = set()  # leased URLs whose page was read
        self._changed: dict[str, None] = {}
        self._load()
        frontier.hosts.records = self

    def trap(self, link: Link, now: float) -> str | None:
        """Why a URL is discarded by its form; None = it may be fetched. A seed is what the user wants."""
        if not link.source_url:
            return None
        found = trap(link.url, link.source_url, self.allowance.limits, now)
        most, record = self.allowance.shape_unproductive_pages, self._records.get(link.host)
        if found is None and record is not None and most > 0:
            kind = shape(link.url)
            if most <= record.shapes.get(kind, 0):
                return f"shape: {kind} is no longer useful"
        return found

    def lease(self, link: Link) -> None:
        """The URL was leased."""
        self._leased[link.url] = link
        self._record(link.host).under_way += 1
        self._pages[site_of(link.host)] += 1

    def seed(self, links: Iterable[Link]) -> None:
        """These URLs were named by the user."""
        self.sites.seed(dict.fromkeys(link.host for link in links))

    def read(self, page: Page, hosts: Iterable[str]) -> None:
        """A fetched page was classified; it links these hosts."""
        link = None if page.via is None else page.via.link
        url, host = page.url, host_of(page.url)
        if link is not None and link.host != host:  # a redirect led there
            if link.source_url:
                self.sites.linked(host_of(link.source_url), [host])
            else:
                self.sites.seed([host])
        self.sites.linked(host, dict.fromkeys(hosts))
        self._reopen_proven()
        if link is not None:
            url, host = link.url, link.host
            self._read.add(url)
        useful = self._is_new(host, page) and page.is_target
        if useful:
            self.sites.fresh_page(host)
        self._count(host, url, useful=useful)
        if useful and link is not None and link.source_url:
            self._count(host_of(link.source_url), link.source_url, useful=True)

    def end(self, url: str, state: State, reason: str, *, fetched: bool) -> None:
        """A lease ended; `fetched`: a response came. A response that is no page counts as unproductive; a failed fetch does not
        count.
        """
        link = self._leased.pop(url, None)
        read = url in self._read
        self._read.discard(url)
        if link is None:
            return
        record = self._record(link.host)
        record.under_way = max(0, record.under_way - 1)
        if fetched or read:
            record.pages += 1
            self._changed[link.host] = None
            if not read and state is State.DISCARDED and reason != _REDIRECTED:
                self._count(link.host, url, useful=False)
        else:
            self._pages[site_of(link.host)] -= 1
        self.keep()

    def close(self, host: str, reason: str) -> None:
        """Close the host: nothing is fetched from it any more in this job."""
        self.closed[host] = reason
        self.frontier.hosts.back_off(host, inf, reason)

    def keep(self) -> None:
        """Write what changed beside the queue; the frontier's next commit makes it durable."""
        for host in self._changed:
            self.frontier.notes.put(NOTE + host, self.dump_record(host))
        self._changed.clear()
        self.sites.keep()

    def dump_record(self, host: str) -> str:
        """The host's record as a text."""
        one = self._records.get(host)
        if one is None:
            return ""
        kept = {"pages": one.pages, "dry": one.unproductive, "shapes": one.shapes, "recent": one.recent}
        return json.dumps(kept, ensure_ascii=False)

    def merge_record(self, host: str, text: str) -> None:
        """Replace the host's record by that of its last owner, unless ours has more pages."""
        try:
            record = _read_record(host, text)
        except StateError:
            return
        own = self._record(host)
        if record.pages < own.pages:
            return
        self._pages[site_of(host)] += record.pages - own.pages
        record.under_way = own.under_way
        self._records[host] = record
        self._changed[host] = None
        if (reason := self.spent(host)) is not None:
            self.close(host, reason)

    def _reopen_proven(self) -> None:
        for host in [one for one, why in self.closed.items() if why == UNPROVEN]:
            if not self.sites.is_unproven(site_of(host)):
                del self.closed[host]
                self.frontier.hosts.reopen(host)

    def spent(self, host: str) -> str | None:
        """Why the host is closed; None = it is open."""
        allowance, record = self.allowance, self._records.get(host)
        if record is not None and 0 < allowance.host_pages <= record.pages + record.under_way:
            return HOST_PAGES
        if record is not None and 0 < allowance.host_unproductive_pages <= record.unproductive:
            return HOST_UNPRODUCTIVE
        site = site_of(host)
        pages = self._pages[site]
        if 0 < allowance.domain_pages <= pages:
            return DOMAIN_PAGES
        if 0 < allowance.unproven_pages <= pages and self.sites.is_unproven(site):
            return UNPROVEN
        return None

    def _count(self, host: str, url: str, *, useful: bool) -> None:
        record = self._records.get(host) if useful else self._record(host)
        if record is None:
            return
        kind = shape(url)
        if useful:
            record.unproductive = 0
            record.shapes.pop(kind, None)
        else:
            record.unproductive += 1
            record.shapes[kind] = record.shapes.get(kind, 0) + 1
            if len(record.shapes) > _SHAPES:
                del record.shapes[min(record.shapes, key=record.shapes.__getitem__)]
        self._changed[host] = None

    def _is_new(self, host: str, page: Page) -> bool:
        """True when no recent page of its host had this text, and some of its words are new to the site. Numbers are
        ignored: a calendar has new ones daily."""
        words = list(filterfalse(str.isdigit, page.terms))
        site = site_of(host)
        if self._pages[site] > _VOCABULARY_FROM:
            vocabulary = self._vocabularies.get(site) or self._vocabularies.setdefault(site, Vocabulary())
            if vocabulary.add(words) < _NEW_WORDS:
                return False
        text = " ".join(words)  # each once, where it stands first
        content = int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=6).digest(), "big")
        recent = self._record(host).recent
        if text and content in recent:
            return False
        recent.append(content)
        del recent[:-_RECENT]
        return True

    def _record(self, host: str) -> _Record:
        return self._records.setdefault(host, _Record())

    def _load(self) -> None:
        for name, text in self.frontier.notes.all(NOTE).items():
            host = name.removeprefix(NOTE)
            record = self._records[host] = _read_record(host, text)
            self._pages[site_of(host)] += record.pages
        for host in self._records:
            if (reason := self.spent(host)) is not None:
                self.close(host, reason)


def _read_record(host: str, text: str) -> _Record:
    try:
        kept: Mapping[str, Any] = json.loads(text)
        return _Record(
            pages=int(kept["pages"]),
            unproductive=int(kept["dry"]),
            shapes={str(kind): int(unproductive) for kind, unproductive in kept["shapes"].items()},
            recent=[int(content) for content in kept["recent"]],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        fault = f"its note is damaged ({error})"
        raise StateError(f"budget of host {host!r}", fault, "choose another JOBDIR") from error
