"""How a job's topic is named to people, and the argument of `scrapy crawl` that says it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError
from topiccrawler.topics.catalogue import load_topic, split_keywords
from topiccrawler.topics.names import by_name
from topiccrawler.topics.own_names import display_name, own_id
from topiccrawler.topics.several import parts_of

TOPIC = "topic.toml"  # a topic that is not of the catalogue, in the folder of its job


def topic_display_name(recipe: Recipe) -> str:
    """Its name in the catalogue, or as a user's own file or words say; reads no file."""
    known = by_name().get(recipe.topic.strip().lower())
    if known is not None:
        return known.name
    fields = recipe.topic_fields or {}
    return display_name(str(fields.get("name") or ""), str(fields.get("zh") or "")) or recipe.topic


def display_names(recipe: Recipe) -> dict[str, str]:
    """By the names that are stored with pages, those that people are shown; of a topic that cannot be read any more, none."""
    if recipe.topic_fields is not None:
        return {str(recipe.topic_fields.get("name")): topic_display_name(recipe)}
    found: dict[str, str] = {}
    for part in parts_of(recipe.topic):
        with suppress(CrawlerError):
            topic = load_topic(part)
            found[topic.name] = topic.display_name
    return found


def displayed(topics: str, names: Mapping[str, str]) -> str:
    """What is stored with a page as its topics, for people."""
    return ", ".join(names.get(one, one) for one in topics.split(","))


def topic_argument(recipe: Recipe, topic_file: Path | None) -> str:
    """The argument that goes on with the topic of a job, for a shell. `topic_file`: where the job keeps its topic; None: nowhere.

    Words are given again as they were typed: what the job was taught is used then. Where that is not known, the topic's file is named.
    """
    fields = recipe.topic_fields
    if fields is None or Path(recipe.topic).expanduser().is_file():
        return f"-a {shlex.quote(f'topic={recipe.topic}')}"
    if (typed := _typed(fields)) is not None:
        return f"-a {shlex.quote(f'keywords={typed}')}"
    return "" if topic_file is None else f"-a {shlex.quote(f'topic={topic_file}')}"


def _typed(fields: Mapping[str, object]) -> str | None:
    """The words of a topic made of words; None where they would make another one."""
    weights, given = fields.get("keywords"), fields.get("given")
    if not isinstance(weights, Mapping) or not isinstance(given, list | tuple):
        return None
    words = [
        word if (weight := weights.get(word, 1.0)) == 1 else f"{word}:{weight:g}" for word in given or weights
    ]
    typed = ",".join(words)
    return typed if split_keywords(typed) == words and own_id(words) == fields.get("name") else None
