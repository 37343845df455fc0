"""What all handlers of the dashboard share, and how a request finds it.

Pushes how a running crawl stands to all browsers that look at it (Server-Sent Events).

One watch a job, however many look, and none while nobody does: each second its status, which costs the crawl a fraction of a
millisecond; what is dearer (the queue, the hosts) as seldom as jobs.Job.once allows.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from topiccrawler.dashboard.jobs import LIVE, Job, Jobs
from topiccrawler.dashboard.views import Handler, Session, Views
from topiccrawler.errors import CrawlerError

SECONDS = 1.0
PANEL_EVERY, CURVE_EVERY = 5, 10  # seconds
MOST_WAITING = 20  # events that a browser may be behind
Seen = dict[str, Any]  # status, and the panels' values by name when they were read
Look = Callable[[Job, bool], Seen]


@dataclass
class _Watch:
    queues: set[asyncio.Queue[Seen | None]] = field(default_factory=set)
    task: asyncio.Task[None] | None = None


class Live:
    """All watches. `look`: reads a job, in a thread; with the panels too when it is told so."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._watches: dict[str, _Watch] = {}

    @asynccontextmanager
    async def watching(self, job: Job) -> AsyncIterator[asyncio.Queue[Seen | None]]:
        """What is seen of a job while somebody looks; None = there is no more."""
        watch = self._watches.setdefault(job.name, _Watch())
        queue: asyncio.Queue[Seen | None] = asyncio.Queue(MOST_WAITING)
        watch.queues.add(queue)
        if watch.task is None or watch.task.done():
            watch.task = asyncio.create_task(self._watch(job, watch))
        try:
            yield queue
        finally:
            watch.queues.discard(queue)
            if not watch.queues:
                self._watches.pop(job.name, None)
                if watch.task is not None:
                    watch.task.cancel()

    async def close(self) -> None:
        """Nobody looks any more."""
        for watch in list(self._watches.values()):
            if watch.task is not None:
                watch.task.cancel()
                with suppress(asyncio.CancelledError):
                    await watch.task
            for queue in watch.queues:
                _put(queue, None)

    async def _watch(self, job: Job, watch: _Watch) -> None:
        number = 0
        while True:
            with suppress(CrawlerError, OSError):
                seen = await asyncio.to_thread(self._look, job, number % PANEL_EVERY == 1)
                seen["curve"] = number % CURVE_EVERY == 2
                for queue in watch.queues:
                    _put(queue, seen)
                if seen["status"]["state"] not in LIVE:
                    for queue in watch.queues:
                        _put(queue, None)
                    return
            number += 1
            await asyncio.sleep(SECONDS)


def _put(queue: asyncio.Queue[Any], what: Any) -> None:
    if queue.full():
        queue.get_nowait()  # a browser that sleeps gets the newest
    queue.put_nowait(what)


def event(name: str, what: Any) -> bytes:
    """One event as it goes over the wire."""
    return f"event: {name}\ndata: {json.dumps(what, ensure_ascii=False)}\n\n".encode()


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
