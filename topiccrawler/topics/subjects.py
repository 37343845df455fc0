"""The thesaurus of subjects: finds further names of what a user's words name, and narrower terms.

Idea: who asks for 围棋 asks for 死活题 and AlphaGo too, and no table of vectors knows that AlphaGo is nothing else. In a library's thesaurus
a subject has names and narrower terms (kinds, parts, people, works, events of it alone). Each of them in a title says that the page is
about the subject.
Formula: share of a term for the user's words: NAME for another name of a subject that one of them names, NARROWER for a narrower term of
it; the larger one. Of several subjects with one name those count to which most of the user's words belong. Where no word names a subject,
NARROWER for all words of the subjects in which each of the user's words occurs (thread, mutex and lock in thread safety, mutex and
lock-free), in a name too.
Parameters: NAME .8, NARROWER .6 of the weight of a user's word; chosen on the topics of docs/lab.md.
Format: a line is `name, name; narrower, narrower`; one file is Chinese with some English, one English. Compiled for this crawler by
language models from what they know, by areas, without a look at the pages and topics that it is measured on.
Cost: 100 ms, once a topic; 200 where no word names a subject.
But: neither the terms of a term are followed, nor the way from a term up to its subject: both lead away. A subject without a line is not
found.
Reference: ISO 25964-1 (2011), equivalence and hierarchical relationships.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from topiccrawler.resources import package_text
from topiccrawler.text.segmenter import fold

FILES = ("topics/subjects_zh.txt", "topics/subjects_en.txt")
NAME, NARROWER = 0.8, 0.6
LEAST_INSIDE = 2  # least number of words, all of which must occur in a subject that none of them names
_BLANKS = re.compile(r"[\s-]+")
# Rules that make a Latin word and its plural equal: cats cat, boxes box, houses hous, batteries battery, movies movy; not https and ios.
_ENDINGS = (
    (re.compile(r"s(?<=[a-z]{3}.)(?<![isu].)(?<!http.)(?![a-z])"), ""),
    (re.compile(r"([sxz]|[cs]h)e(?![a-z])"), r"\1"),
    (re.compile(r"ie(?<=[a-z]{4})(?![a-z])"), "y"),
)
MOST_WORDS = 12  # of the user, in a topic of a few words


class Term(NamedTuple):
    """A name or a narrower term of a subject."""

    word: str  # in its written form
    share: float  # 0..1, of the weight of a user's word
    subject: str  # the first name of the subject it belongs to


class _Subject(NamedTuple):
    names: dict[str, str]  # key -> written form
    narrower: dict[str, str]


def terms_for(user_words: Iterable[str]) -> tuple[Term, ...]:
    """The terms of all subjects that a user's words name, in the order of the words. Terms that contain one of the words are left out,
    because that word matches them already.

    Empty for more than MOST_WORDS words: a user who lists many has chosen the terms.
    """
    words = tuple(user_words)
    return _terms_for(words) if len(words) <= MOST_WORDS else ()


@lru_cache(maxsize=16)
def _terms_for(user_words: tuple[str, ...]) -> tuple[Term, ...]:
    found: dict[str, Term] = {}
    for share, subject in _named_by(user_words) or _inside(user_words):
        for key, term in _terms(subject, share):
            if key not in found or found[key].share < term.share:
                found[key] = term
    own = written(map(_without_endings, user_words))
    return tuple(
        term for term in found.values() if own is None or own.search(_without_endings(term.word)) is None
    )


def is_in_english(word: str) -> bool:
    """Whether the English list contains this word, as a word of some name or term. `word`: Latin letters, folded."""
    found = written([_without_endings(word)])
    return found is not None and found.search(package_text(FILES[1]).lower()) is not None


def _named_by(user_words: Sequence[str]) -> list[tuple[float, _Subject]]:
    """The subjects that the words name, in the order of the words, each with the share of its names."""
    keys = dict.fromkeys(filter(None, map(_key, user_words)))
    subjects = [
        _subject(line) for line in _lines() if not keys.keys().isdisjoint(_by_key(line.partition(";")[0]))
    ]
    belonging = [sum(key in subject.names or key in subject.narrower for key in keys) for subject in subjects]
    found = []
    for key in keys:
        named = [place for place, subject in enumerate(subjects) if key in subject.names]
        most = max((belonging[place] for place in named), default=0)
        found += [(NAME, subjects[place]) for place in named if belonging[place] == most]
    return found


def _inside(user_words: Sequence[str]) -> list[tuple[float, _Subject]]:
    """The subjects in whose names and terms all the words occur; of these the ones with most of the words, at least one, in their names.

    Each with the share of its names.
    """
    patterns = [written([_without_endings(word)]) for word in dict.fromkeys(user_words)]
    if len(patterns) < LEAST_INSIDE:
        return []

    def occurring(text: str) -> int:
        compared = _without_endings(text)
        return sum(one is not None and one.search(compared) is not None for one in patterns)

    lines = [line for line in _lines() if occurring(line) == len(patterns)]
    counts = [occurring(line.partition(";")[0]) for line in lines]
    # at least one: travel and guide occur in terms of science fiction, not in its names
    best = max([1, *counts])
    return [(NARROWER, _subject(line)) for line, count in zip(lines, counts, strict=True) if count == best]


def _terms(subject: _Subject, share: float) -> Iterator[tuple[str, Term]]:
    first = next(iter(subject.names.values()))
    for of_each, words in ((share, subject.names), (NARROWER, subject.narrower)):
        for key, word in words.items():
            yield key, Term(word, of_each, first)


def _lines() -> Iterator[str]:
    return chain.from_iterable(package_text(file).splitlines() for file in FILES)


def _subject(line: str) -> _Subject:
    names, _, narrower = line.partition(";")
    return _Subject(_by_key(names), _by_key(narrower))


def _by_key(words: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words.split(","):
        found.setdefault(_key(word), word.strip())
    return found


def _key(word: str) -> str:
    """The key by which spellings of a word are compared: without blanks, hyphens and plural endings."""
    return _BLANKS.sub("", _without_endings(word))


def _without_endings(text: str) -> str:
    """The folded text, with each Latin word and its plural made equal. Stems would make `date` and `dating` equal too."""
    text = fold(text)
    for ending, instead in _ENDINGS:
        text = ending.sub(instead, text)
    return text


def written(words: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern that finds any of these words in a folded text: Latin ones as whole words, also in the plural. None for no words."""
    parts = list(filter(None, dict.fromkeys(fold(word).strip() for word in words)))
    found = [re.escape(word) for word in parts if not word.isascii()]
    latin: dict[str, list[str]] = {}
    for word in filter(str.isascii, parts):
        rest, end = (word[1:-1], "(?:y|ie)") if word.endswith("y") and len(word) > 2 else (word[1:], "")
        latin.setdefault(word[0], []).append(re.escape(rest) + end)
    # Each branch begins with a character, and the character before it is checked second. So `re` skips most positions by one comparison.
    for first, others in latin.items():
        found.append(f"{re.escape(first)}(?<![a-z0-9].)(?:{'|'.join(others)})(?:s|es)?(?![a-z0-9])")
    return re.compile("|".join(found)) if found else None
