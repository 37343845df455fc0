"""Who may use the dashboard: a browser that was given the link on the terminal, and no web page in its place.

The link has a token that is good once; the browser gets a cookie for it (HttpOnly, SameSite=Strict). Host, Origin and
Sec-Fetch-Site are looked at as a running crawl does it (engine.control.server). A form has a token of its own besides.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable

from aiohttp import web

from topiccrawler.engine.control.server import RefusedError, admit

QUERY, FIELD, HEADER = "token", "form", "X-Form-Token"


class Session:
    """The secrets of one dashboard. `announce`: called with the link for the next browser, when one was used."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._link, self._cookie, self.form = (secrets.token_urlsafe(32) for _ in range(3))
        self.host, self.port = "", 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    @property
    def link(self) -> str:
        """The address with the token that is good once."""
        return f"{self.url}?{QUERY}={self._link}"

    @property
    def cookie_name(self) -> str:
        """Cookies know no ports."""
        return f"topiccrawler_{self.port}"

    async def admit(self, request: web.Request) -> None:
        """RefusedError for whom nothing is shown; HTTPSeeOther for a browser that brings the link's token."""
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
