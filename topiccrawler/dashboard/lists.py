"""Serves the dashboard's lists: of all jobs, and of a job's sites, its failed and discarded URLs, and its kept pages.

The lists of one job can be downloaded as files too.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, astuple
from math import inf
from typing import Any, BinaryIO
from urllib.parse import quote

from aiohttp import web

from topiccrawler.crawling.job_files import JOB, STATS
from topiccrawler.crawling.page_stores import last_judged, refused_in, visits_of
from topiccrawler.dashboard import panels
from topiccrawler.dashboard.jobs import LIVE, Job, mark
from topiccrawler.dashboard.panels import topic_name
from topiccrawler.dashboard.views import Context, Values, about_job, context_of, job_of, query
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.stored_queue import Ended, StoredQueue, is_made
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.results.exports import export_of
from topiccrawler.results.formats import write_table
from topiccrawler.results.job_pages import job_pages
from topiccrawler.results.jobs import selection_of
from topiccrawler.results.summary import end_of
from topiccrawler.store.refused import NOT_QUEUED
from topiccrawler.topics.catalogue import by_name

_SECONDS = 0.06  # for reading logs that were not read yet; the next request resumes
_UNREAD_SECONDS, _LIVE_SECONDS = 0.5, 3  # until the browser polls the list again
_MOST = 500  # jobs in the list


async def page(request: web.Request) -> web.Response:
    """`/`: the page with the list of all jobs."""
    return await _answer(request, "jobs")


async def table(request: web.Request) -> web.Response:
    """`/jobs-table`: the table of all jobs without the rest of the page."""
    return await _answer(request, "jobs_table")


async def _answer(request: web.Request, template: str) -> web.Response:
    here = context_of(request)
    return here.views.page(request, template, await asyncio.to_thread(_values, here))


def _values(here: Context) -> dict[str, Any]:
    until, unread, rows = time.monotonic() + _SECONDS, False, []
    for name in here.jobs.names()[:_MOST]:
        try:
            row, read = _row(here, name, until - time.monotonic())
        except CrawlerError:
            continue  # it was deleted
        rows.append(row)
        unread |= not read
    live = any(row["state"] in LIVE for row in rows)
    refresh = _UNREAD_SECONDS if unread else _LIVE_SECONDS if live else 0
    return {"jobs": rows, "data": here.data, "refresh": refresh}


def _row(here: Context, name: str, seconds: float) -> tuple[dict[str, Any], bool]:
    job = here.jobs.get(name)
    files = (JOB, STATS, JOB_DATABASE, f"{JOB_DATABASE}-wal")
    seen = [mark(job.folder / file) for file in files]
    known, figures = here.jobs.figures.get(name, (None, {}))
    if known != seen:
        recipe = job.recipe()
        figures = {"topic": topic_name(recipe), "strategy": "" if recipe is None else recipe.strategy}
        figures |= _figures(job, seconds)
        if figures["pages"] is not None:
            here.jobs.figures[name] = seen, figures
    status = job.status()
    found: dict[str, Any] = {**figures, **{key: status[key] for key in ("pages", "kept") if key in status}}
    rate = found["kept"] / found["pages"] if found["pages"] else None
    return {"name": name, "state": status["state"], "rate": rate, **found}, figures["pages"] is not None


def _figures(job: Job, seconds: float) -> dict[str, Any]:
    """The figures of a job in the list: as its last run has left them, else (or if its pages were judged again) of its log, which is read for at most `seconds`; None = it is
    not read yet."""
    if (run := job.last_run) is not None and not last_judged(job.folder):
        return {"pages": run.pages, "kept": run.kept, "began": run.began}
    is_read, tally = seconds > 0 and job.log.advance(seconds) >= 1, job.log.tally
    pages, kept = (tally.fetched, tally.kept) if is_read else (None, None)
    return {"pages": pages, "kept": kept, "began": tally.began}


ROWS = 100  # per page of a list
FILTERS = (
    "topic",
    "site",
    "since",
    "min_relevance",
    "file_type",
    "kind",
    "language",
    "refused",
)  # names of the filters of pages in a query string
_KINDS = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


@about_job("sites")
def sites(_: Context, job: Job, request: web.Request) -> Values:
    """`/jobs/JOB/sites?order=`: the hosts of a job."""
    order = _order(request)
    job.advance()
    found = panels.where(job, order)
    shown = found[: panels.ALL_SITES]
    return {"sites": shown, "more": len(found) - len(shown), "order": order, "orders": panels.ORDERS}


async def sites_file(request: web.Request) -> web.StreamResponse:
    """`/jobs/JOB/sites.csv`: the hosts of a job as a file."""
    job, order = await job_of(request), _order(request)

    def write(out: BinaryIO) -> None:
        job.advance(inf)
        write_table(panels.where(job, order, wait=None), out)  # a file has all of them

    return await _file(write, "csv", f"{job.name}-sites")


def _order(request: web.Request) -> str:
    order = request.query.get("order", panels.KEPT)
    return order if order in panels.ORDERS else panels.KEPT


@about_job("urls")
def urls(_: Context, job: Job, request: web.Request) -> Values:
    """`/jobs/JOB/urls?state=&reason=&skip=`: the URLs of a job that ended in this state, or were not queued."""
    state, reason = _end(request)
    skip = number_of(request, "skip")
    found = list(_urls(job, state, reason, ROWS + 1, skip))
    turning = turned(skip, ROWS, more=len(found) > ROWS, state=state, reason=reason)
    return {"state": state, "reason": reason, "urls": found[:ROWS], **turning}


async def urls_file(request: web.Request) -> web.StreamResponse:
    """`/jobs/JOB/urls.csv`: all URLs of a job that ended in a state, or were not queued, as a file."""
    job, (state, reason), kind = await job_of(request), _end(request), request.match_info["kind"]

    def write(out: BinaryIO) -> None:
        rows = map(asdict, _urls(job, state, reason, -1, 0))
        if kind == "csv":
            write_table(rows, out)
        else:
            out.writelines(json.dumps(row, ensure_ascii=True).encode() + b"\n" for row in rows)

    return await _file(write, kind, f"{job.name}-{state}")


def _end(request: web.Request) -> tuple[str, str]:
    given = request.query.get("state", State.ERROR.value)
    if given not in {State.ERROR, State.DISCARDED, NOT_QUEUED}:
        raise ArgumentError(f"state {given!r}", "is not listed", "ask for error, discarded or refused")
    return given, request.query.get("reason", "")


def _urls(job: Job, state: str, reason: str, limit: int, skip: int) -> Iterator[Ended]:
    if state == NOT_QUEUED:
        for link in refused_in(job.folder, limit, skip):
            yield Ended(*astuple(link))
        return
    if is_made(job.folder / JOB_DATABASE):
        with closing(StoredQueue(job.folder / JOB_DATABASE)) as queue:
            yield from queue.ended(State(state), reason, limit, skip)
        return
    number = 0
    for visit in visits_of(job.folder):
        if not visit.stored and end_of(visit) == (state, reason):
            number += 1
            if 0 <= limit < number - skip:
                return
            if number > skip:
                yield Ended(visit.url, visit.anchor, visit.source_url, visit.score, visit.time)


async def pages_file(request: web.Request) -> web.StreamResponse:
    """`/jobs/JOB/pages.csv`: the kept pages of a job as a file."""
    job, kind = await job_of(request), request.match_info["kind"]
    selection = selection_of(**filters_of(request))

    def write(out: BinaryIO) -> None:
        with job_pages(job.folder) as pages:
            pages.check_whole()
            export_of(kind, job.folder)(pages.best(selection), out)

    return await _file(write, kind, f"{job.name}-pages")


def filters_of(request: web.Request) -> dict[str, Any]:
    """The filters of pages in a query, as arguments of results.jobs.selection_of. ArgumentError for a relevance that is no number."""
    asked = {name: text for name in FILTERS if (text := request.query.get(name, "").strip())}
    least, refused = asked.pop("min_relevance", ""), bool(asked.pop("refused", ""))
    if (known := by_name().get(asked.get("topic", "").lower())) is not None:
        asked["topic"] = known.name
    try:
        return asked | ({"min_relevance": float(least)} if least else {}) | {"refused": refused}
    except ValueError:
        raise ArgumentError(f"relevance {least!r}", "is no number", "give 0 to 1") from None


def number_of(request: web.Request, name: str) -> int:
    """A whole number in the query; 0 for anything else."""
    given = request.query.get(name, "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 12 else 0


def turned(skip: int, rows: int, *, more: bool, **asked: object) -> dict[str, str | None]:
    """The query strings of the previous and the next part of a list; None if there is none."""
    before = query(**asked, skip=max(0, skip - rows)) if skip else None
    return {"earlier": before, "later": query(**asked, skip=skip + rows) if more else None}


async def _file(write: Callable[[BinaryIO], None], kind: str, name: str) -> web.StreamResponse:
    out = tempfile.TemporaryFile()  # noqa: SIM115 the answer closes it
    try:
        await asyncio.to_thread(write, out)
    except BaseException:
        out.close()
        raise
    out.seek(0)
    headers = {
        "Content-Type": f"{_KINDS[kind]}; charset=utf-8",
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(f'{name}.{kind}', safe='')}",
    }
    return web.Response(body=out, headers=headers)
