"""Orders to a running crawl: each goes through its control verb, so it stands in the crawl's log and journal."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from topiccrawler.dashboard import panels
from topiccrawler.dashboard.context import context_of, job_of
from topiccrawler.dashboard.job_view import figures
from topiccrawler.dashboard.texts import Texts
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import CrawlerError

PLAIN = ("pause", "resume", "stop")
SET, BLOCK = "set", "block"
VERBS = (*PLAIN, SET, BLOCK)


async def give(verb: str, request: web.Request) -> web.Response:
    """`POST /jobs/JOB/VERB`."""
    here, job = context_of(request), await job_of(request)
    form = {name: str(value).strip() for name, value in (await request.post()).items()}
    t = here.views.texts(request)
    if verb in PLAIN:
        status = await asyncio.to_thread(ask, job.folder, verb, None, {})
        if "application/json" in request.headers.get("Accept", ""):
            return web.json_response(figures(t, panels.find(job, status, here.data)))
        raise web.HTTPSeeOther(request.path.rpartition("/")[0])
    fault = said = ""
    try:
        found = await asyncio.to_thread(_tell, job.folder, verb, form)
        said = _said(t, verb, found)
    except CrawlerError as error:
        fault = str(error)
    values = {"fault": fault, "said": said, "name": job.name}
    return here.views.page(request, "order_said" if "HX-Request" in request.headers else "order_page", values)


def _tell(folder: Path, verb: str, form: Mapping[str, str]) -> dict[str, Any]:
    preview, value = bool(form.get("preview")), form.get("value", "")
    if verb == SET:
        return ask(folder, verb, body={"name": form.get("name", ""), "value": value, "preview": preview})
    kind = "site" if form.get("kind") == "site" else "pattern"
    return ask(folder, verb, body={kind: value, "preview": preview})


def _said(t: Texts, verb: str, found: Mapping[str, Any]) -> str:
    end = "_preview" if found["preview"] else ""
    if verb == BLOCK:
        return t(f"said_block{end}", dropped=found["dropped"], queued=found["queued"])
    before, after = (_value(t, found.get(f"{key}_name", found[key])) for key in ("before", "after"))
    said = t(f"said_set{end}", name=found["name"], after=after, before=before)
    if found["refused"] is not None:
        said += " " + t(f"said_refused{end}", refused=found["refused"], queued=found["queued"])
    return said


def _value(t: Texts, value: object) -> str:
    if value is None:
        return t("no_limit")
    return f"{value:.4g}" if isinstance(value, float) else str(value)
