"""Which pages a run with `-a revisit=true` looks at again, before it begins."""

from __future__ import annotations

import math
from pathlib import Path
from random import Random

from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from topiccrawler.crawling.job_files import CHECKS, VISITS
from topiccrawler.crawling.revisiting import Due, known_pages, ranked
from topiccrawler.engine.revisits import Revisits
from topiccrawler.engine.runtime import Runtime
from topiccrawler.engine.scheduler import is_focused
from topiccrawler.errors import ArgumentError
from topiccrawler.store.visits import read_visits

_ARGUMENT = "argument -a revisit=true"


def check_revisit(settings: BaseSettings) -> None:
    """ArgumentError without a queue and a log of an earlier run, and under another project's scheduler; nothing is made yet."""
    if not is_focused(load_object(settings["SCHEDULER"])):
        raise ArgumentError(_ARGUMENT, "needs our scheduler", "leave SCHEDULER as it is")
    jobdir = settings.get("JOBDIR")
    if not jobdir or not (Path(jobdir) / VISITS).is_file():
        raise ArgumentError(
            _ARGUMENT, "there is no earlier crawl to go on with", "name its folder: -s JOBDIR=FOLDER"
        )


def plan_revisits(runtime: Runtime, settings: BaseSettings) -> None:
    """Give the runtime its revisits. Of `pages` they take TOPIC_REVISIT_SHARE; the rest is for new pages."""
    files = runtime.files
    log = files.folder / VISITS
    checks = list(files.checks.all()) if (files.folder / CHECKS).is_file() else []
    # The draws differ from run to run, and are the same when a run is repeated.
    random = Random(sum(check.looks + check.misses for check in checks))
    found = ranked(known_pages(read_visits(log), checks), runtime.clock(), random)
    limit = runtime.params.pages
    if limit is not None:
        found = found[: math.ceil(limit * settings.getfloat("TOPIC_REVISIT_SHARE"))]
        new = runtime.harvest.pages + limit - len(found)
        runtime.params = runtime.params.model_copy(update={"pages": new})
    due = [Due(page.check, value) for value, page in found]
    runtime.revisits = Revisits(due, files, runtime.frontier.listing, runtime.reader.own_text)
