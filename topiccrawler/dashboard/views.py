"""Renders the dashboard's pages from templates, and holds what all its handlers share.

All values are escaped (results.templating), because they come from the web.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web
from jinja2 import Environment

from topiccrawler.dashboard.access import Session
from topiccrawler.dashboard.jobs import Job, Jobs
from topiccrawler.dashboard.texts import COOKIE, LANGUAGES, Texts, choose, texts_in
from topiccrawler.resources import folder, package_table
from topiccrawler.results.search import Snippet
from topiccrawler.results.templating import environment
from topiccrawler.text.printable import printable

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
HEADERS = package_table("dashboard/headers.toml")


MOST_LINE = 2_000  # characters of one displayed line
TEMPLATES = "dashboard/templates"
THIN = "\u202f"  # a narrow space between thousands


@cache
def templates() -> Environment:
    """The environment of the templates. All are compiled now, so that the first page need not wait for it."""
    made = environment()
    made.filters |= {one.__name__: one for one in (count, percent, span, part, line, pieces)}
    made.globals |= {"languages": LANGUAGES, "query": query}
    for file in folder(TEMPLATES).iterdir():
        made.get_template(f"{TEMPLATES}/{file.name}")
    return made


class Views:
    """Renders the templates with the values that all of them need."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._environment = templates()

    def texts(self, request: web.Request) -> Texts:
        """The texts in the language of the browser."""
        return texts_in(choose(request.cookies.get(COOKIE), request.headers.get("Accept-Language", "")))

    def text(self, request: web.Request, template: str, values: Mapping[str, Any]) -> str:
        """The HTML of a template rendered with these values."""
        made = self._environment.get_template(f"{TEMPLATES}/{template}.html")
        known = {"t": self.texts(request), "path": request.path, "back": request.path_qs}
        return made.render(**known, form_token=self._session.form, **values)

    def page(
        self, request: web.Request, template: str, values: Mapping[str, Any], status: int = 200
    ) -> web.Response:
        """The response with a rendered template."""
        text = self.text(request, template, values)
        return web.Response(text=text, content_type="text/html", status=status)


def count(number: float | None) -> str:
    """A number, rounded to a whole one, in groups of three digits; a dash for None."""
    return "–" if number is None else f"{round(number):,}".replace(",", THIN)


def percent(share: float | None) -> str:
    """A share, 0..1, as per cent with one decimal; a dash for None."""
    return "–" if share is None else f"{100 * share:.1f}{THIN}%"


def span(seconds: float | None) -> str:
    """A duration as seconds, minutes, or hours and minutes; infinite for None."""
    if seconds is None:
        return "∞"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{THIN}s"
    if whole < 3600:
        return f"{whole // 60}{THIN}min"
    return f"{whole // 3600}{THIN}h {whole % 3600 // 60:02d}{THIN}min"


def line(text: str) -> str:
    """A line of a log with its blanks, and with control characters escaped."""
    return printable(text[:MOST_LINE])


def pieces(found: Snippet) -> Iterator[tuple[str, bool]]:
    """The pieces of an excerpt, each with whether it is marked; control characters are escaped."""
    at = 0
    for start, stop in found.marks:
        yield line(found.text[at:start]), False
        yield line(found.text[start:stop]), True
        at = stop
    yield line(found.text[at:]), False


def part(text: str) -> str:
    """A text quoted as one part of a URL path."""
    return quote(text, safe="")


def query(**values: object) -> str:
    """A query string without empty values."""
    return urlencode({name: value for name, value in values.items() if value not in (None, "")})


@dataclass(frozen=True, slots=True)
class Context:
    """The objects that the handlers of one dashboard share."""

    data: Path  # the folder of jobs
    jobs: Jobs
    session: Session
    views: Views
    settings: dict[str, Any]  # those of the project's settings that the form's checks read


CONTEXT = web.AppKey("context", Context)


def context_of(request: web.Request) -> Context:
    """The context of the dashboard that serves this request."""
    return request.app[CONTEXT]


def back_to(place: str) -> web.HTTPSeeOther:
    """A redirection to a page of the dashboard from which a form was sent; to the first page for any other place."""
    return web.HTTPSeeOther(place if place.startswith("/") and not place.startswith(("//", "/\\")) else "/")


Values = dict[str, Any]  # the values of a template
Read = Callable[[Context, Job, web.Request], Values]


async def shown(request: web.Request, template: str, read: Read) -> web.Response:
    """A page about the job named in the URL, with the values of `read`, which runs in a thread, and the share of the log that was read."""
    here = context_of(request)

    def values() -> Values:
        job = here.jobs.get(request.match_info["job"])
        found = {"job": job, "name": job.name, **read(here, job, request)}
        return {"share": job.share, "pending": job.share < 1 or job.pending, **found}

    return here.views.page(request, template, await asyncio.to_thread(values))


def about_job(template: str) -> Callable[[Read], Handler]:
    """A decorator that turns a function from job to values into the handler of a page about a job."""
    return lambda read: partial(shown, template=template, read=read)


async def job_of(request: web.Request) -> Job:
    """The job named in the URL; ArgumentError when there is none."""
    return await asyncio.to_thread(context_of(request).jobs.get, request.match_info["job"])
