"""Reads the form for a new job: the arguments of `scrapy crawl topic`, checked by the command's own checks.

Only settings of a fixed list are accepted: none of them names code to load, a program to run, or a folder of another user.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from topiccrawler import settings as ours
from topiccrawler.crawling.recipe import STRATEGY_PREFIX, CrawlParams, parse_arguments
from topiccrawler.crawling.settings_check import check_settings
from topiccrawler.dashboard.jobs import Jobs
from topiccrawler.errors import ArgumentError, CrawlerError, SeedsError
from topiccrawler.resources import package_table
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.strategies import build
from topiccrawler.topics.catalogue import (
    load_topics,
    topic_from_keywords,
    united,
    with_site_rules,
)

ARGUMENTS = tuple(name for name in CrawlParams.model_fields if name not in {"job", "parameters", "revisit"})
JOB, PARAMETERS, SETTINGS = "job", "parameters", "settings"
FIELDS = (*ARGUMENTS, JOB, PARAMETERS, SETTINGS)
ALLOWED = re.compile(
    r"TOPIC_\w+|FRONTIER_\w+|DOWNLOAD_DELAY|CONCURRENT_REQUESTS\w*|ROBOTSTXT_OBEY|REPLAY_WARC|CLOSESPIDER_\w+",
    re.ASCII,
)
_SETTINGS = package_table("dashboard/settings.toml")
REFUSED, SCRAPYS = (frozenset(_SETTINGS[of]) for of in ("refused", "of_scrapy"))
_REMEDY = "allowed: TOPIC_…, FRONTIER_…, DOWNLOAD_DELAY, CONCURRENT_REQUESTS…, ROBOTSTXT_OBEY, REPLAY_WARC, CLOSESPIDER_…"
LONGEST_NAME = 255  # bytes of a folder's name, on most file systems
_NAMED = re.compile(r"argument (?:-a (\w+)=|'(\w+)')")


@dataclass
class JobForm:
    """The contents of a form as arguments of the command. `faults`: field -> what is wrong with it; "" = the form as a whole."""

    arguments: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    job: str = ""
    faults: dict[str, str] = field(default_factory=dict)


def read_form(fields: Mapping[str, str], jobs: Jobs, defaults: Mapping[str, Any]) -> JobForm:
    """Read and check every field of a form. `defaults`: the project's settings."""
    form = JobForm({name: text for name in ARGUMENTS if (text := fields.get(name, "").strip())})
    if "seeds" in form.arguments:
        form.arguments["seeds"] = ",".join(_lines(fields, "seeds"))
    for line in _lines(fields, PARAMETERS):
        name, sign, value = line.partition("=")
        if not sign or not name.startswith(STRATEGY_PREFIX):
            form.faults[PARAMETERS] = f"{line!r} is no parameter; write {STRATEGY_PREFIX}NAME=VALUE"
        form.arguments[name.strip()] = value.strip()
    for line in _lines(fields, SETTINGS):
        name, sign, value = (part.strip() for part in line.partition("="))
        if not sign or not is_allowed(name):
            form.faults[SETTINGS] = refusal(name)
        form.settings[name] = value
    if not form.faults:
        check(form, defaults)
    form.job = fields.get(JOB, "").strip() or _name(form, jobs)
    if not re.fullmatch(r"[\w][\w.-]{0,79}", form.job) or len(form.job.encode()) > LONGEST_NAME:
        form.faults[JOB] = f"job {form.job!r} is no plain folder name; use letters, digits and dashes"
    elif (jobs.data / form.job).exists():
        form.faults[JOB] = f"job {form.job!r} exists; give another name"
    return form


def is_allowed(name: str) -> bool:
    """Whether the setting exists and a form may set it."""
    known = name in SCRAPYS or (name.isupper() and hasattr(ours, name))
    return known and name not in REFUSED and ALLOWED.fullmatch(name) is not None


def refusal(name: str) -> str:
    """The message for a setting that is not allowed."""
    return str(ArgumentError(f"setting {name}", "cannot be given here", _REMEDY))


def _lines(fields: Mapping[str, str], name: str) -> list[str]:
    return [line.strip() for line in fields.get(name, "").splitlines() if line.strip()]


def check(form: JobForm, defaults: Mapping[str, Any]) -> None:
    """Run the command's own checks, in its order, and add the first error to the form's faults."""
    where = ""
    try:
        strategy = str(defaults.get("TOPIC_STRATEGY"))
        params = parse_arguments(form.arguments, topic=defaults.get("TOPIC"), strategy=strategy)
        where = SETTINGS
        check_settings(form.settings)
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
        form.faults[place if place in FIELDS else ""] = str(error)


def _name(form: JobForm, jobs: Jobs) -> str:
    words = form.arguments.get("topic") or re.sub(r":[\d.]+", "", form.arguments.get("keywords", ""))
    topic = re.sub(r"[^\w-]+", "-", words).strip("-")[:40] or "keywords"
    name, number = f"{topic}-{time.strftime('%Y%m%d-%H%M%S')}", 1
    while (jobs.data / name).exists():
        number += 1
        name = f"{name.partition('+')[0]}-{number}"
    return name
