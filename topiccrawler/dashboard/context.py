"""What all handlers of the dashboard share, and how a request finds it; the handler of a page about a job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from topiccrawler.dashboard.jobs import Job, Jobs
from topiccrawler.dashboard.views import Handler, Session, Views


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
