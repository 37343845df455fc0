"""Proposes words for a topic of a few: those near them by the table of word vectors, each with its weight and why.

Idea: three words find a third of a topic's pages; the others say 净值, 申购, 收益率. A word is worth as much as it is near, and
as it is rare: one that many texts hold says little of any.
Formula: weight(w) = g · min(1, l(w)² r(w) / m); l = likeness to the words given, r = rarity (text.word_vectors); m = mean of l² r over
the given words that the table has whole, else the largest l² r of those proposed; g = the mean weight of the words given.
Parameters: most 300; LEAST_LIKENESS .35, below which the table guesses (docs/lab/word-vectors.md).
Reads: the words given alone, no page. Cost: .2 s, once a process.
But: a word with two meanings brings words of both; give one more that only your topic has.
Reference: ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from topiccrawler.text.printable import printable
from topiccrawler.text.tokenise import words_of
from topiccrawler.topics.topic import Topic

if TYPE_CHECKING:
    from topiccrawler.text.word_vectors import WordVectors

MOST = 300
LEAST_LIKENESS = 0.35
LEAST_WEIGHT = 0.001


@dataclass(frozen=True, slots=True)
class Proposed:
    """A word, its weight, and the given word it is nearest to."""

    word: str
    weight: float
    near: str
    likeness: float  # 0..1, to all words given


def proposed(given: Mapping[str, float], most: int = MOST) -> list[Proposed]:
    """At most so many words for these by the shipped table; the heaviest first. Nothing when it knows none of them."""
    return list(_by_the_table(tuple(given.items()), most))


@lru_cache(maxsize=16)
def _by_the_table(given: tuple[tuple[str, float], ...], most: int) -> tuple[Proposed, ...]:
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    return tuple(weighed(dict(given), most, shipped_vectors()))


def weighed(given: Mapping[str, float], most: int, vectors: WordVectors) -> list[Proposed]:
    """The same by any table."""
    own = {"".join(tokens) for tokens in words_of(list(given))}
    near = [
        (one, one.likeness**2 * one.rarity, "".join(words_of([one.word])[0]) in own)
        for one in vectors.near(given, most + len(own))
    ]
    if not near:
        return []
    measures = [worth for _, worth, is_own in near if is_own] or [max(worth for _, worth, _ in near)]
    measure = max(sum(measures) / len(measures), 1e-9)
    mean = sum(given.values()) / len(given)
    found = [
        Proposed(
            one.word, max(LEAST_WEIGHT, round(mean * min(1.0, worth / measure), 3)), one.by, one.likeness
        )
        for one, worth, is_own in near
        if not is_own and one.likeness >= LEAST_LIKENESS
    ]
    return sorted(found, key=lambda one: (-one.weight, one.word))[:most]


def with_proposed(topic: Topic) -> Topic:
    """The topic with the words it asks for (`proposed_words`), as one that asks for no more."""
    if not topic.proposed_words:
        return topic
    more = {one.word: one.weight for one in proposed(topic.keywords, topic.proposed_words)}
    words = {
        **topic.keywords,
        **{word: weight for word, weight in more.items() if word not in topic.keywords},
    }
    lexicon = list(words) if topic.lexicon == list(topic.keywords) else topic.lexicon
    changed = {"keywords": words, "lexicon": lexicon, "proposed_words": 0, "given": list(topic.keywords)}
    return topic.model_copy(update=changed)


def reasons(topic: Topic) -> dict[str, str]:
    """Why each word that was proposed is in the topic; nothing of those a person wrote or weighed anew."""
    given = {word: topic.keywords[word] for word in topic.given if word in topic.keywords}
    if not given:
        return {}
    found = proposed(given, max(MOST, len(topic.keywords)))
    return {
        one.word: f"near {' '.join(printable(one.near).split())}, likeness {one.likeness:.2f}"
        for one in found
        if one.word in topic.keywords and one.word not in given
    }
