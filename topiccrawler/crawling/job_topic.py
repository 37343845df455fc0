"""Makes the topic of a job from a user's words, writes it as a file, and names it for display and on a command line.

A topic made of a user's own words alone (`-a keywords=基金,定投:0.5 -a seeds=URL`) is stored with the job (job.json), and also as a file
that a later crawl can use and a person can edit.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomli_w

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import CrawlerError
from topiccrawler.files import is_file, user_path
from topiccrawler.topics.catalogue import (
    by_name,
    is_catalogued,
    load_topic,
    parts_of,
    split_keywords,
    topic_from_keywords,
    with_site_rules,
)
from topiccrawler.topics.meaning import understood
from topiccrawler.topics.proposed_words import reasons
from topiccrawler.topics.topic import Topic, display_name, joined_words, own_id

MORE_WORDS = 10  # most words to display beside the user's own


def recipe_of_words(recipe: Recipe, words: Sequence[str], proposed_words: int = 0) -> Recipe:
    """The recipe with a topic made of these words in place of its own topic; the recipe's reading rules for sites become part of it.

    `proposed_words`: how many words to propose in addition.
    """
    topic = with_site_rules(topic_from_keywords(words, own_id(words)), recipe.sites)
    zh = joined_words(list(topic.keywords))
    topic = understood(
        Topic.model_validate({**topic.model_dump(), "zh": zh, "proposed_words": proposed_words})
    )
    return replace(recipe, topic=topic.name, keywords=(), topic_fields=topic.model_dump())


def as_toml(topic: Topic) -> str:
    """The topic as the text of a TOML file, without fields that have their default.

    A proposed word has its reason in a comment. A learned word has it in the table `reasons`, because the program reads that again.
    """
    fields = topic.model_dump(exclude_defaults=True, exclude_none=True)
    if fields.get("lexicon") == list(topic.keywords):
        del fields["lexicon"]
    del fields["keywords"]
    why = {word: reason for word, reason in reasons(topic).items() if word not in topic.reasons}
    words = [
        tomli_w.dumps({word: weight}).rstrip() + (f"  # {why[word]}" if word in why else "")
        for word, weight in topic.keywords.items()
    ]
    tables: dict[str, Any] = {
        name: fields.pop(name) for name in ("trust", "near", "against", "reasons", "sites") if name in fields
    }
    parts = [tomli_w.dumps(fields), "\n".join(["[keywords]", *words, ""]), tomli_w.dumps(tables)]
    return "\n".join(filter(None, parts))


def words_and_weights(topic: Topic) -> str:
    """One line for display: the user's words with their weights, and the number, the use and the heaviest of the other words."""
    own_words = topic.given or list(topic.keywords)
    own = ", ".join(f"{word} {topic.keywords[word]:g}" for word in own_words if word in topic.keywords)
    more = {word: weight for word, weight in topic.keywords.items() if word not in set(own_words)}
    if not more:
        return own
    first = sorted(more, key=lambda word: (-more[word], word))[:MORE_WORDS]
    does = "lead to their pages" if topic.narrow else "judge pages with them"
    return f"{own}; {len(more)} more {does}: {', '.join(first)}{', …' if len(more) > MORE_WORDS else ''}"


TOPIC = "topic.toml"  # file in the folder of a job, for a topic that is not in the catalogue


def topic_display_name(recipe: Recipe) -> str:
    """The name of the recipe's topic for display: from the catalogue, or from the user's own topic. Reads no file."""
    known = by_name().get(recipe.topic.strip().lower())
    if known is not None:
        return known.name
    fields = recipe.topic_fields or {}
    return display_name(str(fields.get("name") or ""), str(fields.get("zh") or "")) or recipe.topic


def display_names(recipe: Recipe) -> dict[str, str]:
    """The names of topics for display, by the names that are stored with pages; topics that cannot be read any more are left out."""
    if recipe.topic_fields is not None:
        return {str(recipe.topic_fields.get("name")): topic_display_name(recipe)}
    found: dict[str, str] = {}
    for part in parts_of(recipe.topic):
        with suppress(CrawlerError):
            topic = load_topic(part)
            found[topic.name] = topic.display_name
    return found


def displayed(topics: str, names: Mapping[str, str]) -> str:
    """The topics stored with a page, as names for display. `names`: see `display_names`."""
    return ", ".join(names.get(one, one) for one in topics.split(","))


def topic_argument(recipe: Recipe, topic_file: Path | None) -> str:
    """The arguments to resume with the topic of a job, quoted for a shell. `topic_file`: the job's topic file; None = there is none.

    Words are repeated as the user typed them, so that what the job was taught still applies. Where they are not known, the topic's file is
    named.
    """
    pairs = named_topic(recipe, topic_file).items()
    return " ".join(f"-a {shlex.quote(f'{name}={value}')}" for name, value in pairs)


def named_topic(recipe: Recipe, topic_file: Path | None) -> dict[str, str]:
    """The argument to resume with the topic of a job, as name and value; empty where there is none. `topic_file`: see `topic_argument`."""
    fields = recipe.topic_fields
    # A topic of the catalogue has fields if it was taught; what was taught is found again in the job's folder.
    if fields is None or is_catalogued(recipe.topic) or is_file(user_path(recipe.topic)):
        return {"topic": recipe.topic}
    if (typed := _typed(fields)) is not None:
        return {"keywords": typed}
    return {} if topic_file is None else {"topic": str(topic_file)}


def _typed(fields: Mapping[str, object]) -> str | None:
    """The words as typed of a topic made of words; None where they would make a different topic."""
    weights, own_words = fields.get("keywords"), fields.get("given")
    if not isinstance(weights, Mapping) or not isinstance(own_words, list | tuple):
        return None
    words = [
        word if (weight := weights.get(word, 1.0)) == 1 else f"{word}:{weight:g}"
        for word in own_words or weights
    ]
    typed = ",".join(words)
    return typed if split_keywords(typed) == words and own_id(words) == fields.get("name") else None
