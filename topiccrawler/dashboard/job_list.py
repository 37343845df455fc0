"""The list of all jobs."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from aiohttp import web

from topiccrawler.crawling.job_files import VISITS
from topiccrawler.dashboard.context import Context, context_of
from topiccrawler.dashboard.jobs import LIVE, mark
from topiccrawler.dashboard.panels import topic_name
from topiccrawler.errors import CrawlerError

_SECONDS = 0.06  # for reading logs that were not read yet; the next request goes on
_UNREAD_SECONDS, _LIVE_SECONDS = 0.5, 3  # until the list asks again
_MOST = 500


async def page(request: web.Request) -> web.Response:
    """`/`."""
    return await _answer(request, "jobs")


async def table(request: web.Request) -> web.Response:
    """`/jobs-table`: the same without its surroundings."""
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
            continue  # it has gone
        rows.append(row)
        unread |= not read
    live = any(row["state"] in LIVE for row in rows)
    return {
        "jobs": rows,
        "data": here.data,
        "refresh": _UNREAD_SECONDS if unread else _LIVE_SECONDS if live else 0,
    }


def _row(here: Context, name: str, seconds: float) -> tuple[dict[str, Any], bool]:
    job = here.jobs.get(name)
    seen = mark(job.folder / VISITS)
    known = here.jobs.figures.get(name)
    read = True
    if known is None or known[0] != seen:
        read = seconds > 0 and job.log.advance(seconds) >= 1
        tally = job.log.tally
        known = (seen, {"pages": tally.fetched, "kept": tally.kept, "began": tally.began})
        if read:
            here.jobs.figures[name] = known
        else:
            known = (seen, {"pages": None, "kept": None, "began": tally.began})
    status, recipe = job.status(), job.recipe()
    found: dict[str, Any] = {**known[1], **{key: status[key] for key in ("pages", "kept") if key in status}}
    return {
        "name": name,
        "state": status["state"],
        "topic": topic_name(recipe),
        "strategy": "" if recipe is None else recipe.strategy,
        "rate": found["kept"] / found["pages"] if found["pages"] else None,
        **found,
    }, read
