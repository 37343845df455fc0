"""Proposes words for a topic of a few words, with weights and reasons: words of the catalogue's topic, terms of a subject, near words.

Idea: three words find a third of a topic's pages; the others say 净值, 申购, 收益率. A word is worth the more, the nearer it is to the user's
words and the rarer it is: a word that many texts contain says little.
Formula: weight(w) = g · a(w) l(w)² r(w) / m, at most g; l = likeness to the user's words, r = rarity (text.word_vectors); m = mean of l² r
over the user's words that the table has as a whole, else the largest l² r of the words proposed; g = the mean weight of the user's words;
a = 1 - .7 · share of the user's words that the table does not have as a whole, half of it for a word outside the catalogue's topic where
there is one. For a word of the catalogue's topic (topics.kindred): g · share · weight(w), its names 1. For a term of a subject that one of
the words names (topics.subjects): g · share(w). The largest of the three.
Parameters: at most 600 words; LEAST_LIKENESS .35, below which the table guesses (docs/lab.md).
Reads: only the user's words, no page. Cost: .5 s, once a process.
But: a word with two meanings brings words of both; add a word that only your topic has.
Reference: ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from topiccrawler.text.printable import printable
from topiccrawler.text.segmenter import Segmenter, is_whole, words_of
from topiccrawler.text.stemmer import ENGLISH
from topiccrawler.topics.kindred import Kindred, joined, kindred
from topiccrawler.topics.subjects import terms_for
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic

if TYPE_CHECKING:
    from topiccrawler.text.word_vectors import WordVectors

LEAST_LIKENESS = 0.35
LEAST_WEIGHT = 0.001
NEAR_WORDS = 300  # that may represent the user's words in a page
# share of its weight that a word loses if the table knows all the user's words only by their parts
GUESSED = 0.7
OUTSIDE = 0.5  # factor for a near word that the catalogue's topic lacks


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposed word, its weight, and the reason for it."""

    word: str
    weight: float
    near: str = ""  # the user's word that it is nearest to, by the word vectors
    likeness: float = 0.0  # 0..1, to all the user's words
    topic: str = ""  # the topic of the catalogue that the user's words belong to
    subject: str = ""  # the subject that one of the user's words names (topics.subjects)

    @property
    def reason(self) -> str:
        """The reason for the word, for people to read."""
        if self.subject:
            return _of_subject(self.subject)
        if self.topic:
            return f"of the topic {self.topic}"
        return f"near {' '.join(printable(self.near).split())}, likeness {self.likeness:.2f}"


def _of_subject(subject: str) -> str:
    return f"of the subject {subject}"


def proposed(
    user_words: Mapping[str, float],
    most: int = PROPOSED_WORDS,
    topic: Kindred | None = None,
    language: str = ENGLISH,
) -> list[Proposed]:
    """At most `most` proposed words for the user's words, heaviest first. Empty if neither table, catalogue nor subjects know any of them.

    `topic`: the catalogue's topic, if it is known otherwise than by these words. `language`: of Latin words; the table has English only.
    """
    if topic is None:
        return list(_proposed(tuple(user_words.items()), most, language))
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    return weighed(user_words, most, shipped_vectors(), topic)


@lru_cache(maxsize=16)
def _proposed(user_words: tuple[tuple[str, float], ...], most: int, language: str) -> tuple[Proposed, ...]:
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    words = dict(user_words)
    found: dict[str, Proposed] = {}
    if language == ENGLISH:
        found = {one.word: one for one in weighed(words, most, shipped_vectors(), kindred(words))}
    terms = terms_for(words)
    for term, tokens in zip(terms, words_of([term.word for term in terms]), strict=True):
        weight = _rounded(term.share * _mean(words))
        if not is_whole(term.word, tokens):
            continue  # the term would need a dictionary of its own (text.segmenter), 24 MB
        if term.word not in found or found[term.word].weight <= weight:
            found[term.word] = Proposed(term.word, weight, subject=term.subject)
    return tuple(sorted(found.values(), key=lambda one: (-one.weight, one.word))[:most])


def weighed(
    user_words: Mapping[str, float], most: int, vectors: WordVectors, topic: Kindred | None = None
) -> list[Proposed]:
    """At most `most` proposed words by this table of vectors and this topic of the catalogue, heaviest first. Subjects are not used."""
    own = set(joined(user_words))
    found = {one.word: one for one in _near(user_words, most + len(own), own, vectors)}
    if topic is not None:
        inside = set(joined(topic.keywords))
        found = {
            word: one if "".join(tokens) in inside else replace(one, weight=_rounded(OUTSIDE * one.weight))
            for (word, one), tokens in zip(found.items(), words_of(list(found)), strict=True)
        }
        for one in _of_topic(user_words, own, topic):
            if one.word not in found or found[one.word].weight < one.weight:
                found[one.word] = one
    return sorted(found.values(), key=lambda one: (-one.weight, one.word))[:most]


def _near(user_words: Mapping[str, float], most: int, own: set[str], vectors: WordVectors) -> list[Proposed]:
    near = [
        (one, one.likeness**2 * one.rarity, "".join(words_of([one.word])[0]) in own)
        for one in vectors.near(user_words, most)
    ]
    if not near:
        return []
    measures = [worth for _, worth, is_own in near if is_own] or [max(worth for _, worth, _ in near)]
    measure = max(sum(measures) / len(measures), 1e-9)
    guessed = sum(not vectors.has(word) for word in own) / len(own)
    scale = (1.0 - GUESSED * guessed) * _mean(user_words)
    return [
        Proposed(one.word, _rounded(scale * min(1.0, worth / measure)), one.by, one.likeness)
        for one, worth, is_own in near
        if not is_own and one.likeness >= LEAST_LIKENESS
    ]


def _of_topic(user_words: Mapping[str, float], own: set[str], topic: Kindred) -> list[Proposed]:
    if not topic.share:
        return []
    weights = {**topic.keywords, **dict.fromkeys(topic.names, 1.0)}
    scale = topic.share * _mean(user_words)
    return [
        Proposed(word, _rounded(scale * weights[word]), topic=topic.name)
        for word, tokens in zip(weights, words_of(list(weights)), strict=True)
        if tokens and "".join(tokens) not in own
    ]


def _mean(user_words: Mapping[str, float]) -> float:
    return sum(user_words.values()) / len(user_words)


def _rounded(weight: float) -> float:
    return max(LEAST_WEIGHT, round(weight, 3))


def near_words(
    user_words: Mapping[str, float],
    segmenter: Segmenter,
    least: float = LEAST_LIKENESS,
    most: int = NEAR_WORDS,
) -> dict[str, float]:
    """The words nearest to the user's words, in the form that the segmenter gives, with their likeness. The user's words are left out.

    `least`: the least likeness; `most`: how many words are searched.
    """
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    own = set(joined(user_words, segmenter))
    near = shipped_vectors().near(user_words, most, segmenter)
    keys = ("".join(tokens) for tokens in segmenter.words_of([one.word for one in near]))
    return {
        key: one.likeness
        for key, one in zip(keys, near, strict=True)
        if key and key not in own and one.likeness >= least
    }


def with_proposed(topic: Topic, parent: Kindred | None = None) -> Topic:
    """The topic with the words that it requests (its field `proposed_words`), and the request set to 0.

    `parent`: the catalogue's topic, if it is known otherwise than by the words.
    """
    if not topic.proposed_words:
        return topic
    more = {
        one.word: one.weight
        for one in proposed(topic.keywords, topic.proposed_words, parent, topic.segmenter.language)
    }
    words = {
        **topic.keywords,
        **{word: weight for word, weight in more.items() if word not in topic.keywords},
    }
    lexicon = list(words) if topic.lexicon == list(topic.keywords) else topic.lexicon
    changed = {"keywords": words, "lexicon": lexicon, "proposed_words": 0, "given": list(topic.keywords)}
    return topic.model_copy(update=changed)


def reasons(topic: Topic) -> dict[str, str]:
    """The reasons why words are in the topic, for those that were learned from pages, proposed, or are terms of a subject. Words that
    a person wrote or gave a new weight have none."""
    kept = {word: why for word, why in topic.reasons.items() if word in topic.keywords}
    user_words = {word: topic.keywords[word] for word in topic.given if word in topic.keywords}
    if not user_words:
        return kept
    found = proposed(user_words, max(PROPOSED_WORDS, len(topic.keywords)), language=topic.segmenter.language)
    of_proposed = {
        one.word: one.reason for one in found if one.word in topic.keywords and one.word not in user_words
    }
    terms = {term.word: _of_subject(term.subject) for term in terms_for(topic.given)} if topic.narrow else {}
    return terms | of_proposed | kept
