"""A job started from a form: the arguments of `scrapy crawl topic`, checked by the command's own checks, in a process of its own.

The crawl outlives the dashboard. Settings are taken from a fixed list: none of them names code to load, a program to run, a folder of
another user, or an address that the crawl would listen on.

A job that has ended goes on: one that was started from the form with what the form said then, one of the command line as its folder says
(crawling.page_stores.arguments_of), with the settings of topiccrawler.

What its folder holds is checked as the form is: whoever can write there cannot have more started than who fills in the form.

The form that starts a job.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from topiccrawler import settings as ours
from topiccrawler.crawling.job_files import FRONTIER, OUTPUT, job_line, start_scrapy
from topiccrawler.crawling.page_stores import arguments_of
from topiccrawler.crawling.recipe import STRATEGY_PREFIX, CrawlParams, parse_arguments
from topiccrawler.crawling.settings_check import check_settings
from topiccrawler.dashboard.jobs import LIVE, Job, Jobs
from topiccrawler.dashboard.views import context_of, job_of, part
from topiccrawler.engine.control.client import FILE as CONTROL
from topiccrawler.errors import ArgumentError, CrawlerError, SeedsError, StateError, file_faults
from topiccrawler.files import package_table
from topiccrawler.relevance.base import PAGE_CLASSIFIERS
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.topics.catalogue import (
    load_topics,
    topic_from_keywords,
    topic_names,
    united,
    with_site_rules,
)

ARGUMENTS = tuple(name for name in CrawlParams.model_fields if name not in {"job", "parameters", "revisit"})
JOB, PARAMETERS, SETTINGS = "job", "parameters", "settings"
ORDER = "order.json"  # in the job's folder: what the form said
FIELDS = (*ARGUMENTS, JOB, PARAMETERS, SETTINGS)
ALLOWED = re.compile(
    r"TOPIC_\w+|FRONTIER_\w+|DOWNLOAD_DELAY|CONCURRENT_REQUESTS\w*|ROBOTSTXT_OBEY|REPLAY_WARC|CLOSESPIDER_\w+",
    re.ASCII,
)
_SETTINGS = package_table("dashboard/settings.toml")
REFUSED, SCRAPYS = (frozenset(_SETTINGS[of]) for of in ("refused", "of_scrapy"))
_REMEDY = "allowed: TOPIC_…, FRONTIER_…, DOWNLOAD_DELAY, CONCURRENT_REQUESTS…, ROBOTSTXT_OBEY, REPLAY_WARC, CLOSESPIDER_…"
_NAMED = re.compile(r"argument (?:-a (\w+)=|'(\w+)')")
_SECONDS = 15.0  # at most, until the crawl answers or has ended: one that cannot begin is told of in the form
_LOOK_SECONDS = 0.05


@dataclass
class Order:
    """What a form says, as the command takes it. `faults`: field -> what is wrong with it; "" = with all of it."""

    arguments: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    job: str = ""
    faults: dict[str, str] = field(default_factory=dict)


def read_form(given: Mapping[str, str], jobs: Jobs, defaults: Mapping[str, Any]) -> Order:
    """Look at every field. `defaults`: the project's settings."""
    order = Order({name: text for name in ARGUMENTS if (text := given.get(name, "").strip())})
    if "seeds" in order.arguments:
        order.arguments["seeds"] = ",".join(_lines(given, "seeds"))
    for line in _lines(given, PARAMETERS):
        name, sign, value = line.partition("=")
        if not sign or not name.startswith(STRATEGY_PREFIX):
            order.faults[PARAMETERS] = f"{line!r} is no parameter; write {STRATEGY_PREFIX}NAME=VALUE"
        order.arguments[name.strip()] = value.strip()
    for line in _lines(given, SETTINGS):
        name, sign, value = (part.strip() for part in line.partition("="))
        if not sign or not is_allowed(name):
            order.faults[SETTINGS] = refusal(name)
        order.settings[name] = value
    if not order.faults:
        check(order, defaults)
    order.job = given.get(JOB, "").strip() or _name(order, jobs)
    if not re.fullmatch(r"[\w][\w.-]{0,79}", order.job):
        order.faults[JOB] = f"job {order.job!r} is no plain folder name; use letters, digits and dashes"
    elif (jobs.data / order.job).exists():
        order.faults[JOB] = f"job {order.job!r} exists; give another name"
    return order


def is_allowed(name: str) -> bool:
    """The setting is one of the list, and there is such a setting."""
    known = name in SCRAPYS or (name.isupper() and hasattr(ours, name))
    return known and name not in REFUSED and ALLOWED.fullmatch(name) is not None


def refusal(name: str) -> str:
    """Of a setting that is not allowed."""
    return str(ArgumentError(f"setting {name}", "cannot be given here", _REMEDY))


def _lines(given: Mapping[str, str], name: str) -> list[str]:
    return [line.strip() for line in given.get(name, "").splitlines() if line.strip()]


def check(order: Order, defaults: Mapping[str, Any]) -> None:
    """By the command's own checks, in its order, with its messages."""
    where = ""
    try:
        strategy = str(defaults.get("TOPIC_STRATEGY"))
        params = parse_arguments(order.arguments, topic=defaults.get("TOPIC"), strategy=strategy)
        where = SETTINGS
        check_settings(order.settings)
        where = PARAMETERS if params.parameters else "strategy"
        build(params.strategy, params.parameters)
        where = "topic" if params.topic else "keywords"
        topic = united(load_topics(params.topic)) if params.topic else topic_from_keywords(params.keywords)
        where = "sites"
        with_site_rules(topic, params.sites)
        where = "seeds"
        if not read_seeds(params.seeds, topic).positive:
            raise SeedsError("seeds", "there are none", "give some: URLs or a file")
    except CrawlerError as error:
        named = _NAMED.match(error.what)
        place = (named[1] or named[2]) if named else where
        if place.startswith(STRATEGY_PREFIX):
            place = PARAMETERS
        order.faults[place if place in FIELDS else ""] = str(error)


def _name(order: Order, jobs: Jobs) -> str:
    words = order.arguments.get("topic") or re.sub(r":[\d.]+", "", order.arguments.get("keywords", ""))
    topic = re.sub(r"[^\w-]+", "-", words).strip("-")[:40] or "keywords"
    name, number = f"{topic}-{time.strftime('%Y%m%d-%H%M%S')}", 1
    while (jobs.data / name).exists():
        number += 1
        name = f"{name.partition('+')[0]}-{number}"
    return name


def line_of(order: Order, folder: Path) -> list[str]:
    """What is typed behind `scrapy`."""
    return job_line(order.arguments, {**order.settings, "TOPIC_CONTROL": "True"}, folder)


def start_job(order: Order, jobs: Jobs) -> Job:
    """Begin the crawl; StateError with its last line when it ends at once with an error."""
    folder = jobs.data.absolute() / order.job
    with file_faults(StateError, f"folder {folder}", "cannot be made", "choose another data folder"):
        folder.mkdir(parents=True)
        kept = {"arguments": order.arguments, "settings": order.settings}
        (folder / ORDER).write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    return begin(order, jobs, folder)


def begin(order: Order, jobs: Jobs, folder: Path) -> Job:
    """Its process, in the folder that is there."""
    folder = folder.absolute()
    with file_faults(StateError, f"folder {folder}", "cannot be written", "choose another data folder"):
        output = (folder / OUTPUT).open("ab")
    with output:
        process = start_scrapy(line_of(order, folder), output, os.environ, own_session=True)
    job = jobs.started(order.job, process)
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None and not (folder / CONTROL).is_file():
        try:
            process.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    if process.poll():
        raise StateError(f"job {order.job}", f"ended at once: {job.last_words}", f"see {folder / OUTPUT}")
    return job


_KEPT = TypeAdapter(dict[str, dict[str, str]])


def can_go_on(job: Job) -> bool:
    """It was started from the form, or has its queue in its folder and says what it was made from."""
    return (job.folder / ORDER).is_file() or ((job.folder / FRONTIER).is_file() and job.recipe() is not None)


def go_on(job: Job, jobs: Jobs, defaults: Mapping[str, Any], pages: str = "") -> Job:
    """Begin it again, as the form said, or else as its folder says; StateError when it runs, has no queue, or what is kept of it is wrong.
    `pages`: another limit of pages, of the whole job; empty = the form's, or none."""
    what = f"job {job.name}"
    if job.status()["state"] in LIVE:
        raise StateError(what, "is running", "look at its page")
    if not can_go_on(job):
        raise StateError(what, "has no queue to go on with (JOBDIR)", "give its command again")
    is_form = (job.folder / ORDER).is_file()
    order = _order(job.folder / ORDER, job.name) if is_form else Order(arguments_of(job.folder), job=job.name)
    if pages:
        order.arguments["pages"] = pages
    _check_kept(order, defaults)
    if not is_form:  # the crawl reads the rest from the folder, which may be long
        order.arguments = {"pages": pages} if pages else {}
    (job.folder / CONTROL).unlink(missing_ok=True)  # of a crawl that was killed
    return begin(order, jobs, job.folder)


def _check_kept(order: Order, defaults: Mapping[str, Any]) -> None:
    """StateError when it says more than a form may."""
    for name in order.arguments:
        if name not in ARGUMENTS and not name.startswith(STRATEGY_PREFIX):
            order.faults[name] = f"argument {name[:40]!r} cannot be given here"
    for name in order.settings:
        if not is_allowed(name):
            order.faults[name] = refusal(name)
    if not order.faults:
        check(order, defaults)
    if order.faults:
        fault = f"cannot go on: {next(iter(order.faults.values()))}"
        raise StateError(f"job {order.job}", fault, "give its command again")


def _order(path: Path, name: str) -> Order:
    with file_faults(StateError, path, "cannot be read", "give the job's command again"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        kept = _KEPT.validate_python(json.loads(text))
        return Order(kept["arguments"], kept["settings"], name)
    except (ValueError, KeyError, ValidationError) as error:
        fault = f"is damaged ({type(error).__name__})"
        raise StateError(str(path), fault, "give the job's command again") from None


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
                start_job(order, here.jobs)
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
    pages = str((await request.post()).get("pages", "")).strip()
    await asyncio.to_thread(go_on, job, here.jobs, here.settings, pages)
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
