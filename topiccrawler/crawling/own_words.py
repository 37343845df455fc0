"""A topic of a user's own words alone: `-a keywords=基金,定投:0.5 -a seeds=URL`.

It is kept with the job (job.json), and beside it as a file that a later crawl can name and a person can edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import tomli_w

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.topics.catalogue import topic_from_keywords, with_site_rules
from topiccrawler.topics.meaning import understood
from topiccrawler.topics.own_names import joined_words, own_id
from topiccrawler.topics.proposal import reasons
from topiccrawler.topics.topic import Topic

TOLD = 10  # words proposed


def recipe_of_words(
    recipe: Recipe, words: Sequence[str], proposed_words: int = 0, *, is_understood: bool = True
) -> Recipe:
    """The recipe with a topic of these words in place of its own, and so many words proposed for them; reading rules by site are
    taken into it. `is_understood`: what the words mean is decided (topics.meaning); a job of an earlier version goes on without.
    """
    topic = with_site_rules(topic_from_keywords(words, own_id(words)), recipe.sites)
    zh = joined_words(list(topic.keywords))
    topic = Topic.model_validate({**topic.model_dump(), "zh": zh, "proposed_words": proposed_words})
    if is_understood:
        topic = understood(topic)
    return replace(recipe, topic=topic.name, keywords=(), topic_fields=topic.model_dump())


def as_toml(topic: Topic) -> str:
    """The topic as a file; what is as by default is left out. A word that was proposed has its reason beside it; one that was learned,
    in a table of its own, for the program reads it again."""
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
    """The words given with their weights in one line, how many others there are and what they do, and the heaviest of these."""
    given = topic.given or list(topic.keywords)
    told = ", ".join(f"{word} {topic.keywords[word]:g}" for word in given if word in topic.keywords)
    more = {word: weight for word, weight in topic.keywords.items() if word not in set(given)}
    if not more:
        return told
    first = sorted(more, key=lambda word: (-more[word], word))[:TOLD]
    does = "only lead to their pages" if topic.narrow else "judge pages with them"
    return f"{told}; {len(more)} more {does}: {', '.join(first)}{', …' if len(more) > TOLD else ''}"
