"""Several topics in one crawl: `-a topic=finance,travel`.

The crawl has one queue and one strategy, so it has one topic of them all, whose words, seeds and reading rules are theirs together; which of them a
page is about, its page classifier says (relevance.several).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from topiccrawler.errors import SeedsError, TopicError
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.seeds import seeds_of_topic
from topiccrawler.topics.topic import Topic

_COMMA = re.compile("[,，]")
JOIN = "+"


def parts_of(text: str) -> list[str]:
    """The names, or paths of topic files, in what a user wrote; a path may hold a comma."""
    parts = [part.strip() for part in _COMMA.split(text)]
    if len(parts) == 1 or Path(text.strip()).expanduser().is_file():
        return [text]
    return list(dict.fromkeys(filter(None, parts)))


def load_topics(text: str) -> list[Topic]:
    """The topics of `finance,travel`; TopicError for one that is unknown or named twice."""
    topics = [load_topic(part) for part in parts_of(text)]
    names = [topic.name for topic in topics]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TopicError(f"topic {text}", f"names {twice} twice", "name each topic once")
    return topics


def united(topics: Sequence[Topic]) -> Topic:
    """One topic of them all; a single one is itself."""
    first, *others = topics
    if not others:
        return first
    keywords: dict[str, float] = {}
    for topic in topics:
        heaviest = max(topic.keywords.values())
        for word, weight in topic.keywords.items():
            keywords[word] = max(keywords.get(word, 0.0), weight / heaviest)
    thresholds = [topic.link_threshold for topic in topics]
    return first.model_copy(
        update={
            "name": JOIN.join(topic.name for topic in topics),
            "zh": JOIN.join(topic.zh or topic.name for topic in topics),
            "also": [],
            "keywords": keywords,
            "examples": [text for topic in topics for text in topic.examples],
            "positive": _joined(topics, "positive"),
            "negative": [],  # what is off topic for one may be the other's
            "seeds": _seeds(topics),
            "given": _joined(topics, "given"),
            "within": "",
            "narrow": None,  # each by itself
            "proposed_words": 0,  # each has its own
            "against": {},
            "contrast": False,
            "reasons": {word: why for topic in topics for word, why in topic.reasons.items()},
            "lexicon": _joined(topics, "lexicon"),
            "page_threshold": min(topic.page_threshold for topic in topics),
            "link_threshold": None if None in thresholds else min(filter(None, thresholds), default=0.0),
            "tunnel_probability": max(topic.tunnel_probability for topic in topics),
            "tunnel_depth": max(topic.tunnel_depth for topic in topics),
            "sites": {place: rule for topic in reversed(topics) for place, rule in topic.sites.items()},
        }
    )


def _joined(topics: Sequence[Topic], field: str) -> list[str]:
    return list(dict.fromkeys(text for topic in topics for text in getattr(topic, field)))


def _seeds(topics: Sequence[Topic]) -> list[str]:
    """Those of each by turns, as far as it has any."""
    found: dict[str, None] = {}
    for topic in topics:
        try:
            found.update(dict.fromkeys(seeds_of_topic(topic).positive))
        except SeedsError:
            continue  # the crawl says it when there are none at all
    return list(found)
