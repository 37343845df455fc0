"""Queues feeds and sitemaps of sites with relevant pages, because one request returns hundreds of page titles.

`SiteListings` queues the listings of a host once, after `after` relevant pages of it: those that the host declares (feeds that the page
names, Sitemap lines of robots.txt), else well-known paths. They are queued like any link, with the score of the page that completed the
count; the URLs that they list are links like any other. The sitemaps that an index names are queued with the score of the index.

Only the Sitemap lines of robots.txt are held in memory: the count of each host is a note of the frontier, written in the transaction of
the page that changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from topiccrawler.frontier.base import Notes
from topiccrawler.model import LISTING, Link, Page, Score
from topiccrawler.urls.canonical import host_of, site_of

AFTER = 2  # relevant pages of a host before its listings are queued
MOST_REQUESTS = 3  # for each host, besides
MOST_CHILDREN = 100  # sitemaps of a host that indexes name
WELL_KNOWN = ("/search.xml", "/atom.xml", "/sitemap.xml")  # those with headlines first
LISTINGS_NOTE = "listings/"  # followed by the host
MOST_HOSTS = 100_000  # hosts whose Sitemap lines are held until they are used
_ASKED = "asked"
_CHILDREN = "/children"


def is_listing(page: Page) -> bool:
    """Whether the page was fetched as a listing of its site."""
    return page.via is not None and page.via.link.kind == LISTING


class SiteListings:
    """Is notified of every page that was read, and returns the listings of its site to queue.

    `after`: the number of relevant pages of a host before its listings are queued. `sitemaps`: returns the sitemaps that the robots.txt
    of a site (http://host) names; None = those passed to `declare`. `held`: whether a recorded web has a URL; None = any URL may be queued.
    """

    def __init__(
        self,
        notes: Notes,
        after: int = AFTER,
        sitemaps: Callable[[str], Sequence[str]] | None = None,
        held: Callable[[str], bool] | None = None,
    ) -> None:
        self.notes, self.after = notes, after
        self.queued_sites = 0  # number of hosts whose listings were queued in this run
        self.read = 0  # number of listings read in this run
        self._declared: dict[str, Sequence[str]] = {}
        self._sitemaps, self._held = sitemaps, held

    def declare(self, host: str, urls: Sequence[str]) -> None:
        """Hold the sitemaps that the robots.txt of a host names."""
        if urls and len(self._declared) < MOST_HOSTS:
            self._declared[host] = urls

    def of(self, page: Page) -> list[tuple[Link, Score]]:
        """The listings to queue after this page, with their scores; mostly none."""
        if is_listing(page):
            self.read += 1
            return self._children(page)
        if not page.is_target:
            return []
        host = host_of(page.url)
        known = self.notes.get(LISTINGS_NOTE + host) or "0"
        if not known.isdecimal():  # the listings were queued before, or the note is damaged
            return []
        relevant = int(known) + 1
        if relevant < self.after:
            self.notes.put(LISTINGS_NOTE + host, str(relevant))
            return []
        self.notes.put(LISTINGS_NOTE + host, _ASKED)
        self.queued_sites += 1
        return self._listings(page, host)

    def _listings(self, page: Page, host: str) -> list[tuple[Link, Score]]:
        scheme, authority, *_ = urlsplit(page.url)
        root = f"{scheme}://{authority}"
        of_robots = self._sitemaps(root) if self._sitemaps else self._declared.pop(host, ())
        declared = dict.fromkeys(url for url in (*page.listings, *of_robots) if host_of(url) == host)
        return self._queued(page, list(declared or (root + path for path in WELL_KNOWN))[:MOST_REQUESTS])

    def _children(self, page: Page) -> list[tuple[Link, Score]]:
        """The sitemaps that a fetched index names, while the site may have more; [] for other listings."""
        site = site_of(host_of(page.url))
        urls = [url for url in page.listings if site_of(host_of(url)) == site]
        if not urls:
            return []
        note = f"{LISTINGS_NOTE}{host_of(page.url)}{_CHILDREN}"
        known = self.notes.get(note) or "0"
        before = int(known) if known.isdecimal() else MOST_CHILDREN
        urls = urls[: max(0, MOST_CHILDREN - before)]
        self.notes.put(note, str(before + len(urls)))
        return self._queued(page, urls)

    def _queued(self, page: Page, urls: Sequence[str]) -> list[tuple[Link, Score]]:
        score, carry = (0.0, 0.0) if page.via is None else (page.via.score, page.via.carry)
        return [
            (
                Link(
                    url,
                    host_of(url),
                    urlsplit(url).path.strip("/"),
                    kind=LISTING,
                    depth=page.depth,
                    source_url=page.url,
                ),
                Score(url, score, carry),
            )
            for url in urls
            if self._held is None or self._held(url)
        ]
