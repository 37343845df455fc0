"""Runs the dashboard's HTTP server: routes, admission of requests, error pages, and the switch of language."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from errno import ENAMETOOLONG
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from topiccrawler.dashboard import job_view, lists, page_view, starting, teaching
from topiccrawler.dashboard.access import Session
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.dashboard.texts import COOKIE, LANGUAGES
from topiccrawler.dashboard.views import CONTEXT, HEADERS, Context, Handler, Views, back_to
from topiccrawler.engine.control.server import RefusedError
from topiccrawler.errors import CrawlerError
from topiccrawler.text.segmenter import words_of

STATIC = "/static"
_YEAR_SECONDS = 31_536_000


async def language(request: web.Request) -> web.Response:
    """`/language`: set the language of this browser by a cookie, and redirect back."""
    form = await request.post()
    to, found = str(form.get("to", "")), back_to(str(form.get("back", "/")))
    if to in LANGUAGES:
        found.set_cookie(COOKIE, to, max_age=_YEAR_SECONDS, httponly=True, samesite="Strict", path="/")
    raise found


logger = logging.getLogger(__name__)

MOST_BYTES = 1_000_000  # of a submitted form
SHUTDOWN_SECONDS = 0.5  # for responses in progress
SWITCH_SECONDS = 0.001  # of Python's threads: a response does not wait long for threads that read files


def make_app(data: Path, settings: dict[str, Any], announce: Callable[[str], None]) -> web.Application:
    """The web application. `data`: the folder of jobs. `settings`: the project's settings. `announce`: called with the next login link."""
    session = Session(announce)
    jobs = Jobs(data)
    app = web.Application(middlewares=[_guard], client_max_size=MOST_BYTES)
    app[CONTEXT] = Context(data, jobs, session, Views(session), settings)
    router = app.router
    router.add_get("/", lists.page)
    router.add_get("/jobs-table", lists.table)
    router.add_static(STATIC, Path(__file__).with_name("static"))
    router.add_post("/language", language)
    router.add_get("/new", starting.page)
    router.add_post("/new", starting.start)
    router.add_get("/search", page_view.searching)
    router.add_post("/answers", teaching.answer)
    job = "/jobs/{job}"
    router.add_get(job, job_view.page)
    for name, handler in {
        "events": job_view.events,
        "reading": job_view.reading,
        "curve.json": job_view.curve,
        "queue": job_view.queue,
        "outcomes": job_view.outcomes,
        "log": job_view.output,
        "sites": lists.sites,
        "sites.csv": lists.sites_file,
        "urls": lists.urls,
        "pages": page_view.kept,
        "page": page_view.page,
        "teach": teaching.form,
    }.items():
        router.add_get(f"{job}/{name}", handler)
    router.add_get(f"{job}/urls.{{kind:csv|jsonl}}", lists.urls_file)
    router.add_get(f"{job}/pages.{{kind:csv|jsonl}}", lists.pages_file)
    router.add_post(f"{job}/go-on", starting.again)
    router.add_post(f"{job}/teach", teaching.teach)
    for verb in job_view.VERBS:
        router.add_post(f"{job}/{verb}", partial(job_view.give, verb))
    return app


@web.middleware
async def _guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Admit or refuse a request, turn errors into responses with one line, and set the headers of every response."""
    here = request.app[CONTEXT]
    try:
        await here.session.admit(request)
        answer = await handler(request)
    except RefusedError as refusal:
        answer = web.Response(status=refusal.status, text=f"{refusal.fault}; {refusal.remedy}\n")
    except CrawlerError as error:
        answer = _fault(request, error, 404 if request.method == "GET" else 400)
    except web.HTTPRedirection as found:
        found.headers.update(HEADERS)
        raise
    except web.HTTPException as error:
        answer = web.Response(status=error.status, text=f"{error.reason}\n")
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno == ENAMETOOLONG:  # the path of a static file
            answer = web.Response(status=404, text="Not Found\n")
        else:
            logger.exception("Dashboard: %s %s failed", request.method, request.path)
            answer = web.Response(status=500, text="failed; the dashboard's terminal says why\n")
    if not answer.prepared:
        answer.headers.update(HEADERS)
        is_file = request.path.startswith(f"{STATIC}/")
        answer.headers.setdefault("Cache-Control", "no-cache" if is_file else "no-store")
    return answer


def _fault(request: web.Request, error: CrawlerError, status: int) -> web.Response:
    if "text/html" not in request.headers.get("Accept", "text/html"):
        return web.Response(status=status, text=f"{error}\n")
    return request.app[CONTEXT].views.page(request, "fault", {"fault": str(error)}, status)


async def serve(app: web.Application, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Listen until the task is cancelled. `ready`: called with the link. `port`: 0 = any free port. OSError if it cannot be used."""
    sys.setswitchinterval(SWITCH_SECONDS)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    words_of(["词"])  # loads the dictionary now: the first page would block all others while it loads
    try:
        await web.TCPSite(runner, host, port).start()
        session = app[CONTEXT].session
        session.host, session.port = host, runner.addresses[0][1]
        ready(session.link)
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
