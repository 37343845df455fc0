"""Serves a job's page and its panels, while the crawl runs and after it has ended, and sends orders to a running crawl.

`give` sends each order through the crawl's control verb, so that it is recorded in the crawl's log and journal.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from aiohttp import web

from topiccrawler.crawling.job_files import JOB, OUTPUT
from topiccrawler.crawling.recipe import STRATEGY_PREFIX
from topiccrawler.dashboard import panels
from topiccrawler.dashboard.jobs import FAILED, LIVE, NO_BEGIN, WAIT_SECONDS, Job
from topiccrawler.dashboard.starting import can_go_on
from topiccrawler.dashboard.texts import Texts
from topiccrawler.dashboard.views import Context, Values, about_job, context_of, count, job_of, percent, shown
from topiccrawler.engine.control.client import ask, judge_if_changed, orders
from topiccrawler.errors import CrawlerError
from topiccrawler.results.report import made_from
from topiccrawler.strategies import STRATEGIES

CHANGEABLE = ("page_threshold", "link_threshold", "pages", "targets", "until", "topic")
_COUNTS = (
    "pages",
    "kept",
    "articles",
    "lists",
    "stubs",
    "relevant",
    "queued",
    "relevant_waiting",
    "in_flight",
    "hosts",
    "failed",
)
_OF_THE_LOG, UNREAD = (
    ("recent_rate", "failed"),
    "…",
)  # figures of a running job that its log has, until it is read
SECONDS = 1.0  # between two events
PANEL_EVERY, CURVE_EVERY = 5, 10  # events between two updates of the panels, of the curve


def values(job: Job, data: Path, status: Mapping[str, Any], wait: float = WAIT_SECONDS) -> Values:
    """The values of the four panels. `wait`: as in jobs.Job.once."""
    is_read = job.share >= 1  # else these lists would look whole
    sites = panels.where(job, wait=wait) if is_read else []
    bad = panels.wrong(job, wait) if is_read else []
    return {
        "job": job,
        "status": status,
        "find": panels.find(job, status, data, wait),
        "sites": sites[: panels.SHOWN_SITES],
        "sites_known": len(sites),
        "sites_new": sum(site["new"] for site in sites),
        "next": panels.following(job, panels.SHOWN_NEXT, wait),
        "wrong": bad[: panels.SHOWN_OUTCOMES],
        "wrong_more": len(bad) if len(bad) > panels.SHOWN_OUTCOMES else 0,
    }


def look(job: Job, data: Path, *, whole: bool) -> Values | None:
    """The present figures of a running job; with `whole`, the values of all panels. None when it cannot be read. Blocks."""
    try:
        status = job.status()
        job.advance()
        if whole:
            return values(job, data, status)
        return {"status": status, "find": panels.find(job, status, data)}
    except (CrawlerError, OSError):
        return None


@about_job("job")
def page(here: Context, job: Job, _: web.Request) -> Values:
    """`/jobs/JOB`: served at once; values that are not read yet follow by `/jobs/JOB/reading`."""
    status, recipe = job.status(), job.recipe()
    job.advance()
    parameters = getattr(STRATEGIES.get(recipe.strategy), "changeable", ()) if recipe is not None else ()
    return {
        **values(job, here.data, status, NO_BEGIN),
        **_about(job, NO_BEGIN),
        "live": status["state"] in LIVE,
        "recipe": recipe,
        "topic": panels.topic_name(recipe),
        "words": job.fault or job.last_words if status["state"] == FAILED else "",
        "killed": status["state"] == FAILED and job.was_killed,
        "changeable": [*CHANGEABLE, *(f"{STRATEGY_PREFIX}{name}" for name in parameters)],
    }


def _about(job: Job, wait: float) -> Values:
    """The topic, the settings and the orders of a job."""
    made = job.once("made", JOB, lambda: made_from(job.folder), wait) or {"keywords": [], "settings": {}}
    given = [
        {"time": order.pop("time", 0.0), "verb": order.pop("verb"), "what": _plain(order)}
        for order in orders(job.folder)
    ]
    return {
        **{name: made.get(name) for name in ("keywords", "understood", "judging", "terms", "leading")},
        "settings": made["settings"],
        "orders": list(reversed(given)),
        "has_output": (job.folder / OUTPUT).is_file(),
        "can_go_on": can_go_on(job),
    }


def _plain(order: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in order.items() if value not in ("", None))


async def reading(request: web.Request) -> web.Response:
    """`/jobs/JOB/reading`: the panels, polled while a long log is being read."""
    answer = await shown(request, "reading", _read_on)
    answer.headers["HX-Trigger-After-Swap"] = "read"
    return answer


def _read_on(here: Context, job: Job, _: web.Request) -> Values:
    status = _begun(job)
    return values(job, here.data, status) | _about(job, WAIT_SECONDS)


def _begun(job: Job) -> Mapping[str, Any]:
    """The status of a job, after starting all slow reads at once."""
    status = job.status()
    panels.prepare(job)
    job.advance()
    return status


async def curve(request: web.Request) -> web.Response:
    """`/jobs/JOB/curve.json`: the harvest curves."""
    here, job = context_of(request), await job_of(request)
    found = await asyncio.to_thread(panels.curves, job, here.data)
    return web.json_response(found)


async def events(request: web.Request) -> web.StreamResponse:
    """`/jobs/JOB/events`: the state of a running crawl as Server-Sent Events."""
    here, job = context_of(request), await job_of(request)
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await answer.prepare(request)
    with suppress(ConnectionError):  # the browser has closed the connection
        await _push(here, request, job, answer)
    return answer


async def _push(here: Context, request: web.Request, job: Job, answer: web.StreamResponse) -> None:
    """Send the figures each second while the crawl runs; the panels, which cost more, less often and as jobs.Job.once allows."""
    texts = here.views.texts(request)
    for second in itertools.count():
        seen = await asyncio.to_thread(look, job, here.data, whole=second % PANEL_EVERY == 1)
        if seen is None:
            await answer.write(b": here\n\n")
        else:
            await answer.write(_event("figures", figures(texts, seen["find"])))
            for name in panels.PANELS[1:] if "sites" in seen else ():
                html = here.views.text(request, f"panel_{name}", seen)
                await answer.write(_event("panel", {"name": name, "html": html}))
            if second % CURVE_EVERY == 2:
                await answer.write(_event("curve", {}))
            if seen["status"]["state"] not in LIVE:
                return
        await asyncio.sleep(SECONDS)


def _event(name: str, what: Any) -> bytes:
    """One server-sent event as bytes."""
    return f"event: {name}\ndata: {json.dumps(what, ensure_ascii=False)}\n\n".encode()


def figures(t: Texts, find: Mapping[str, Any]) -> dict[str, Any]:
    """The texts of the figures, by the names of their elements on the page."""
    plain = {name: count(find[name]) for name in _COUNTS}
    speed = "–" if find["speed"] is None else f"{find['speed']:.1f}"
    rates = {name: percent(find[name]) for name in ("rate", "recent_rate", "promise")}
    unread = {} if find["is_read"] else dict.fromkeys(_OF_THE_LOG, UNREAD)
    spoken = f"{t('pages')} {plain['pages']}, {t('kept')} {plain['kept']}, {t('harvest')} {rates['rate']}"
    return {
        "state": find["state"],
        "state_text": t(f"state_{find['state']}"),
        "figures": {
            **plain,
            **rates,
            **unread,
            "speed": speed,
            "standing": t.known("standing", find["standing"]),
        },
        "spoken": spoken,
    }


@about_job("queue")
def queue(here: Context, job: Job, _: web.Request) -> Values:
    """`/jobs/JOB/queue`: the next TOP URLs of the queue."""
    status = _begun(job)
    return {"find": panels.find(job, status, here.data), "next": panels.following(job)}


@about_job("outcomes")
def outcomes(_: Context, job: Job, __: web.Request) -> Values:
    """`/jobs/JOB/outcomes`: all reasons why URLs failed or were discarded."""
    job.advance()
    return {"wrong": panels.wrong(job), "wrong_more": 0}


@about_job("log")
def output(_: Context, job: Job, __: web.Request) -> Values:
    """`/jobs/JOB/log`: the end of the crawl's output."""
    return {"lines": job.output()}


PLAIN = ("pause", "resume", "stop")
SET, BLOCK = "set", "block"
VERBS = (*PLAIN, SET, BLOCK)


async def give(verb: str, request: web.Request) -> web.Response:
    """`POST /jobs/JOB/VERB`: send an order to the running crawl, or preview it."""
    here, job = context_of(request), await job_of(request)
    form = {name: str(value).strip() for name, value in (await request.post()).items()}
    t = here.views.texts(request)
    if verb in PLAIN:
        status = await asyncio.to_thread(ask, job.folder, verb, {})
        if "application/json" in request.headers.get("Accept", ""):
            return web.json_response(figures(t, panels.find(job, status, here.data)))
        raise web.HTTPSeeOther(request.path.rpartition("/")[0])
    fault = said = ""
    try:
        found = await asyncio.to_thread(_send, job.folder, verb, form)
        said = _confirmation(t, verb, found)
    except CrawlerError as error:
        fault = str(error)
    values = {"fault": fault, "said": said, "name": job.name}
    return here.views.page(request, "order_said" if "HX-Request" in request.headers else "order_page", values)


def _send(folder: Path, verb: str, form: Mapping[str, str]) -> dict[str, Any]:
    preview, value = bool(form.get("preview")), form.get("value", "")
    kind = "site" if form.get("kind") == "site" else "pattern"
    order = {"name": form.get("name", ""), "value": value} if verb == SET else {kind: value}
    found: dict[str, Any] = ask(folder, verb, body={**order, "preview": preview})
    if verb == SET:
        judge_if_changed(folder, found)
    return found


def _confirmation(t: Texts, verb: str, found: Mapping[str, Any]) -> str:
    """The text that confirms an order, or describes its effect if it is only a preview."""
    end = "_preview" if found["preview"] else ""
    if verb == BLOCK:
        return t(f"said_block{end}", dropped=found["dropped"], queued=found["queued"])
    before, after = (_value(t, found.get(f"{key}_name", found[key])) for key in ("before", "after"))
    text = t(f"said_set{end}", name=found["name"], after=after, before=before)
    if found["refused"] is not None:
        text += " " + t(f"said_refused{end}", refused=found["refused"], queued=found["queued"])
    return text


def _value(t: Texts, value: object) -> str:
    if value is None:
        return t("no_limit")
    return f"{value:.4g}" if isinstance(value, float) else str(value)
