"""Checks that a resumed job has the topic and the strategy it was begun with, and lists what else has changed in its recipe.

The stored pages, the scores in the queue and the state of the strategy were made with one topic, one strategy and its parameters, and are
not valid for others. All else (page classifier, link models, thresholds, keywords …) may change; it applies to later pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_topic import TOPIC, topic_argument, topic_display_name
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError, StateError, shortened
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.strategies import STRATEGIES, build, parameters_of

ELSEWHERE = "choose another JOBDIR or TOPIC_JOB"
_REPORTED_SEPARATELY = {"topic", "topic_fields", "strategy", "parameters"}


def changes(kept: Recipe, now: Recipe, folder: Path, *, queued: bool) -> list[str]:
    """The differences between the recipe in the folder (`kept`) and the present one (`now`), as one text each.

    `queued`: the queue is in the folder too. Raises StateError for another topic or another page store, and, with a queue, for another
    strategy.
    """
    check_topic(kept, now, folder)
    begun, requested = ordering_of(kept), ordering_of(now)
    if begun != requested and queued:
        raise StateError(requested, f"this job was begun with {begun}", f"go on with that, or {ELSEWHERE}")
    if (bool(kept.store), kept.store_job) != (bool(now.store), now.store_job):
        begun, requested = (_store_of(recipe, folder) for recipe in (kept, now))
        raise StateError(
            f"folder {folder}",
            f"its pages are kept in {begun}, not in {requested}",
            f"go on with that STORE_URL, or {ELSEWHERE}",
        )
    before, after = _plain(kept), _plain(now)
    changes = [
        f"{name} {shortened(value)} -> {shortened(after[name])}"
        for name, value in before.items()
        if name not in _REPORTED_SEPARATELY and value != after[name]
    ]
    if begun != requested:
        changes.append(f"{begun} -> {requested}")
    if (kept.topic_fields or now.topic_fields) and _fields(kept, before) != _fields(now, after):
        changes.append(f"the topic file {now.topic}")
    return changes


def check_topic(kept: Recipe, now: Recipe, folder: Path) -> None:
    """Raise StateError if the recipe in the folder (`kept`) is for another topic than the present one (`now`)."""
    begun, requested = _topic_name(kept), _topic_name(now)
    if begun != requested:
        fault, argument = another_topic(kept, begun, now, requested), topic_argument(kept, folder / TOPIC)
        raise StateError(f"folder {folder}", fault, f"go on with {argument}, or {ELSEWHERE}")


def _fields(recipe: Recipe, plain: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The fields of the recipe's topic. A job of a topic of the catalogue has fields since it was taught, also if that was undone."""
    fields: Mapping[str, Any] | None = plain["topic_fields"]
    if fields is None:
        with suppress(CrawlerError):
            fields = topic_of(recipe).model_dump(mode="json")
    return fields


def another_topic(kept: Recipe, begun: str, now: Recipe, requested: str) -> str:
    """The fault in a message about two different topics, with their display names; with their names too, if the display names are equal.

    `begun` and `requested`: the names of the topics.
    """
    names = [_display_name(recipe, name) for recipe, name in ((kept, begun), (now, requested))]
    if names[0] == names[1]:
        names = [f"{text} ({name})" for text, name in zip(names, (begun, requested), strict=True)]
    return f"holds a crawl for topic {names[0]!r}, not {names[1]!r}"


def _display_name(recipe: Recipe, name: str) -> str:
    """The display name of a user's own topic, else `name`: that of the catalogue, a class, several topics, or a file that may be gone."""
    return name if recipe.topic_fields is None else topic_display_name(recipe)


def _topic_name(recipe: Recipe) -> str:
    """The canonical name of the recipe's topic, which may have several; the name in the recipe if its file is gone."""
    try:
        return topic_of(replace(recipe, keywords=(), sites=None)).name
    except CrawlerError:
        return recipe.topic


def ordering_of(recipe: Recipe) -> str:
    """Strategy and parameters as arguments on a command line.

    Parameters with their default are left out; those that the strategy does not have are included.
    """
    defaults = parameters_of(STRATEGIES[recipe.strategy]) if recipe.strategy in STRATEGIES else {}
    given = {name: value for name, value in recipe.parameters.items() if name in defaults}
    removed = {name: value for name, value in recipe.parameters.items() if name not in defaults}
    built = build(recipe.strategy, given) if defaults else None
    values = {
        name: getattr(built, name) for name, default in defaults.items() if getattr(built, name) != default
    } | removed
    return " ".join(
        (f"-a strategy={recipe.strategy}", *(f"-a strategy_{name}={value}" for name, value in values.items()))
    )


def _store_of(recipe: Recipe, folder: Path) -> str:
    return f"{recipe.store} as job {recipe.store_job}" if recipe.store else str(folder / JOB_DATABASE)


def _plain(recipe: Recipe) -> dict[str, Any]:
    """The recipe as JSON values, so that it compares equal to one that was stored."""
    plain: dict[str, Any] = json.loads(json.dumps(recipe.as_json()))
    return plain
