"""Makes the dashboard's pages of templates, and has what all its handlers share.

All that is filled in is escaped (results.templating), for it comes out of the web.
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


MOST_LINE = 2_000  # characters
TEMPLATES = "dashboard/templates"
THIN = "\u202f"  # a narrow space between thousands


@cache
def templates() -> Environment:
    """All of them, compiled: the first page shall not wait for that."""
    made = environment()
    made.filters |= {one.__name__: one for one in (count, percent, span, part, line, pieces)}
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
        known = {"t": self.texts(request), "path": request.path, "back": request.path_qs}
        return made.render(**known, form_token=self._session.form, **values)

    def page(
        self, request: web.Request, template: str, values: Mapping[str, Any], status: int = 200
    ) -> web.Response:
        """The same as an answer."""
        text = self.text(request, template, values)
        return web.Response(text=text, content_type="text/html", status=status)


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


def line(text: str) -> str:
    """A line of a log, its blanks kept, without what steers."""
    return printable(text[:MOST_LINE])


def pieces(found: Snippet) -> Iterator[tuple[str, bool]]:
    """The text in pieces, with whether each is marked; what steers is shown as an escape."""
    at = 0
    for start, stop in found.marks:
        yield line(found.text[at:start]), False
        yield line(found.text[start:stop]), True
        at = stop
    yield line(found.text[at:]), False


def part(text: str) -> str:
    """A text as a part of a path."""
    return quote(text, safe="")


def query(**values: object) -> str:
    """A query, its empty values left out."""
    return urlencode({name: value for name, value in values.items() if value not in (None, "")})


@dataclass(frozen=True, slots=True)
class Context:
    """One dashboard."""

    data: Path  # the folder of jobs
    jobs: Jobs
    session: Session
    views: Views
    settings: dict[str, Any]  # what of the project's settings the form's checks read


CONTEXT = web.AppKey("context", Context)


def context_of(request: web.Request) -> Context:
    """The dashboard that is asked."""
    return request.app[CONTEXT]


Values = dict[str, Any]  # what a template is filled in with
Read = Callable[[Context, Job, web.Request], Values]


async def shown(request: web.Request, template: str, read: Read) -> web.Response:
    """A page about the job that is named in the address: what `read` gives, in a thread, and how far the job's log is read."""
    here = context_of(request)

    def values() -> Values:
        job = here.jobs.get(request.match_info["job"])
        found = {"job": job, "name": job.name, **read(here, job, request)}
        return {"share": job.share, "pending": job.share < 1 or job.pending, **found}

    return here.views.page(request, template, await asyncio.to_thread(values))


def about_job(template: str) -> Callable[[Read], Handler]:
    """Makes the handler of such a page."""
    return lambda read: partial(shown, template=template, read=read)


async def job_of(request: web.Request) -> Job:
    """The job that is named in the address; ArgumentError for none."""
    return await asyncio.to_thread(context_of(request).jobs.get, request.match_info["job"])
