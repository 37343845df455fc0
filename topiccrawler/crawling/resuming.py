"""What a resumed job may change: its folder has one crawl for one topic.

The stored pages, the scores in the queue and what the strategy has learned were made with a topic, a strategy and its parameters, and
would mean something else with others. All the rest (page classifier, link models, thresholds, keywords …) may be changed; it applies to
later pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_topic import TOPIC, topic_argument, topic_display_name
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError, StateError, shortened
from topiccrawler.strategies import STRATEGIES, build, parameters_of
from topiccrawler.topics.topic import Topic

ELSEWHERE = "choose another JOBDIR or TOPIC_JOB"
_TOLD_APART = {"topic", "topic_fields", "strategy", "parameters", "relevance_since"}


def changes(kept: Recipe, now: Recipe, folder: Path, *, queued: bool) -> list[str]:
    """What the job goes on with instead of what its job.json says, a text each.

    `queued`: its queue is in the folder too. Raises StateError for another topic, another page store, and with a queue for another strategy.
    """
    begun, requested = _topic_name(kept), _topic_name(now)
    if begun != requested:
        fault, argument = another_topic(kept, begun, now, requested), topic_argument(kept, folder / TOPIC)
        raise StateError(f"folder {folder}", fault, f"go on with {argument}, or {ELSEWHERE}")
    begun, requested = ordering_of(kept), ordering_of(now)
    if begun != requested and queued:
        raise StateError(requested, f"this job was begun with {begun}", f"go on with that, or {ELSEWHERE}")
    if kept.frontier != now.frontier and queued:
        begun, requested = (f"TOPIC_FRONTIER={recipe.frontier or None}" for recipe in (kept, now))
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
        if name not in _TOLD_APART and value != after[name]
    ]
    if begun != requested:
        changes.append(f"{begun} -> {requested}")
    if _whole(before["topic_fields"]) != _whole(after["topic_fields"]):
        changes.append(f"the topic file {now.topic}")
    return changes


def _whole(fields: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A topic with the fields that releases after it have, as by default."""
    if fields is None:
        return None
    optional = {name: field for name, field in Topic.model_fields.items() if not field.is_required()}
    return {**{name: field.get_default() for name, field in optional.items()}, **fields}


def another_topic(kept: Recipe, begun: str, now: Recipe, requested: str) -> str:
    """The fault, with the display names of the topics, where these differ. `begun` and `requested`: their names."""
    names = [_display_name(recipe, name) for recipe, name in ((kept, begun), (now, requested))]
    if names[0] == names[1]:
        names = [f"{text} ({name})" for text, name in zip(names, (begun, requested), strict=True)]
    return f"holds a crawl for topic {names[0]!r}, not {names[1]!r}"


def _display_name(recipe: Recipe, name: str) -> str:
    """`name` of a topic without fields: one of the catalogue, a class or several, whose file may be gone."""
    return name if recipe.topic_fields is None else topic_display_name(recipe)


def _topic_name(recipe: Recipe) -> str:
    """One topic has several names, and its file may be gone."""
    try:
        return topic_of(replace(recipe, keywords=(), sites=None)).name
    except CrawlerError:
        return recipe.topic


def ordering_of(recipe: Recipe) -> str:
    """Strategy and parameters as they are typed; a default that is typed changes nothing, a parameter of an earlier release does."""
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
    return f"{recipe.store} as job {recipe.store_job}" if recipe.store else str(folder / "pages.sqlite")


def _plain(recipe: Recipe) -> dict[str, Any]:
    """As JSON decodes it."""
    plain: dict[str, Any] = json.loads(json.dumps(recipe.as_json()))
    return plain
