"""What all handlers of the dashboard share, and how a request finds it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from topiccrawler.dashboard.jobs import Job, Jobs
from topiccrawler.dashboard.live import Live
from topiccrawler.dashboard.session import Session
from topiccrawler.dashboard.views import Views


@dataclass(frozen=True, slots=True)
class Context:
    """One dashboard."""

    data: Path  # the folder of jobs
    jobs: Jobs
    session: Session
    views: Views
    live: Live
    settings: dict[str, Any]  # what of the project's settings the form's checks read


CONTEXT = web.AppKey("context", Context)


def context_of(request: web.Request) -> Context:
    """The dashboard that is asked."""
    return request.app[CONTEXT]


async def job_of(request: web.Request) -> Job:
    """The job that is named in the address; ArgumentError for none."""
    return await asyncio.to_thread(context_of(request).jobs.get, request.match_info["job"])
