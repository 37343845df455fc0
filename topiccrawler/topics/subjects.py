"""The thesaurus of subjects: what else a page is called that is about what a user's words name.

Idea: who asks for 围棋 asks for 死活题 and AlphaGo too, and no table of vectors knows that AlphaGo is nothing else. In a library's thesaurus
a subject has names and narrower terms (kinds, parts, people, works, events of it alone), each of which in a title says that the page is
about the subject.
Formula: share of a term for the words given: NAME of another name of a subject that one of them names, NARROWER of a narrower term of it; the
larger one. Of several subjects with one name those count to which most of the words given belong.
Parameters: NAME .8, NARROWER .6 of what a word given says; chosen on the topics of docs/lab/own-words.md.
Format: a line of subjects.txt is `name, name; narrower, narrower`. Compiled for this crawler by language models from what they know, by areas, without
a look at the pages and topics that it is measured on.
Cost: 50 ms, once a topic.
But: a term of a term is not followed, nor one up to its subject: both lead away. What no line names is not found.
Reference: ISO 25964-1 (2011), equivalence and hierarchical relationships.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from topiccrawler.files import package_text
from topiccrawler.text.segmenter import fold, stem

FILE = "topics/subjects.txt"
NAME, NARROWER = 0.8, 0.6
_RUN = re.compile(r"[a-z]+")


class Term(NamedTuple):
    """A name or a narrower term."""

    word: str  # as it is written
    share: float  # 0..1, of what a word given says
    subject: str  # the first name of the subject it belongs to


class _Subject(NamedTuple):
    names: dict[str, str]  # key -> as it is written
    narrower: dict[str, str]


def terms_for(user_words: Iterable[str]) -> tuple[Term, ...]:
    """Of all subjects that these words name, in the order of the words; without what has one of the words in it, which counts by that."""
    return _terms_for(tuple(user_words))


@lru_cache(maxsize=16)
def _terms_for(user_words: tuple[str, ...]) -> tuple[Term, ...]:
    keys = dict.fromkeys(filter(None, map(_key, user_words)))
    subjects = list(_named_by(keys.keys()))
    belonging = [sum(key in subject.names or key in subject.narrower for key in keys) for subject in subjects]
    found: dict[str, Term] = {}
    for key in keys:
        named = [place for place, subject in enumerate(subjects) if key in subject.names]
        most = max((belonging[place] for place in named), default=0)
        for place in named:
            if belonging[place] == most:
                for other, term in _terms(subjects[place]):
                    if other not in found or found[other].share < term.share:
                        found[other] = term
    own = written(user_words)
    return tuple(term for term in found.values() if own is None or own.search(fold(term.word)) is None)


def _terms(subject: _Subject) -> Iterator[tuple[str, Term]]:
    first = next(iter(subject.names.values()))
    for share, words in ((NAME, subject.names), (NARROWER, subject.narrower)):
        for key, word in words.items():
            yield key, Term(word, share, first)


def _named_by(keys: AbstractSet[str]) -> Iterator[_Subject]:
    for line in package_text(FILE).splitlines():
        names, _, narrower = line.partition(";")
        if not keys.isdisjoint(by_key := _by_key(names)):
            yield _Subject(by_key, _by_key(narrower))


def _by_key(words: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words.split(","):
        found.setdefault(_key(word), word.strip())
    return found


def _key(word: str) -> str:
    """Folded, Latin words stemmed, without blanks: in which two spellings of a word are compared."""
    return "".join(_RUN.sub(lambda run: stem(run[0]), fold(word)).split())


def written(words: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of the words in a folded text; Latin ones as words, also in the plural. None where there is none."""
    parts = list(filter(None, dict.fromkeys(fold(word).strip() for word in words)))
    found = [re.escape(word) for word in parts if not word.isascii()]
    latin: dict[str, list[str]] = {}
    for word in filter(str.isascii, parts):
        latin.setdefault(word[0], []).append(re.escape(word[1:]))
    # Each begins with a character, what stands before it is looked at second: so `re` passes over most places by one look.
    for first, rest in latin.items():
        found.append(f"{re.escape(first)}(?<![a-z0-9].)(?:{'|'.join(rest)})(?:s|es)?(?![a-z0-9])")
    return re.compile("|".join(found)) if found else None
