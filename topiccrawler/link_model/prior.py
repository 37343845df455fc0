"""The prior of a link, before its words: from the success rate of its site and host, and from the page it stands on.

Idea: a page of a site that gave relevant pages recently is likely relevant, whatever the link says; a portal is one site with
    many channels, so its hosts have counts of their own, smoothed towards their site's. And relevant pages link to relevant
    pages more often than others do; how much more often is learned in the crawl.
Formula: prior(link) = s + g
    s       =  logit q(host) - logit p;  q(host) = (r_h + m * q(site)) / (n_h + m);  q(site) = (r_s + m * p) / (n_s + m)
    g       =  logit (r_c + k * p) / (n_c + k) - logit p, c = the class of the page it stands on: relevant or not
    n, r    -> pages read of the host or site, or reached from pages of the class, and how many of them were relevant; those
        before a page decay with each further one (sites by KEEP, classes by KEEP_CLASS), so an unproductive site is soon left
    p       -> the relevant share of all pages, decayed by FADE, .1 to begin with;  m, k -> SMOOTHING, SMOOTHING_CLASS
    logit q = ln q / (1 - q), q kept within .001 of 0 and 1
Reads: addresses of links and of the pages they stand on; which pages were relevant.
Cost: some look-ups a link. Memory: at most MOST sites, hosts and relevant pages; the longest ago are forgotten first.
But: site and page are not independent; that both count whole gave the best crawls (docs/lab/learning.md).
Reference: ours; `adaptive` has the same features in columns (strategies.adaptive.url_features).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from topiccrawler.model import Link
from topiccrawler.urls.canonical import registered_domain

KEEP = 0.9
KEEP_CLASS = 0.99
FADE = 0.999
SMOOTHING = 0.5
SMOOTHING_CLASS = 4.0
MOST = 20_000
_LEAST = 1e-3

Share = tuple[float, float]  # pages, relevant ones
_NONE: Share = (0.0, 0.0)


class LinkPrior:
    """Counts of the pages read. Deterministic."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._all: Share = (1.0, 0.1)
        self._classes: list[Share] = [_NONE, _NONE]  # reached from pages that were not relevant, that were
        # the one met last at the end
        self._sites: dict[str, Share] = {}
        self._hosts: dict[str, Share] = {}
        self._relevant: dict[str, None] = {}  # addresses of relevant pages

    def count(self, link: Link, relevant: bool, page_url: str) -> None:
        """The page behind a link was read; `page_url` is its final address."""
        self._all = _more(self._all, relevant, FADE, own=FADE)
        self._keep(self._sites, registered_domain(link.url), relevant)
        self._keep(self._hosts, link.host, relevant)
        if link.source_url:
            place = self._class(link)
            self._classes[place] = _more(self._classes[place], relevant, KEEP_CLASS)
        if relevant:
            self._relevant.pop(page_url, None)
            self._relevant[page_url] = None
            _bound(self._relevant, self._most)

    def log_odds(self, link: Link) -> float:
        """What is added to the log-odds of a link; 0 before anything is known."""
        return sum(self.parts(link))

    def parts(self, link: Link) -> tuple[float, float]:
        """The same in parts: of its site and host, of the page it stands on."""
        overall = self._all[1] / self._all[0]
        site = overall
        for counts, name in ((self._sites, registered_domain(link.url)), (self._hosts, link.host)):
            site = _smoothed(counts.get(name, _NONE), site, SMOOTHING)
        page = overall
        if link.source_url:
            page = _smoothed(self._classes[self._class(link)], overall, SMOOTHING_CLASS)
        return _logit(site) - _logit(overall), _logit(page) - _logit(overall)

    def save(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "all": list(self._all),
            "classes": [list(share) for share in self._classes],
            "sites": {name: list(share) for name, share in self._sites.items()},
            "hosts": {name: list(share) for name, share in self._hosts.items()},
            "relevant": list(self._relevant),
        }

    @classmethod
    def load(cls, state: Mapping[str, Any], most: int = MOST) -> LinkPrior:
        """What `save` kept. ValueError when it is damaged."""
        prior = cls(most)
        prior._all = _share(state["all"])
        if not prior._all[0]:
            raise ValueError("a count of pages is 0 where there were some")
        unlike, alike = map(_share, state["classes"])
        prior._classes = [unlike, alike]
        prior._sites, prior._hosts = (
            {str(name): _share(share) for name, share in state[kind].items()} for kind in ("sites", "hosts")
        )
        prior._relevant = dict.fromkeys(map(str, state["relevant"]))
        return prior

    def _class(self, link: Link) -> int:
        return int(link.source_url in self._relevant)

    def _keep(self, counts: dict[str, Share], name: str, relevant: bool) -> None:
        counts[name] = _more(counts.pop(name, _NONE), relevant, KEEP)
        _bound(counts, self._most)


def _more(share: Share, relevant: bool, keep: float, *, own: float = 1.0) -> Share:
    """One page more, counting `own`; those before it decay by `keep`."""
    return keep * share[0] + own, keep * share[1] + own * relevant


def _smoothed(share: Share, prior: float, strength: float) -> float:
    return (share[1] + strength * prior) / (share[0] + strength)


def _bound(names: dict[str, Any], most: int) -> None:
    if len(names) > most:
        del names[next(iter(names))]


def _share(pair: Any) -> Share:
    pages, relevant = (float(number) for number in pair)
    if not (0 <= pages < math.inf and 0 <= relevant <= pages * (1 + 1e-9)):
        raise ValueError("a count of pages is no number, or smaller than that of its relevant ones")
    return pages, relevant


def _logit(probability: float) -> float:
    kept = min(max(probability, _LEAST), 1.0 - _LEAST)
    return math.log(kept / (1.0 - kept))
