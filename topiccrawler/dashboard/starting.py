"""Starts jobs from the form and resumes jobs that have ended, each in a process of its own that outlives the dashboard.

A job from the form is resumed with the contents of that form. A job of the command line is resumed with the arguments in its folder
(crawling.page_stores.arguments_of) and the settings of topiccrawler. Stored arguments are checked like a form, so that someone who can
write to the folder cannot start more than a form can.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from topiccrawler.crawling.job_files import OUTPUT
from topiccrawler.crawling.launching import job_line, start_scrapy
from topiccrawler.crawling.page_stores import arguments_of
from topiccrawler.crawling.recipe import STRATEGY_PREFIX
from topiccrawler.dashboard.job_form import (
    ARGUMENTS,
    FIELDS,
    FIRST,
    JobForm,
    check,
    is_allowed,
    read_form,
    refusal,
)
from topiccrawler.dashboard.jobs import LIVE, Job, Jobs
from topiccrawler.dashboard.views import context_of, job_of, part
from topiccrawler.engine.control.client import FILE as CONTROL
from topiccrawler.errors import ArgumentError, CrawlerError, StateError, file_faults
from topiccrawler.frontier.stored_queue import is_made
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.relevance.base import PAGE_CLASSIFIERS
from topiccrawler.strategies import STRATEGIES
from topiccrawler.topics.catalogue import (
    topic_names,
)

ORDER = "order.json"  # in the job's folder: the contents of the form
# at most, until the crawl answers or has ended: one that cannot begin is reported in the form
_SECONDS = 15.0
_LOOK_SECONDS = 0.05


def line_of(form: JobForm, folder: Path) -> list[str]:
    """The command line of a job, without `scrapy` itself."""
    return job_line(form.arguments, {**form.settings, "TOPIC_CONTROL": "True"}, folder)


def start_job(form: JobForm, jobs: Jobs) -> Job:
    """Store the form and start the crawl. StateError with the last line of output when it ends at once with an error."""
    folder = jobs.data.absolute() / form.job
    with file_faults(StateError, f"folder {folder}", "cannot be made", "choose another data folder"):
        folder.mkdir(parents=True)
        kept = {"arguments": form.arguments, "settings": form.settings}
        (folder / ORDER).write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    return begin(form, jobs, folder)


def begin(form: JobForm, jobs: Jobs, folder: Path) -> Job:
    """Start the process of a job in its existing folder, and wait until it answers or ends. StateError when it ends with an error."""
    folder = folder.absolute()
    with file_faults(StateError, f"folder {folder}", "cannot be written", "choose another data folder"):
        output = (folder / OUTPUT).open("ab")
    with output:
        process = start_scrapy(line_of(form, folder), output, os.environ, own_session=True)
    job = jobs.started(form.job, process)
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None and not (folder / CONTROL).is_file():
        try:
            process.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    if process.poll():
        raise StateError(f"job {form.job}", f"ended at once: {job.last_words}", f"see {folder / OUTPUT}")
    return job


_KEPT = TypeAdapter(dict[str, dict[str, str]])


def can_go_on(job: Job) -> bool:
    """Whether a job can be resumed: it was started from the form, or its folder has its queue and its recipe."""
    return (job.folder / ORDER).is_file() or (is_made(job.folder / JOB_DATABASE) and job.recipe() is not None)


def go_on(job: Job, jobs: Jobs, defaults: Mapping[str, Any], pages: str = "") -> Job:
    """Resume a job with the arguments of its form, or else of its folder. `pages`: a new limit of pages for the whole job; empty = that of
    the form, or none. StateError when it is running, has no queue, or its stored arguments are wrong."""
    what = f"job {job.name}"
    if job.status()["state"] in LIVE:
        raise StateError(what, "is running", "look at its page")
    if not can_go_on(job):
        raise StateError(what, "has no queue to go on with (JOBDIR)", "give its command again")
    is_form = (job.folder / ORDER).is_file()
    form = (
        _kept_form(job.folder / ORDER, job.name)
        if is_form
        else JobForm(arguments_of(job.folder), job=job.name)
    )
    if pages:
        form.arguments["pages"] = pages
    _check_kept(form, defaults)
    if not is_form:  # the crawl reads the others from the folder, because they may be long
        form.arguments = {"pages": pages} if pages else {}
    (job.folder / CONTROL).unlink(missing_ok=True)  # left by a crawl that was killed
    return begin(form, jobs, job.folder)


def _check_kept(form: JobForm, defaults: Mapping[str, Any]) -> None:
    """Check stored arguments and settings. StateError when they contain what a form may not set."""
    for name in form.arguments:
        if name not in ARGUMENTS and not name.startswith(STRATEGY_PREFIX):
            form.faults[name] = [
                ArgumentError(f"argument {name[:40]!r}", "cannot be given here", "remove it")
            ]
    for name in form.settings:
        if not is_allowed(name):
            form.faults[name] = [refusal(name)]
    if not form.faults:
        check(form, defaults)
    if form.faults:
        fault = f"cannot go on: {next(iter(form.faults.values()))[0]}"
        raise StateError(f"job {form.job}", fault, "give its command again")


def _kept_form(path: Path, name: str) -> JobForm:
    with file_faults(StateError, path, "cannot be read", "give the job's command again"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        kept = _KEPT.validate_python(json.loads(text))
        return JobForm(kept["arguments"], kept["settings"], name)
    except (ValueError, KeyError, ValidationError) as error:
        fault = f"is damaged ({type(error).__name__})"
        raise StateError(str(path), fault, "give the job's command again") from None


async def page(request: web.Request) -> web.Response:
    """`/new`: the empty form for a new job."""
    return _page(request, {}, {})


async def start(request: web.Request) -> web.Response:
    """`POST /new`: start the job and redirect to its page; or serve the form again with the errors beside its fields."""
    here = context_of(request)
    given = {name: str(value) for name, value in (await request.post()).items()}

    def work() -> JobForm:
        form = read_form(given, here.jobs, here.settings)
        if not form.faults:
            with form.noting(""):
                start_job(form, here.jobs)
        return form

    form = await asyncio.to_thread(work)
    if form.faults:
        return _page(request, given, form.faults, 422)
    raise web.HTTPSeeOther(f"/jobs/{part(form.job)}")


async def again(request: web.Request) -> web.Response:
    """`POST /jobs/JOB/go-on`: resume the job and redirect to its page."""
    here, job = context_of(request), await job_of(request)
    pages = str((await request.post()).get("pages", "")).strip()
    await asyncio.to_thread(go_on, job, here.jobs, here.settings, pages)
    raise web.HTTPSeeOther(f"/jobs/{part(job.name)}")


def _page(
    request: web.Request,
    given: Mapping[str, str],
    faults: Mapping[str, Sequence[CrawlerError]],
    status: int = 200,
) -> web.Response:
    here = context_of(request)
    t = here.views.texts(request)
    values = {
        "given": {name: given.get(name, "") for name in FIELDS},
        "faults": {name: [t.fault(name, error) for error in of_field] for name, of_field in faults.items()},
        "first_fault": next((name for name in FIELDS if name in faults), ""),
        "folded_open": any(given.get(name) or name in faults for name in FIELDS if name not in FIRST),
        "topics": topic_names(),
        "strategies": sorted(STRATEGIES),
        "classifiers": sorted(PAGE_CLASSIFIERS),
    }
    return here.views.page(request, "new", values, status)
