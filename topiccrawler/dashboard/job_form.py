"""Reads the form for a new job: the arguments of `scrapy crawl topic`, checked by the command's own checks.

Only settings of a fixed list are accepted: none of them names code to load, a program to run, or a folder of another user.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    site_rules_of,
    topic_from_keywords,
    united,
)

ARGUMENTS = tuple(name for name in CrawlParams.model_fields if name not in {"job", "parameters", "revisit"})
JOB, PARAMETERS, SETTINGS = "job", "parameters", "settings"
FIRST = ("topic", "keywords", "seeds")  # shown at once; the others are folded
_ENDS = ("pages", "targets", "until", "since")
FIELDS = tuple(dict.fromkeys((*FIRST, *_ENDS, *ARGUMENTS, JOB, PARAMETERS, SETTINGS)))  # as on the page
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
    """The contents of a form as arguments of the command. `faults`: field -> all that is wrong with it; "" = the form as a whole."""

    arguments: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    job: str = ""
    faults: dict[str, list[CrawlerError]] = field(default_factory=dict)

    @contextmanager
    def noting(self, field: str) -> Iterator[None]:
        """A block whose CrawlerError becomes a fault of this field."""
        try:
            yield
        except CrawlerError as error:
            self.note(field, error)

    def note(self, field: str, error: CrawlerError) -> None:
        """Add a fault of this field."""
        self.faults.setdefault(field, []).append(error)


def read_form(fields: Mapping[str, str], jobs: Jobs, defaults: Mapping[str, Any]) -> JobForm:
    """Read and check every field of a form. `defaults`: the project's settings."""
    form = JobForm({name: text for name in ARGUMENTS if (text := fields.get(name, "").strip())})
    if "seeds" in form.arguments:
        form.arguments["seeds"] = ",".join(_lines(fields, "seeds"))
    for line in _lines(fields, PARAMETERS):
        with form.noting(PARAMETERS):
            name, sign, value = line.partition("=")
            if not sign or not name.startswith(STRATEGY_PREFIX):
                raise ArgumentError(repr(line), "is no parameter", f"write {STRATEGY_PREFIX}NAME=VALUE")
            form.arguments[name.strip()] = value.strip()
    for line in _lines(fields, SETTINGS):
        with form.noting(SETTINGS):
            name, sign, value = (part.strip() for part in line.partition("="))
            if not sign or not is_allowed(name):
                raise refusal(name)
            form.settings[name] = value
    check(form, defaults)
    form.job = fields.get(JOB, "").strip() or _name(form, jobs)
    with form.noting(JOB):
        if not re.fullmatch(r"[\w][\w.-]{0,79}", form.job) or len(form.job.encode()) > LONGEST_NAME:
            raise ArgumentError(
                f"job {form.job!r}", "is no plain folder name", "use letters, digits and dashes"
            )
        if (jobs.data / form.job).exists():
            raise ArgumentError(f"job {form.job!r}", "exists", "give another name")
    return form


def is_allowed(name: str) -> bool:
    """Whether the setting exists and a form may set it."""
    known = name in SCRAPYS or (name.isupper() and hasattr(ours, name))
    return known and name not in REFUSED and ALLOWED.fullmatch(name) is not None


def refusal(name: str) -> ArgumentError:
    """The error for a setting that is not allowed."""
    return ArgumentError(f"setting {name}", "cannot be given here", _REMEDY)


def _lines(fields: Mapping[str, str], name: str) -> list[str]:
    return [line.strip() for line in fields.get(name, "").splitlines() if line.strip()]


def check(form: JobForm, defaults: Mapping[str, Any]) -> None:
    """Run the command's own checks, and add all errors to the form's faults."""
    for name, value in form.settings.items():
        with form.noting(SETTINGS):
            check_settings({name: value})
    params = _checked_arguments(form, defaults)
    if params is None:
        return
    with form.noting("strategy"):
        build(params.strategy)
        for name, value in params.parameters.items():
            with form.noting(PARAMETERS):
                build(params.strategy, {name: value})
    topic = None
    with form.noting("topic" if params.topic else "keywords"):
        topic = united(load_topics(params.topic)) if params.topic else topic_from_keywords(params.keywords)
    with form.noting("sites"):
        site_rules_of(params.sites)
    with form.noting("seeds"):
        if (params.seeds or topic) and not read_seeds(params.seeds, topic).positive:
            raise SeedsError("seeds", "there are none", "give some: URLs or a file")


def _checked_arguments(form: JobForm, defaults: Mapping[str, Any]) -> CrawlParams | None:
    """The arguments of a form without those that are wrong; None if nothing can be made of them."""
    right, strategy = dict(form.arguments), str(defaults.get("TOPIC_STRATEGY"))
    while True:
        try:
            return parse_arguments(right, topic=defaults.get("TOPIC"), strategy=strategy)
        except CrawlerError as error:
            named = _NAMED.match(error.what)
            place = (named[1] or named[2]) if named else ""
            form.note(place if place in FIELDS else "", error)
            if right.pop(place, None) is None:
                return None


def _name(form: JobForm, jobs: Jobs) -> str:
    words = form.arguments.get("topic") or re.sub(r":[\d.]+", "", form.arguments.get("keywords", ""))
    topic = re.sub(r"[^\w-]+", "-", words).strip("-")[:40] or "keywords"
    name, number = f"{topic}-{time.strftime('%Y%m%d-%H%M%S')}", 1
    while (jobs.data / name).exists():
        number += 1
        name = f"{name.partition('+')[0]}-{number}"
    return name
