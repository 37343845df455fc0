"""The evidence for each site: which others link to it, which it links to, and how much of its text was new.

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
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.urls.canonical import site_of

NOTE = "site/"  # and the site
MOST = 8  # supports and outside sites that are remembered; more change nothing
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
        self._sites = {name.removeprefix(NOTE): _read(name, text) for name, text in notes.all(NOTE).items()}

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
            self._notes.put(NOTE + site, json.dumps(kept, ensure_ascii=False))
        self._changed.clear()

    def _add(self, site: str, branch: str) -> _Site:
        self._changed[site] = None
        return self._sites.setdefault(site, _Site(branch))

    def _remember(self, site: str, found: list[str], new: str) -> None:
        if len(found) < MOST and new not in found:
            found.append(new)
            self._changed[site] = None


def _read(name: str, text: str) -> _Site:
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
