"""Makes the dashboard's pages of templates. All that is filled in is escaped (results.report), for it comes out of the web.

Who may use the dashboard: a browser that was given the link on the terminal, and no web page in its place.

The link has a token that is good once; the browser gets a cookie for it (HttpOnly, SameSite=Strict). Host, Origin and
Sec-Fetch-Site are looked at as a running crawl does it (engine.control.server). A form has a token of its own besides.

The texts of the dashboard's pages in Chinese and English, and which of the two a browser gets.

What all handlers of the dashboard share, and how a request finds it; the handler of a page about a job.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web
from jinja2 import Environment

from topiccrawler.dashboard.jobs import Job, Jobs
from topiccrawler.engine.control.server import RefusedError, admit
from topiccrawler.files import folder, package_table
from topiccrawler.results.search import Snippet
from topiccrawler.results.templating import environment
from topiccrawler.text.characters import printable

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
QUERY, FIELD, HEADER = "token", "form", "X-Form-Token"
HEADERS = package_table("dashboard/headers.toml")


class Session:
    """The secrets of one dashboard. `told`: hears of the link for the next browser, when one was used."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
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
        self._told(self.link)
        found = web.HTTPSeeOther("/")
        found.set_cookie(self.cookie_name, self._cookie, httponly=True, samesite="Strict", path="/")
        raise found


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())


ENGLISH, CHINESE = "en", "zh"
LANGUAGES = {ENGLISH: "English", CHINESE: "中文"}  # each by its own name
TAGS = {ENGLISH: "en", CHINESE: "zh-Hans"}  # for the attribute lang
COOKIE = "topiccrawler_language"

_NUMBER, _NO_WORD = re.compile(r"\d+(?:\.\d+)?"), re.compile(r"\W+")


class Texts:
    """Of one language: `t("key", number=3)`."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language, self.tag, self._texts = language, TAGS[language], texts

    def __call__(self, key: str, **values: object) -> str:
        """KeyError for a text that there is not."""
        text = self._texts[key]
        return text.format(**values) if values else text

    def known(self, prefix: str, said: str) -> str:
        """What the program itself has said (a state, a reason, why it waits), a number in it kept; as it is where there is no text."""
        number = _NUMBER.search(said)
        key = _NO_WORD.sub("_", _NUMBER.sub("n", said, count=1)).strip("_").lower()
        found = self._texts.get(f"{prefix}_{key}")
        return said if found is None else found.format(n=number[0] if number else "")


@cache
def texts_in(language: str) -> Texts:
    """The texts of a language."""
    return Texts(language, package_table(f"dashboard/texts/{language}.toml"))


def choose(cookie: str | None, accept: str) -> str:
    """The language of a browser: as its user has switched, else the first of ours in Accept-Language, else English."""
    if cookie in LANGUAGES:
        return str(cookie)
    wanted: list[tuple[float, str]] = []
    for part in accept.split(","):
        tag, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            quality = 0.0
        wanted.append((-quality, tag.strip().lower().partition("-")[0]))
    return next((tag for quality, tag in sorted(wanted, key=lambda one: one[0]) if tag in LANGUAGES), ENGLISH)


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
