"""What a user asks for, as an expression of FTS5 and as the words to mark.

    基金 定投         both words
    "基金定投"        the phrase (also “…”)
    -股票 -"a b"      without them

Traditional and simplified characters, full and half width, upper and lower case are one (text.normalise); Latin words are compared by
their stems. The segmenter drops the characters of words it does not know (定投 both) unless they are learned. A crawl learns the
words of its topic, a search learns those of the topic and its own; an index made without them has what was left of them, so either
spelling of a word is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from topiccrawler.errors import ArgumentError
from topiccrawler.store.postgresql.words import quoted
from topiccrawler.text.normalise import fold
from topiccrawler.text.tokenise import learn, words_of

_TERM = re.compile(r'(-?)(?:["“”]([^"“”]*)["“”]?|([^\s"“”]+))')
_REMEDY = 'give words of two characters or more: scrapy search "基金 定投"'


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase of a query."""

    text: str  # folded
    is_phrase: bool
    is_excluded: bool


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for in an index, and what to mark in a text."""

    expression: str  # of FTS5
    tsquery: str  # the same of PostgreSQL
    marked: tuple[str, ...]  # folded words of the terms asked for, the longest first


def terms_of(text: str) -> list[Term]:
    """The terms of a query, in order."""
    found = []
    for minus, phrase, word in _TERM.findall(fold(text)):
        if term := (phrase or word).strip():
            found.append(Term(term, bool(phrase), bool(minus)))
    return found


def spellings_of(text: str) -> list[list[str]]:
    """The words of each term, as the segmenter gives them now."""
    return words_of([term.text for term in terms_of(text)])


def make_query(text: str, plain: Sequence[list[str]] | None = None) -> Query:
    """ArgumentError for a query by which nothing can be found. `plain`: `spellings_of` it before a topic's words were learned."""
    terms = terms_of(text)
    plain = spellings_of(text) if plain is None else plain
    learn(term.text for term in terms)
    wanted: list[tuple[str, str]] = []  # each as either database has it
    unwanted: list[tuple[str, str]] = []
    marked: set[str] = set()
    for term, *spellings in zip(terms, spellings_of(text), plain, strict=True):
        if any(spellings):
            expressions = _either(spellings, term, _fts5, " OR "), _either(spellings, term, _tsquery, " | ")
            (unwanted if term.is_excluded else wanted).append(expressions)
            marked |= set() if term.is_excluded else {word for words in spellings for word in words}
    if not wanted:
        fault = "names no word to look for" if not terms else "has no word that an index keeps"
        raise ArgumentError(f"query {text!r}", fault, _REMEDY)
    every = " AND ".join(expression for expression, _ in wanted)
    return Query(
        " NOT ".join([f"({every})" if unwanted else every, *(expression for expression, _ in unwanted)]),
        " & ".join([*(expression for _, expression in wanted), *(f"!{found}" for _, found in unwanted)]),
        tuple(sorted(marked, key=lambda word: (-len(word), word))),
    )


def _either(
    spellings: Iterable[list[str]], term: Term, spell: Callable[[list[str], bool], str], or_: str
) -> str:
    """Any of these lists of words."""
    joined = [spell(words, term.is_phrase) for words in spellings if words]
    return f"({or_.join(dict.fromkeys(joined))})"


def _fts5(words: list[str], is_phrase: bool) -> str:
    joint = " ".join(words) if is_phrase else '" AND "'.join(words)
    return f'("{joint}")'


def _tsquery(words: list[str], is_phrase: bool) -> str:
    return f"({(' <-> ' if is_phrase else ' & ').join(map(quoted, words))})"
