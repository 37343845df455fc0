"""A topic of a user's own words alone: `-a keywords=基金,定投:0.5 -a seeds=URL`.

It is kept with the job (job.json), and beside it as a file that a later crawl can name and a person can edit.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

import tomli_w

from topiccrawler.crawl.recipe import Recipe
from topiccrawler.topics.catalogue import topic_from_keywords, with_site_rules
from topiccrawler.topics.topic import Topic

_LATIN = re.compile("[a-z][a-z0-9]*")


def recipe_of_words(recipe: Recipe, words: Sequence[str]) -> Recipe:
    """The recipe with a topic of these words in place of its own; reading rules by site are taken into it."""
    topic = with_site_rules(topic_from_keywords(words, _name(words)), recipe.sites)
    topic = topic.model_copy(update={"zh": "、".join(topic.keywords)[:60]})  # as a log names it
    return replace(recipe, topic=topic.name, keywords=(), topic_fields=topic.model_dump())


def as_toml(topic: Topic) -> str:
    """The topic as a file; what is as by default is left out."""
    fields = topic.model_dump(exclude_defaults=True, exclude_none=True)
    if fields.get("lexicon") == list(topic.keywords):
        del fields["lexicon"]
    return tomli_w.dumps(fields)


def words_and_weights(topic: Topic) -> str:
    """Its words with their weights, in one line."""
    return ", ".join(f"{word} {weight:g}" for word, weight in topic.keywords.items())


def _name(words: Sequence[str]) -> str:
    """Of the same words always the same: a job goes on with its own topic only."""
    latin = "-".join(_LATIN.findall(" ".join(words).lower()))[:30].strip("-") or "keywords"
    return f"{latin}-{hashlib.sha256(chr(10).join(words).encode()).hexdigest()[:6]}"
