"""Fetches pages whose content is drawn by JavaScript through a browser (scrapy-playwright).

The conflict: a browser shows what a plain download does not, but costs a hundred times as much and runs strangers' programs inside our
network. So it is off by default (scrapy-playwright is an extra). Where it is on, it renders only hosts that the user names, or pages with
scripts and no text. It may load the page and what its scripts need, but no pictures, styles or sockets, and nothing from private addresses.
An empty page is requested again through the scheduler, so that its host's delay lies between the two requests.

But: robots.txt is checked for the page, not for its scripts. A host name is resolved here and again by the browser, and a hostile name
server may answer differently the second time. Behind a proxy only hosts spelled as private ones are refused.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
from collections.abc import Iterable
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector

from topiccrawler.engine.reading import content_type
from topiccrawler.errors import ArgumentError
from topiccrawler.pages.formats.registry import HTML, recognise
from topiccrawler.pages.parse import parse
from topiccrawler.pages.usage import WELL_KNOWN
from topiccrawler.text.characters import decode
from topiccrawler.urls.canonical import canonical, host_of, registered_domain
from topiccrawler.urls.unwanted import is_inside, is_private_answer

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
RENDER_META = "topic_render"  # key in request.meta: the URL of a page that is to be rendered
LEAST_TEXT = 100  # characters; a page with scripts and less text, and few links, is rendered
FEW_LINKS = 3
SETTLE_SECONDS = 5.0  # how long the scripts of a loaded page may go on loading
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_WANTED = frozenset({"document", "script", "xhr", "fetch"})
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)


class RenderingMiddleware:
    """Downloader middleware (55): marks the requests that the browser is to fetch, and repeats a request whose page came without text."""

    def __init__(
        self, stats: StatsCollector, *, hosts: Iterable[str] = (), empty_pages: bool = False
    ) -> None:
        self.stats = stats
        self.hosts = frozenset(map(_host_named, hosts))
        self.empty_pages = empty_pages

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not is_wanted(settings):
            raise NotConfigured
        return cls(
            crawler.stats,
            hosts=settings.getlist("TOPIC_RENDERED_HOSTS"),
            empty_pages=settings.getbool("TOPIC_RENDER_EMPTY_PAGES"),
        )

    def process_request(self, request: Request) -> None:
        if request.meta.pop(RENDER_META, None) == request.url or self._is_named(request.url):
            from scrapy_playwright.page import PageMethod

            request.meta["playwright"] = True
            request.meta["playwright_page_methods"] = [PageMethod(settled)]
            self.stats.inc_value("topic/rendered")
        else:
            request.meta.pop("playwright", None)  # the meta of a redirect away from the named hosts has it

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if not self.empty_pages or request.meta.get("playwright") or not needs_rendering(response):
            return response
        return request.replace(meta={**request.meta, RENDER_META: request.url}, dont_filter=True)

    def _is_named(self, url: str) -> bool:
        if not self.hosts or url.endswith(("/robots.txt", WELL_KNOWN)):
            return False
        host = host_of(url)
        return not self.hosts.isdisjoint({host, host.partition(":")[0], registered_domain(url)})


def _host_named(text: str) -> str:
    """The host that a user names, as the URLs of requests spell it; a URL names its host."""
    name = text.strip().removeprefix(".")
    url = canonical(name if "://" in name else f"http://{name}")
    return name.lower() if url is None else host_of(url)


def needs_rendering(response: Response) -> bool:
    """Whether a response is an HTML page with status 200 that has scripts, but hardly any text and links without them."""
    body = response.body
    if response.status != 200 or not _SCRIPT.search(body) or recognise(body, content_type(response)) != HTML:
        return False
    document = parse(decode(body)[0])
    return len(document.text) < LEAST_TEXT and len(document.anchors) < FEW_LINKS


async def settled(page: Any) -> None:
    """Wait until the page's scripts load nothing more, at most SETTLE_SECONDS; after that time the page is used as it is."""
    from playwright.async_api import TimeoutError as TooLong

    try:
        await page.wait_for_load_state("networkidle", timeout=SETTLE_SECONDS * 1000)
    except TooLong:
        return


class Unwanted:
    """PLAYWRIGHT_ABORT_REQUEST: a callable that decides which requests of the browser are aborted.

    `private`: private addresses are allowed. `behind_proxy`: host names are resolved by the proxy, so not checked here.
    """

    def __init__(self, *, private: bool, behind_proxy: bool) -> None:
        self.private, self.behind_proxy = private, behind_proxy

    async def __call__(self, request: Any) -> bool:
        parts = urlsplit(request.url)
        if request.resource_type not in _WANTED:
            return True
        leaves = parts.scheme not in {"data", "blob", "about"}
        return leaves and await self._leads_inside(parts.hostname or "")

    async def _leads_inside(self, name: str) -> bool:
        if self.private:
            return False
        if is_inside(name):
            return True
        if self.behind_proxy:
            return False
        try:
            found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return True
        return any(is_private_answer(str(entry[4][0])) for entry in found)


def is_wanted(settings: BaseSettings) -> bool:
    """Whether the settings ask for rendering of any page."""
    return bool(settings.getlist("TOPIC_RENDERED_HOSTS")) or settings.getbool("TOPIC_RENDER_EMPTY_PAGES")


def install(settings: BaseSettings) -> None:
    """Set the browser's download handler for http and https, with its options; the add-on calls it. ArgumentError when scrapy-playwright is
    not installed."""
    try:
        import scrapy_playwright.handler  # noqa: F401
    except ImportError:
        raise ArgumentError(
            "TOPIC_RENDERED_HOSTS, TOPIC_RENDER_EMPTY_PAGES",
            "scrapy-playwright is not installed",
            "give the command: pip install scrapy-playwright",
        ) from None
    launch: dict[str, Any] = {"timeout": 60_000}
    if browser := settings.get("TOPIC_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None):
        launch["executable_path"] = browser
    if proxy := getproxies().get("http"):
        launch["proxy"] = {"server": proxy}
    private = settings.getbool("TOPIC_PRIVATE_NETWORK")
    for name, value in {
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch,
        "PLAYWRIGHT_ABORT_REQUEST": Unwanted(private=private, behind_proxy=bool(proxy)),
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": settings.getfloat("DOWNLOAD_TIMEOUT") * 1000,
        "PLAYWRIGHT_MAX_CONTEXTS": 1,
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4,
        "PLAYWRIGHT_RESTART_DISCONNECTED_BROWSER": True,
    }.items():
        settings.set(name, value, "addon")
    handlers = settings.getdict("DOWNLOAD_HANDLERS") | dict.fromkeys(("http", "https"), HANDLER)
    settings.set("DOWNLOAD_HANDLERS", handlers, max(settings.getpriority("DOWNLOAD_HANDLERS") or 0, 20))
