"""Refuses requests that lead into a private network: loopback, private, link-local and metadata addresses.

The user's own proxy, and a seed on such a host, must still work. A URL spelled with a private host (urls.unwanted) is refused at once, also
behind a proxy, whether it is a link, the target of a redirect or a robots.txt. The address of any other name is known only when the name is
resolved, and may differ the next time. So the middleware records which names come from pages, and the resolver, which has the address that
the connection will use, refuses those that resolve to a private address. Behind a proxy, the proxy resolves names. Not checked: replays,
spiders that have neither a crawl nor `trusted_hosts` (engine.fetching), and TOPIC_PRIVATE_NETWORK.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.statscollectors import StatsCollector
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.error import DNSLookupError

from topiccrawler.crawling.admission import PRIVATE_ADDRESS, RESOLVED_ADDRESS, DownloaderRule
from topiccrawler.crawling.link_gate import Decision
from topiccrawler.engine.opening import needed_crawl
from topiccrawler.engine.politeness import host_key
from topiccrawler.model import Link
from topiccrawler.urls.unwanted import address_of, is_inside, is_private_answer

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

NOT_REFUSED = "Links to names that lead to private addresses are not refused"

# These are global, because a resolver belongs to the process, not to a crawl.
strangers: set[str] = set()  # host names that come from pages
inside: dict[str, str] = {}  # host name -> the private address that it was resolved to


class PrivateNetworkResolver(CachingThreadedResolver):
    """TWISTED_DNS_RESOLVER: Scrapy's resolver, which fails for a name from a page that resolves to a private address."""

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802 Twisted's name
        return super().getHostByName(name, timeout).addCallback(self._check, name)

    def _check(self, address: str, name: str) -> str:
        if is_private_answer(address):
            inside[name] = address
            if name in strangers:
                raise DNSLookupError(f"{name} leads to {address}")
        return address


def install_resolver(crawler: Crawler) -> None:
    """Install the resolver of the crawl's settings on the reactor. Scrapy installs the one in the settings of the process, which in a
    script and in another project is not ours. A resolver that the project has chosen itself stays, with a warning."""
    settings = crawler.settings
    resolver = load_object(settings["TWISTED_DNS_RESOLVER"])
    chosen = (settings.getpriority("DNS_RESOLVER") or 0) > SETTINGS_PRIORITIES["default"]
    if chosen or not issubclass(resolver, PrivateNetworkResolver):
        logger.warning("%s, as another resolver is set", NOT_REFUSED)
    elif not settings.getbool("TWISTED_REACTOR_ENABLED"):
        logger.warning("%s, as TWISTED_REACTOR_ENABLED is False", NOT_REFUSED)
    else:
        from twisted.internet import reactor

        build_from_crawler(resolver, crawler, reactor=reactor).install_on_reactor()


class PrivateNetworkMiddleware:
    """Downloader middleware (760, after HttpProxyMiddleware, which sets the proxy) that refuses requests to private addresses.

    `seed_hosts`: hosts that the user named, which are always allowed. `install`: called before the first request, when the reactor runs.
    """

    def __init__(
        self, seed_hosts: Iterable[str], stats: StatsCollector, install: Callable[[], None] | None = None
    ) -> None:
        self.seed_hosts = frozenset(seed_hosts)
        self.stats = stats
        self._install = install

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if settings.getbool("TOPIC_PRIVATE_NETWORK") or settings.get("REPLAY_WARC"):
            strangers.clear()
            raise NotConfigured
        trusted = getattr(crawler.spider, "trusted_hosts", None)
        if trusted is None:
            trusted = (seed.host for seed in needed_crawl(crawler).seeds)
        return cls(trusted, crawler.stats, partial(install_resolver, crawler))

    def process_request(self, request: Request) -> None:
        if self._install is not None:
            self._install()
            self._install = None
        name = self._guarded(request)
        if name is None:
            return
        if is_inside(name):
            self._refuse(request, name, address_of(name) or name)
        elif request.meta.get("proxy") or address_of(name) is not None:
            return
        elif name in inside and (name in strangers or self._is_seed_name(name)):
            self._refuse(request, name, inside[name])
        elif not self._is_seed_name(name):
            strangers.add(name)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Turn the resolver's refusal into an IgnoreRequest with its reason, so that the URL is discarded and not retried."""
        name = self._guarded(request)
        if name is not None and name in strangers and name in inside:
            self._refuse(request, name, inside[name])

    def _guarded(self, request: Request) -> str | None:
        """The host name of a request that must be checked; None for other schemes and for hosts of seeds."""
        parts = urlparse_cached(request)
        if parts.scheme not in {"http", "https"} or host_key(request) in self.seed_hosts:
            return None
        return (parts.hostname or "").lower()

    def _is_seed_name(self, name: str) -> bool:
        """Whether a seed has this host name, on any port. Only the seed's own port is trusted; another one is checked."""
        return any(host.partition(":")[0] == name for host in self.seed_hosts)

    def _refuse(self, request: Request, name: str, address: str) -> None:
        if not request.meta.get("dont_obey_robotstxt"):  # a robots.txt is not counted in addition to its page
            self.stats.inc_value("topic/private_addresses/refused")
        shown = name if name == address else f"{name} = {address}"
        raise IgnoreRequest(f"{PRIVATE_ADDRESS}: {shown}")


def resolved_address(seed_hosts: Container[str]) -> DownloaderRule:
    """The admission rule that refuses links to hosts that were resolved to a private address before."""

    def known(link: Link) -> Decision | None:
        name = link.host.partition(":")[0]
        if link.host in seed_hosts or name not in inside:
            return None
        return Decision(False, reason=f"{PRIVATE_ADDRESS}: {name} = {inside[name]}")

    return DownloaderRule(RESOLVED_ADDRESS, known)
