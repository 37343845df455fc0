"""Follows redirects as browsers do: by the header Location, and by a refresh of the page that was read.

`LocationMiddleware` replaces Scrapy's RedirectMiddleware. Servers write backslashes, blanks and raw Chinese into Location, and some test by
a redirect whether a client sends their cookie back. An answer that names no target is a page, which browsers show.

`RefreshMiddleware` replaces Scrapy's MetaRefreshMiddleware, which searches the beginning of a page with a pattern. A live report, ticker or
forum page that refreshes itself must not be fetched again for it; a page that opens another one after a minute is a page with a link; and
a refresh in a script is text. So the page is read as the spider reads it, and the spider gets that content.

A redirect keeps the meta of its request, so it goes through the scheduler with the lease of the first URL. Cookies of a chain of redirects
are sent within the chain, and then forgotten.
"""

from __future__ import annotations

from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import (
    BaseRedirectMiddleware,
    MetaRefreshMiddleware,
    RedirectMiddleware,
)
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.cookies import CookieJar
from scrapy.settings import BaseSettings

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.engine.opening import crawl_of
from topiccrawler.engine.reading import challenge_headers, content_with_refresh, forget_content
from topiccrawler.pages.challenge_signs import challenge_of
from topiccrawler.urls.canonical import canonical, is_media
from topiccrawler.urls.redirect_targets import redirect_target

REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})
MOST_VISITS = 2  # of one URL in a chain; the second one with a cookie that the chain has set
_JAR, _CHAIN = "topic_redirect_cookies", "topic_redirect_chain"  # keys in request.meta
_AGAIN = "max redirections reached: the target was requested before"


class ChainMiddleware(BaseRedirectMiddleware):
    """Base of the two: follows a redirect with the cookies of its chain, and refuses one that repeats a request."""

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._keeps_cookies = settings.getbool("COOKIES_ENABLED")  # then Scrapy sends them

    def follow(self, redirected: Request, request: Request, response: Response, reason: Any) -> Request:
        """The request of a redirect; IgnoreRequest when the limit is reached, or nothing would be different from an earlier request."""
        forget_content(redirected)
        if not self._keeps_cookies:
            _add_cookies(redirected, request, response)
            asked = [*request.meta.get(_CHAIN, ()), _asked(request)]
            new = _asked(redirected)
            if new in asked or [url for url, _ in asked].count(new[0]) >= MOST_VISITS:
                raise IgnoreRequest(_AGAIN)
            redirected.meta[_CHAIN] = asked
        return self._redirect(redirected, request, reason)


def _asked(request: Request) -> tuple[str, bytes]:
    """What makes one request of a chain differ from another: URL and cookies."""
    return request.url.partition("#")[0], request.headers.get("Cookie") or b""


def _add_cookies(redirected: Request, request: Request, response: Response) -> None:
    """Add the cookies that the responses of the chain have set for the URL of the redirect. A request with cookies of its own keeps them."""
    jar: CookieJar | None = redirected.meta.get(_JAR)
    if "Set-Cookie" in response.headers and (jar is not None or "Cookie" not in request.headers):
        jar = jar or CookieJar()
        jar.extract_cookies(response, request)
    if jar is not None and len(jar):
        redirected.meta[_JAR] = jar
        redirected.headers.pop("Cookie", None)
        jar.add_cookie_header(redirected)


class LocationMiddleware(ChainMiddleware, RedirectMiddleware):
    """Downloader middleware (600): follows the header Location of an answer with a status of REDIRECTS."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        if response.status not in REDIRECTS or self._is_left_to_spider(request, response):
            return response
        location = next((value for value in response.headers.getlist("Location") if value.strip()), None)
        if location is None:
            if response.body:  # not filtered by its status
                known = request.meta.get("handle_httpstatus_list", ())
                request.meta["handle_httpstatus_list"] = [*known, response.status]
            return response
        target = redirect_target(request.url, location)
        if target is None:
            return response
        becomes_get = response.status in {301, 302} and request.method == "POST"
        if becomes_get or (response.status == 303 and request.method not in {"GET", "HEAD"}):
            redirected = self._redirect_request_using_get(request, response, target)
        else:
            redirected = self._build_redirect_request(request, response, url=target)
        return self.follow(redirected, request, response, response.status)

    def _is_left_to_spider(self, request: Request, response: Response) -> bool:
        meta, status = request.meta, response.status
        return bool(
            meta.get("dont_redirect")
            or meta.get("handle_httpstatus_all")
            or status in meta.get("handle_httpstatus_list", ())
            or status in getattr(self.crawler.spider, "handle_httpstatus_list", ())
        )


class RefreshMiddleware(ChainMiddleware):
    """Downloader middleware (57, behind DocumentMiddleware on the way back): follows a refresh to another page after METAREFRESH_MAXDELAY
    seconds at most. A later one is a link of its page. For a spider without a crawl it is Scrapy's middleware.
    """

    enabled_setting = "METAREFRESH_ENABLED"
    crawl: Crawl

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._most_seconds = settings.getfloat("METAREFRESH_MAXDELAY")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | MetaRefreshMiddleware:  # type: ignore[override]
        crawl = crawl_of(crawler)
        if crawl is None:
            return MetaRefreshMiddleware.from_crawler(crawler)
        middleware = super().from_crawler(crawler)
        middleware.crawl = crawl
        return middleware

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if request.meta.get("dont_redirect") or request.method == "HEAD" or request.url[:4] != "http":
            return response
        content = content_with_refresh(self.crawl, request, response)
        refresh = content.refresh if content is not None else None
        if content is not None and challenge_of(content.signs, challenge_headers(response)) is not None:
            # its refresh leads to the challenge again, or to a page without the URL's content
            return response
        if (
            refresh is None
            or refresh.seconds > self._most_seconds
            or not self._leads_on(refresh.href, request)
        ):
            return response
        redirected = self._redirect_request_using_get(request, response, refresh.href)
        try:
            return self.follow(redirected, request, response, "meta refresh")
        except IgnoreRequest as refusal:
            if _AGAIN in str(refusal):  # a circle: this page is read
                return response
            raise

    def _leads_on(self, url: str, request: Request) -> bool:
        """Whether a refresh leads to another page: not to itself, nor to a file that browsers save beside the page."""
        extra = self.crawl.parts.dropped_parameters
        target = canonical(url, extra_parameters=extra)
        return target not in (None, canonical(request.url, extra_parameters=extra)) and not is_media(
            target or ""
        )
