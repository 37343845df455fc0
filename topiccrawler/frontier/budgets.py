"""Bounds how many pages a host, a site and a URL shape may cost, and collects the evidence for each site.

`Budgets` count unproductive pages in a row. They catch the traps that the form of a URL does not betray.

A page is productive when it is about the topic and new: no recent page of its host had the same text, and its site has not used all
its words before. The page that links to it is then productive too, so that hubs are kept for the pages they lead to. `Vocabulary` holds
the words of a site in a table of 2^17 bits (16 KB): after 50 000 words a third of the new ones is mistaken for known. Generated text has a
fixed vocabulary, natural text keeps adding to it (Heaps' law). The table is not stored, so after a restart all words are new again.

    FRONTIER_HOST_PAGES, FRONTIER_DOMAIN_PAGES  fetched pages                  the host is closed
    FRONTIER_UNPROVEN_PAGES                     fetched pages of a site that   the host is closed until
                                                no evidence proves (`Sites`)   the site is proven
    FRONTIER_HOST_UNPRODUCTIVE_PAGES            pages in a row                 the host is closed
    FRONTIER_SHAPE_UNPRODUCTIVE_PAGES           pages in a row of one shape    its URLs are discarded (`shape`)

A closed host keeps its URLs waiting: `scrapy frontier` lists them with the reason, and a job resumed with a larger
budget fetches them. Cost: one look-up a lease and one a page, none a link, so URLs of a trap that are never leased cost nothing. Memory:
one record for each host fetched from. The record of a host is a note of the frontier, written in the transaction of the page that changed
it. In a shared crawl it goes with the host to its next owner (frontier.hosts); counts by site are those of one process.

`Sites` collects the evidence for each site: which others link to it, which it links to, and how much of its text was new.

A site is a registered domain. Its own pages can say anything about it, so a proof must come from elsewhere:

    supports   branches of the crawl that link to it. The branch of a site is the first site after a seed's site on the path to it,
               so that a network of sites found through one of them supports each of them at most once.
    outside    sites it links to that were known from elsewhere before, from the third on (a footer has one or two)
    fresh      pages about the topic with words that are new for the site, one proof for each hundred

    proofs = supports + outside (from the third on) + fresh / 100, at least 1

A site with no second support that links to no others is *unproven*: a budget bounds its pages. The sites of seeds are what the
user wants: they have no bound.

Reference: budgets by in-links from other registered domains: Lee, Leonard, Wang, Loguinov: IRLbot, WWW 2008, §6.
Cost: one look-up for each distinct host that a page links to. Stored as notes of the frontier, one a site, written when it has changed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import filterfalse
from math import inf
from typing import Any, Self
from zlib import crc32

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Notes, State
from topiccrawler.model import Link, Page
from topiccrawler.urls.canonical import host_of, site_of
from topiccrawler.urls.unwanted import Limits, trap

_DIGITS = re.compile(r"[0-9]+")
_SHAPE_CHARACTERS = 120


def shape(url: str) -> str:
    """The pattern that a canonical URL shares with similar ones: the path with each run of digits as #; of a query only the ?.

    /calendar/2031/05?view=week and /calendar/1999/12 become /calendar/#/#? and /calendar/#/#.
    """
    path, mark, _ = url[url.find("/", 8) :].partition("?")
    return _DIGITS.sub("#", path)[:_SHAPE_CHARACTERS] + mark


SITE_NOTE = "site/"  # followed by the site: the name of its note
MOST_SUPPORTS = 8  # supports, and outside sites, that are remembered; further ones do not count
FOOTER_SITES = 2  # outside sites that prove nothing
FRESH_PAGES = 100  # pages for one proof


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
    """The evidence for each site; notified of seeds, links and new pages."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._changed: dict[str, None] = {}
        self._sites = {
            name.removeprefix(SITE_NOTE): _site_of_note(name, text)
            for name, text in notes.all(SITE_NOTE).items()
        }

    def seed(self, hosts: Iterable[str]) -> None:
        """Record that the user named these hosts as seeds."""
        for site in map(site_of, hosts):
            self._sites[site] = _Site("")
            self._changed[site] = None

    def linked(self, source_host: str, hosts: Iterable[str]) -> None:
        """Record that a page of `source_host` links to these hosts."""
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
        """Record a page of the host that is about the topic and has words that are new for its site."""
        site = site_of(host)
        known = self._sites.get(site) or self._add(site, site)
        known.fresh += 1
        self._changed[site] = None

    def proofs(self, site: str) -> float:
        """The proofs of a site, 1 or more; inf for the site of a seed."""
        known = self._sites.get(site)
        if known is None:
            return 1.0
        if not known.branch:
            return inf
        return max(1.0, len(known.supports) + known.linked_outside + known.fresh / FRESH_PAGES)

    def is_unproven(self, site: str) -> bool:
        """True when the site links to fewer than three outside sites and no second branch of the crawl supports it."""
        known = self._sites.get(site)
        return (
            known is not None and bool(known.branch) and len(known.supports) < 2 and not known.linked_outside
        )

    def keep(self) -> None:
        """Write the changed sites as notes of the frontier."""
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
    """The set of words of one site, as a hash table of bits."""

    __slots__ = ("_bits",)

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def add(self, words: Iterable[str]) -> float:
        """Add these distinct words. Returns the share of them that are new, 0..1; 0 without words."""
        bits, new, count = self._bits, 0, 0
        for word in words:
            at = crc32(word.encode("utf-8", "replace")) % BITS
            mask = 1 << (at & 7)
            count += 1
            if not bits[at >> 3] & mask:
                bits[at >> 3] |= mask
                new += 1
        return new / count if count else 0.0


BUDGET_NOTE = "budget/"  # followed by the host: the name of its note

HOST_PAGES, DOMAIN_PAGES, HOST_UNPRODUCTIVE = "host budget", "domain budget", "no longer useful"
UNPROVEN = "unproven site"
_NEW_WORDS = 0.01  # least share of words that are new for the site; natural pages below it: see the lab notes
_VOCABULARY_FROM = 20  # pages of a site; smaller sites have no table of words
_SHAPES = 32  # shapes of one host that are counted; the one with the fewest unproductive pages is dropped for a new one
_RECENT = 32  # page contents of one host that are remembered
_REDIRECTED = "redirected"


@dataclass(frozen=True, slots=True)
class Allowance:
    """The budgets in pages; 0 = no bound. The defaults for unproductive pages: a host with one useful page in forty is closed by
    chance once in 150 times, and on the frozen webs no strategy loses a useful page by them.
    """

    host_pages: int = 0
    domain_pages: int = 0
    host_unproductive_pages: int = 200
    shape_unproductive_pages: int = 100
    unproven_pages: int = 500
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def of(cls, setting: Callable[[str], int]) -> Self:
        """The bounds by the settings, which are named after the fields: FRONTIER_HOST_PAGES. `setting`: returns the value of one."""
        names = [one.name for one in fields(cls) if one.name != "limits"]
        return cls(**{name: setting(f"FRONTIER_{name.upper()}") for name in names})  # type: ignore[arg-type]


@dataclass(slots=True)
class _Record:
    pages: int = 0  # pages fetched
    unproductive: int = 0  # unproductive pages in a row
    shapes: dict[str, int] = field(default_factory=dict)  # shape -> unproductive pages in a row
    recent: list[int] = field(default_factory=list)  # hashes of page contents, oldest first
    under_way: int = 0  # URLs leased now; not stored


class Budgets:
    """The page counts of hosts and sites: checked before each lease; notified of each page read and each lease that ended."""

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
        """Why the form of a URL makes it a trap; None = it may be fetched. A seed is never a trap: the user wants it."""
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
        """Count a URL that was leased."""
        self._leased[link.url] = link
        self._record(link.host).under_way += 1
        self._pages[site_of(link.host)] += 1

    def seed(self, links: Iterable[Link]) -> None:
        """Record the URLs that the user named as seeds."""
        self.sites.seed(dict.fromkeys(link.host for link in links))

    def read(self, page: Page, hosts: Iterable[str]) -> None:
        """Count a page that was fetched and classified, and that links to these hosts."""
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
        """Count a lease that ended; `fetched`: a response came. A response that is no page counts as unproductive, a failed fetch
        does not count.
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
            self._reopen_unspent(link.host)
        self.keep()

    def fetched_hosts(self) -> Iterable[str]:
        """The hosts of which a page was fetched."""
        return (host for host, record in self._records.items() if record.pages)

    def close(self, host: str, reason: str) -> None:
        """Close the host: no URL of it is fetched in this job, unless the host is reopened."""
        self.closed[host] = reason
        self.frontier.hosts.back_off(host, inf, reason)

    def keep(self) -> None:
        """Write the changed records as notes; the next commit of the frontier makes them durable."""
        for host in self._changed:
            self.frontier.notes.put(BUDGET_NOTE + host, self.dump_record(host))
        self._changed.clear()
        self.sites.keep()

    def dump_record(self, host: str) -> str:
        """The record of a host as JSON; empty if there is none."""
        one = self._records.get(host)
        if one is None:
            return ""
        kept = {"pages": one.pages, "dry": one.unproductive, "shapes": one.shapes, "recent": one.recent}
        return json.dumps(kept, ensure_ascii=False)

    def merge_record(self, host: str, text: str) -> None:
        """Replace the record of a host by that of its last owner, unless that one has fewer pages. A damaged text is ignored."""
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

    def _reopen_unspent(self, host: str) -> None:
        """Reopen the hosts that a URL of this host had closed, which was not fetched."""
        site, allowance = site_of(host), self.allowance
        hosts = [host]
        if self._pages[site] + 1 in (allowance.domain_pages, allowance.unproven_pages):
            hosts = [one for one in self.closed if site_of(one) == site]
        for one in hosts:
            if one in self.closed and self.spent(one) is None:
                del self.closed[one]
                self.frontier.hosts.reopen(one)

    def spent(self, host: str) -> str | None:
        """Which budget of the host or its site is spent; None = the host may be fetched from."""
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
            if kind not in record.shapes and len(record.shapes) >= _SHAPES:
                del record.shapes[min(record.shapes, key=record.shapes.__getitem__)]
            record.shapes[kind] = record.shapes.get(kind, 0) + 1
        self._changed[host] = None

    def _is_new(self, host: str, page: Page) -> bool:
        """True when no recent page of the host had this text, and some of its words are new for the site. Numbers are
        ignored: each page of a calendar has new ones."""
        words = list(filterfalse(str.isdigit, page.terms))
        site = site_of(host)
        if self._pages[site] > _VOCABULARY_FROM:
            vocabulary = self._vocabularies.get(site) or self._vocabularies.setdefault(site, Vocabulary())
            if vocabulary.add(words) < _NEW_WORDS:
                return False
        text = " ".join(words)  # each word once, in the order of first occurrence
        content = crc32(text.encode("utf-8", "replace"))
        recent = self._record(host).recent
        if text and content in recent:
            return False
        recent.append(content)
        del recent[:-_RECENT]
        return True

    def _record(self, host: str) -> _Record:
        return self._records.setdefault(host, _Record())

    def _load(self) -> None:
        for name, text in self.frontier.notes.all(BUDGET_NOTE).items():
            host = name.removeprefix(BUDGET_NOTE)
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
