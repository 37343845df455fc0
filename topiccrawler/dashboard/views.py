"""Makes the dashboard's pages of templates. All that is filled in is escaped (results.html), for it comes out of the web."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web
from jinja2 import Environment

from topiccrawler.dashboard.session import Session
from topiccrawler.dashboard.texts import COOKIE, LANGUAGES, Texts, choose, texts_in
from topiccrawler.resources import folder
from topiccrawler.results.html import environment
from topiccrawler.text.printable import printable

MOST_LINE = 2_000  # characters
TEMPLATES = "dashboard/templates"
THIN = "\u202f"  # a narrow space between thousands


@cache
def templates() -> Environment:
    """All of them, compiled: the first page shall not wait for that."""
    made = environment()
    made.filters |= {
        "count": count,
        "percent": percent,
        "span": span,
        "part": part,
        "ago": moment_of_day,
        "line": line,
    }
    made.globals |= {"languages": LANGUAGES, "query": query}
    for file in folder(TEMPLATES).iterdir():
        made.get_template(f"{TEMPLATES}/{file.name}")
    return made


class Views:
    """The templates and what all of them need."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._environment = templates()

    def texts(self, request: web.Request) -> Texts:
        """In the language of the browser."""
        return texts_in(choose(request.cookies.get(COOKIE), request.headers.get("Accept-Language", "")))

    def text(self, request: web.Request, template: str, values: Mapping[str, Any]) -> str:
        """A template filled in."""
        made = self._environment.get_template(f"{TEMPLATES}/{template}.html")
        return made.render(
            t=self.texts(request),
            form_token=self._session.form,
            path=request.path,
            back=request.path_qs,
            **values,
        )

    def page(
        self, request: web.Request, template: str, values: Mapping[str, Any], status: int = 200
    ) -> web.Response:
        """The same as an answer."""
        return web.Response(
            text=self.text(request, template, values), content_type="text/html", status=status
        )


def count(number: float | None) -> str:
    """A whole number in groups of three; a dash for none."""
    return "–" if number is None else f"{round(number):,}".replace(",", THIN)


def percent(share: float | None) -> str:
    """0..1 as per cent with a digit."""
    return "–" if share is None else f"{100 * share:.1f}{THIN}%"


def span(seconds: float | None) -> str:
    """A span of time, in its two largest units."""
    if seconds is None:
        return "∞"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{THIN}s"
    if whole < 3600:
        return f"{whole // 60}{THIN}min"
    return f"{whole // 3600}{THIN}h {whole % 3600 // 60:02d}{THIN}min"


def moment_of_day(seconds: float) -> str:
    """Hour, minute and second, local time."""
    return time.strftime("%H:%M:%S", time.localtime(seconds)) if seconds else ""


def line(text: str) -> str:
    """A line of a log, its blanks kept, without what steers."""
    return printable(text[:MOST_LINE])


def part(text: str) -> str:
    """A text as a part of a path."""
    return quote(text, safe="")


def query(**values: object) -> str:
    """A query, its empty values left out."""
    return urlencode({name: value for name, value in values.items() if value not in (None, "")})
