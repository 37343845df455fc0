"""Decides what a user's few words mean: a topic of the catalogue, or a topic of their own.

Idea: who writes 财经 股票 基金 names a topic of the catalogue and means all of it; who writes 考研 高考 志愿 wants less than all of education. The
parent topic is a good guide to where pages on the words are, and a bad criterion for which pages are about them. So pages are classified
by the user's own words and what a thesaurus has below them (relevance.evidence, topics.subjects); the parent's words and near words only
guide to the pages.
Formula: the words mean the catalogue's topic t when one of them is t's name, English or Chinese; else they are a topic of their own,
within the catalogue's topic that all of them belong to (topics.kindred), where there is one.
Parameters: a topic of at most MOST_WORDS words, none of them learned or weighed by a program, is one of a few words.
Reference: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from topiccrawler.messages import Message
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
    """The meaning of a user's words. `parent`: the topic of the catalogue that they mean or belong to; None when there is none."""

    parent: Kindred | None
    is_whole: bool  # the words mean the whole parent


def meaning_of(words: Iterable[str]) -> Meaning:
    """The meaning of a user's words."""
    user_words = list(words)
    if (whole := named_by(user_words)) is not None:
        return Meaning(whole, is_whole=True)
    return Meaning(kindred(user_words), is_whole=False)


def understood(topic: Topic) -> Topic:
    """A topic of a few words with its meaning decided, and with the words that guide to its pages. For other topics only the proposed words
    that they request are added, and a narrow one gets its keywords as `given` if nothing else has set that."""
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
    """The language of Latin words: OTHER if at least half of them are in neither the word vectors nor the English subjects, and no word is
    in another script; else ENGLISH."""
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    text = fold(" ".join(words))
    runs = _LATIN_WORD.findall(text)
    if not runs or _OTHER_LETTER.search(text):
        return ENGLISH
    vectors = shipped_vectors()
    unknown = [run for run in runs if not (vectors.has(stem(run)) or is_in_english(run))]
    return OTHER if 2 * len(unknown) >= len(runs) else ENGLISH


def has_few_words(topic: Topic) -> bool:
    """Whether a person wrote the words of a topic, and so few that they say what is wanted but not how pages say it."""
    learned = topic.given or topic.against or topic.reasons or topic.examples
    return not learned and len(joined(topic.keywords)) <= MOST_WORDS


def as_understood(topic: Topic) -> str:
    """One line for the user that says how the words were understood; "" for a topic that is not made of a user's words."""
    if topic.narrow is None:
        return ""
    words = " ".join(map(printable, topic.given))
    if topic.narrow:
        whole = Message(", within {topic}; -a topic={topic} is the whole", topic=topic.within)
        language = Message(", not in English") if topic.segmenter.language == OTHER else ""
        return Message(
            "{words}: your own topic{language}{whole}",
            words=words,
            language=language,
            whole=whole if topic.within else "",
        )
    if topic.within and named_by(topic.given) is not None:
        return Message("{words}: the catalogue's topic {topic}", words=words, topic=topic.within)
    return Message("{words}: a topic of these words and those near them", words=words)


def judging_words(topic: Topic) -> dict[str, float]:
    """The keywords, with weights, that decide whether a page is about the topic: all, but only the words in `given` of a narrow topic."""
    return {
        word: weight for word, weight in topic.keywords.items() if not topic.narrow or word in topic.given
    }


def naming_words(topic: Topic) -> list[str]:
    """The keywords that name the topic: the words that the user typed, else the topic's names among its keywords.

    More than MOST_WORDS words in `given`, such as those of a library class, do not count, unless the topic is narrow.
    """
    if topic.given and (topic.narrow or len(topic.given) <= MOST_WORDS):
        return topic.given
    return [word for word in dict.fromkeys((topic.zh, *topic.also, topic.name)) if word in topic.keywords]


def naming_terms(topic: Topic) -> dict[str, float]:
    """Further names and narrower terms of what the words of a narrow topic name (topics.subjects), with their shares; else empty."""
    return {term.word: term.share for term in terms_for(topic.given)} if topic.narrow else {}


def leading_words(topic: Topic) -> dict[str, float]:
    """The keywords, with weights, that only guide to pages of a narrow topic, heaviest first; empty for other topics."""
    judging = judging_words(topic) | naming_terms(topic)
    others = [pair for pair in topic.keywords.items() if pair[0] not in judging]
    return dict(sorted(others, key=lambda pair: (-pair[1], pair[0])))
