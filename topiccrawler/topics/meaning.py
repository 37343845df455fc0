"""What a few words of a user's mean: a topic of the catalogue, or a topic of their own.

Idea: who writes 财经 股票 基金 names a topic of the catalogue and means all of it; who writes 考研 高考 志愿 wants less than all of
education. The parent topic is a good guide to where pages on the words are, and a bad judge of which they are. So a topic of one's own is
judged by its own words and what a thesaurus has below them (relevance.evidence, topics.subjects); the parent's and near words only lead to
its pages.
Formula: the words mean the catalogue's topic t when one of them is t's name, English or Chinese; else they are a topic of their own, within
the catalogue's topic that all of them belong to (topics.kindred), where there is one.
Parameters: a topic of at most MOST_WORDS words, none of them learned or weighed by a program, is one of a few words.
Reference: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from topiccrawler.text.printable import printable
from topiccrawler.text.segmenter import fold
from topiccrawler.text.stemmer import ENGLISH, OTHER, stem
from topiccrawler.topics.kindred import Kindred, joined, kindred, named_by
from topiccrawler.topics.proposed_words import with_proposed
from topiccrawler.topics.subjects import MOST_WORDS, is_in_english, terms_for
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic

_LATIN_WORD = re.compile(r"[a-z\u00df-\u024f]{4,}")
_OTHER_LETTER = re.compile(r"(?![a-z\u00df-\u024f])[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Meaning:
    """`parent`: the catalogue's topic that is meant, or within which the words are; None when there is none."""

    parent: Kindred | None
    is_whole: bool  # the parent itself is meant


def meaning_of(words: Iterable[str]) -> Meaning:
    """What these words mean."""
    user_words = list(words)
    if (whole := named_by(user_words)) is not None:
        return Meaning(whole, is_whole=True)
    return Meaning(kindred(user_words), is_whole=False)


def understood(topic: Topic) -> Topic:
    """The topic as its words are meant, with the words that lead to its pages; any that is not of a few words as it is."""
    if not has_few_words(topic):
        found = with_proposed(topic)
        is_users_alone = topic.narrow and not found.given
        return found.model_copy(update={"given": list(topic.keywords)}) if is_users_alone else found
    if topic.language is None and language_of(topic.keywords) == OTHER:
        topic = topic.model_copy(update={"language": OTHER})
    if "proposed_words" not in topic.model_fields_set:
        topic = topic.model_copy(update={"proposed_words": PROPOSED_WORDS})
    meaning = meaning_of(topic.keywords)
    parent = meaning.parent
    decided = {"narrow": not meaning.is_whole} if topic.narrow is None else {}
    found = with_proposed(topic, parent if meaning.is_whole else None)
    return found.model_copy(
        update={"given": list(topic.keywords), "within": parent.name if parent else "", **decided}
    )


def language_of(words: Iterable[str]) -> str:
    """OTHER where half of them are Latin words that neither the word vectors nor the English subjects know, and none is of another script."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    text = fold(" ".join(words))
    runs = _LATIN_WORD.findall(text)
    if not runs or _OTHER_LETTER.search(text):
        return ENGLISH
    vectors = shipped_vectors()
    unknown = [run for run in runs if not (vectors.has(stem(run)) or is_in_english(run))]
    return OTHER if 2 * len(unknown) >= len(runs) else ENGLISH


def has_few_words(topic: Topic) -> bool:
    """A person wrote its words, and so few that they say what is wanted but not how pages say it."""
    learned = topic.given or topic.against or topic.reasons or topic.examples
    return not learned and len(joined(topic.keywords)) <= MOST_WORDS


def as_understood(topic: Topic) -> str:
    """One line that says what was understood; empty for a topic that is not of a user's words."""
    if topic.narrow is None:
        return ""
    words = " ".join(map(printable, topic.given))
    if topic.narrow:
        whole = f", within {topic.within}; -a topic={topic.within} is the whole"
        language = ", not in English" if topic.segmenter.language == OTHER else ""
        return f"{words}: your own topic{language}{whole if topic.within else ''}"
    if topic.within and named_by(topic.given) is not None:
        return f"{words}: the catalogue's topic {topic.within}"
    return f"{words}: a topic of these words and those near them"


def judging_words(topic: Topic) -> dict[str, float]:
    """Of its keywords, with their weights, those that decide whether a page is about it: where it is narrow, the words given."""
    return {
        word: weight for word, weight in topic.keywords.items() if not topic.narrow or word in topic.given
    }


def naming_words(topic: Topic) -> list[str]:
    """Those that say what the topic is: what the user typed, else its names that are among its keywords. More than a few words typed, or
    of a class, name nothing where the topic is not narrow."""
    if topic.given and (topic.narrow or len(topic.given) <= MOST_WORDS):
        return topic.given
    return [word for word in dict.fromkeys((topic.zh, *topic.also, topic.name)) if word in topic.keywords]


def naming_terms(topic: Topic) -> dict[str, float]:
    """Of a narrow topic: further names and narrower terms of what its words name (topics.subjects), with their shares."""
    return {term.word: term.share for term in terms_for(topic.given)} if topic.narrow else {}


def leading_words(topic: Topic) -> dict[str, float]:
    """Those that only lead to its pages, heaviest first; none where it is not narrow."""
    judging = judging_words(topic) | naming_terms(topic)
    others = [pair for pair in topic.keywords.items() if pair[0] not in judging]
    return dict(sorted(others, key=lambda pair: (-pair[1], pair[0])))
