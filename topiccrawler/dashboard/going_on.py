"""A job that was started from the form and has ended goes on, with what the form said then.

What its folder holds is checked as the form is: whoever can write there cannot have more started than who fills in the form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from topiccrawler.crawling.params import STRATEGY_PREFIX
from topiccrawler.dashboard.jobs import LIVE, Job, Jobs
from topiccrawler.dashboard.starting import ARGUMENTS, ORDER, Order, begin, check, is_allowed, refusal
from topiccrawler.engine.control.address import FILE as CONTROL
from topiccrawler.errors import StateError, file_faults

_KEPT = TypeAdapter(dict[str, dict[str, str]])


def can_go_on(job: Job) -> bool:
    """It was started from the form."""
    return (job.folder / ORDER).is_file()


def go_on(job: Job, jobs: Jobs, defaults: Mapping[str, Any]) -> Job:
    """Begin it again; StateError when it runs, was started elsewhere, or what is kept of the form is wrong."""
    what = f"job {job.name}"
    if job.status()["state"] in LIVE:
        raise StateError(what, "is running", "look at its page")
    if not can_go_on(job):
        raise StateError(what, "was not started from here", "give its command again")
    order = _order(job.folder / ORDER, job.name)
    for name in order.arguments:
        if name not in ARGUMENTS and not name.startswith(STRATEGY_PREFIX):
            order.faults[name] = f"argument {name[:40]!r} cannot be given here"
    for name in order.settings:
        if not is_allowed(name):
            order.faults[name] = refusal(name)
    if not order.faults:
        check(order, defaults)
    if order.faults:
        raise StateError(what, f"cannot go on: {next(iter(order.faults.values()))}", "give its command again")
    (job.folder / CONTROL).unlink(missing_ok=True)  # of a crawl that was killed
    return begin(order, jobs)


def _order(path: Path, name: str) -> Order:
    with file_faults(StateError, path, "cannot be read", "give the job's command again"):
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        kept = _KEPT.validate_python(json.loads(text))
        return Order(kept["arguments"], kept["settings"], name)
    except (ValueError, KeyError, ValidationError) as error:
        fault = f"is damaged ({type(error).__name__})"
        raise StateError(str(path), fault, "give the job's command again") from None
