"""The form that starts a job."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from aiohttp import web

from topiccrawler.dashboard.context import context_of, job_of
from topiccrawler.dashboard.going_on import go_on
from topiccrawler.dashboard.starting import FIELDS, Order, read_form
from topiccrawler.dashboard.starting import start as begin
from topiccrawler.dashboard.views import part
from topiccrawler.errors import CrawlerError
from topiccrawler.relevance.base import PAGE_CLASSIFIERS
from topiccrawler.strategies import STRATEGIES
from topiccrawler.topics.catalogue import topic_names


async def form(request: web.Request) -> web.Response:
    """`/new`."""
    return _page(request, {}, {})


async def start(request: web.Request) -> web.Response:
    """`POST /new`: the form again with what is wrong beside each field, or the new job's page."""
    here = context_of(request)
    given = {name: str(value) for name, value in (await request.post()).items()}

    def work() -> Order:
        order = read_form(given, here.jobs, here.settings)
        if not order.faults:
            try:
                begin(order, here.jobs)
            except CrawlerError as error:
                order.faults[""] = str(error)
        return order

    order = await asyncio.to_thread(work)
    if order.faults:
        return _page(request, given, order.faults, 422)
    raise web.HTTPSeeOther(f"/jobs/{part(order.job)}")


async def again(request: web.Request) -> web.Response:
    """`POST /jobs/JOB/go-on`: the job's page."""
    here, job = context_of(request), await job_of(request)
    await asyncio.to_thread(go_on, job, here.jobs, here.settings)
    raise web.HTTPSeeOther(f"/jobs/{part(job.name)}")


def _page(
    request: web.Request, given: Mapping[str, str], faults: Mapping[str, str], status: int = 200
) -> web.Response:
    values = {
        "given": {name: given.get(name, "") for name in FIELDS},
        "faults": faults,
        "topics": topic_names(),
        "strategies": sorted(STRATEGIES),
        "classifiers": sorted(PAGE_CLASSIFIERS),
    }
    return context_of(request).views.page(request, "new", values, status)
