"""The thesaurus of subjects: what else a page is called that is about what a user's words name.

Idea: who asks for 围棋 asks for 死活题 and AlphaGo too, and no table of vectors knows that AlphaGo is nothing else. In a library's thesaurus
a subject has names and narrower terms (kinds, parts, people, works, events of it alone), each of which in a title says that the page is
about the subject.
Formula: share of a term for the words given: NAME of another name of a subject that one of them names, NARROWER of a narrower term of it; the
larger one. Of several subjects with one name those count to which most of the words given belong. Where no word names a subject, NARROWER
of all words of those in which each of the words given occurs (thread, mutex and lock in thread safety, mutex and lock-free), in a name too.
Parameters: NAME .8, NARROWER .6 of what a word given says; chosen on the topics of docs/lab/own-words.md.
Format: a line is `name, name; narrower, narrower`; one file is Chinese with some English, one English. Compiled for this crawler by language
models from what they know, by areas, without a look at the pages and topics that it is measured on.
Cost: 100 ms, once a topic; 200 where no word names a subject.
But: a term of a term is not followed, nor one up to its subject: both lead away. What no line names is not found.
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
LEAST_INSIDE = 2  # words that must occur in a subject that none of them names
_BLANKS = re.compile(r"[\s-]+")
# By which a Latin word and its plural become one: cats cat, boxes box, houses hous, batteries battery, movies movy; https and ios are none.
_ENDINGS = (
    (re.compile(r"s(?<=[a-z]{3}.)(?<![isu].)(?<!http.)(?![a-z])"), ""),
    (re.compile(r"([sxz]|[cs]h)e(?![a-z])"), r"\1"),
    (re.compile(r"ie(?<=[a-z]{4})(?![a-z])"), "y"),
)
MOST_WORDS = 12  # of a topic of a few words


class Term(NamedTuple):
    """A name or a narrower term."""

    word: str  # as it is written
    share: float  # 0..1, of what a word given says
    subject: str  # the first name of the subject it belongs to


class _Subject(NamedTuple):
    names: dict[str, str]  # key -> as it is written
    narrower: dict[str, str]


def terms_for(user_words: Iterable[str]) -> tuple[Term, ...]:
    """Of all subjects that these words name, in the order of the words; without what has one of the words in it, which counts by that.

    None of more than MOST_WORDS words: who lists many says which."""
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
    """Whether the English list has this word, as one of a name's or term's words; of Latin letters, folded."""
    found = written([_without_endings(word)])
    return found is not None and found.search(package_text(FILES[1]).lower()) is not None


def _named_by(user_words: Sequence[str]) -> list[tuple[float, _Subject]]:
    """The subjects that the words name, and what their names count, in the order of the words."""
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
    """The subjects in whose names and terms each of the words occurs; of them those with most of the words, one at least, in their names."""
    patterns = [written([_without_endings(word)]) for word in dict.fromkeys(user_words)]
    if len(patterns) < LEAST_INSIDE:
        return []

    def occurring(text: str) -> int:
        compared = _without_endings(text)
        return sum(one is not None and one.search(compared) is not None for one in patterns)

    lines = [line for line in _lines() if occurring(line) == len(patterns)]
    counts = [occurring(line.partition(";")[0]) for line in lines]
    best = max([1, *counts])  # travel and guide occur in science fiction, not in its names
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
    """In which two spellings of a word are compared: without blanks and hyphens."""
    return _BLANKS.sub("", _without_endings(word))


def _without_endings(text: str) -> str:
    """Folded, each Latin word and its plural alike. Their stems would take `date` for `dating`."""
    text = fold(text)
    for ending, instead in _ENDINGS:
        text = ending.sub(instead, text)
    return text


def written(words: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of the words in a folded text; Latin ones as words, also in the plural. None where there is none."""
    parts = list(filter(None, dict.fromkeys(fold(word).strip() for word in words)))
    found = [re.escape(word) for word in parts if not word.isascii()]
    latin: dict[str, list[str]] = {}
    for word in filter(str.isascii, parts):
        rest, end = (word[1:-1], "(?:y|ie)") if word.endswith("y") and len(word) > 2 else (word[1:], "")
        latin.setdefault(word[0], []).append(re.escape(rest) + end)
    # Each begins with a character, what stands before it is looked at second: so `re` passes over most places by one look.
    for first, others in latin.items():
        found.append(f"{re.escape(first)}(?<![a-z0-9].)(?:{'|'.join(others)})(?:s|es)?(?![a-z0-9])")
    return re.compile("|".join(found)) if found else None
