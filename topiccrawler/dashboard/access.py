"""Controls access to the dashboard: only a browser that opened the printed link may use it, and no other web page through that browser.

The link has a token that is valid once; the browser gets a cookie in exchange (HttpOnly, SameSite=Strict). Host, Origin and
Sec-Fetch-Site are checked as by a running crawl (engine.control.server). Forms also carry a token of their own.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable

from aiohttp import web

from topiccrawler.engine.control.server import RefusedError, admit

QUERY, FIELD, HEADER = "token", "form", "X-Form-Token"


class Session:
    """The secrets of one dashboard. `announce`: called with the link for the next browser when a link was used."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._link, self._cookie, self.form = (secrets.token_urlsafe(32) for _ in range(3))
        self.host, self.port = "", 0

    @property
    def url(self) -> str:
        """The URL at which the dashboard listens."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    @property
    def link(self) -> str:
        """The URL with the token that is valid once."""
        return f"{self.url}?{QUERY}={self._link}"

    @property
    def cookie_name(self) -> str:
        """The name of the cookie. It contains the port, because browsers share cookies between the ports of a host."""
        return f"topiccrawler_{self.port}"

    async def admit(self, request: web.Request) -> None:
        """Check a request. RefusedError if it is not authorized; HTTPSeeOther, with the cookie, for one that has the link's token."""
        admit(request.headers, self.host, self.port)
        given = request.query.get(QUERY)
        if given is not None and request.method == "GET":
            self._exchange(given)
        if not _same(request.cookies.get(self.cookie_name, ""), self._cookie):
            remedy = "open the link that `scrapy dashboard` has printed"
            raise RefusedError(401, "this browser has no key", remedy)
        if request.method == "POST":
            form = request.headers.get(HEADER) or str((await request.post()).get(FIELD, ""))
            if not _same(form, self.form):
                raise RefusedError(403, "the form is not from here", "load the page again")

    def _exchange(self, given: str) -> None:
        if not _same(given, self._link):
            remedy = "open the newest link that `scrapy dashboard` has printed"
            raise RefusedError(401, "the link was used already", remedy)
        self._link = secrets.token_urlsafe(32)
        self._announce(self.link)
        found = web.HTTPSeeOther("/")
        found.set_cookie(self.cookie_name, self._cookie, httponly=True, samesite="Strict", path="/")
        raise found


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())
