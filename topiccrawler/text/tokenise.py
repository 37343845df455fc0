"""Segments Chinese text into words: the same stream with either engine.

rjieba runs jieba's algorithm thirteen times as fast, but the two differ at Latin letters, digits and rare
characters, and a model trained with one must score the same with the other. So the engine sees only common Han
characters, on which both agree; everything else is split here, by our own rule:

- text is folded first (half-width, simplified, lower case);
- a run of letters and digits is a word; c++, c# and f# keep their sign; runs longer than 40 characters are dropped;
- a Latin word is given as its stem (text.tokenise);
- a single Latin letter and the Han character after it are a word: a股, k线, b超;
- a single Han character is dropped, except one that stands alone after two or three letters: ic卡;
- other single characters are dropped, punctuation separates. Stop words stay.

Many texts are segmented in one call, joined by a newline, which both engines keep as a token of its own. What stands
between Han characters is removed first and replaced by a mark, so that most lines of the engine's output need no
second look. Engines, and what a topic needs whole: text.segmenter.

A two-generation cache: results for recent texts, in bounded memory.

The menus of a site and the titles in its lists return on page after page, but a crawl meets new texts for days. So
there are two generations: when the younger is full it becomes the older, and what is asked for again moves back.

Stems of Latin words, so that "cars" matches "car": Snowball's English algorithm.

A word alone does not tell its language, so all Latin words are stemmed as English ones: that also joins most plurals of French,
Spanish, Portuguese and Dutch, not the inflections of German or Italian.
Words of three letters or less (ios, gps, css) and words with digits stay as they are: most are names.
Cost: 70 µs a word not met lately; the others one look-up.

Stop words: function words, and words that every site's navigation has.

Function words and 更多, 首页, 下一页 are the commonest words of links on topic and off it. A topic built
from texts must not choose them, but a classifier may use them. So they are listed here and stay in the token stream.
Compiled by us; only words of two or more characters, as `text.tokenise` gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Generic, TypeVar

from snowballstemmer import stemmer
from snowballstemmer.basestemmer import BaseStemmer

from topiccrawler.files import package_table
from topiccrawler.text.normalise import fold

Found = TypeVar("Found")


class TwoGenerationCache(Generic[Found]):
    """Text -> result of `work`; each generation holds `characters` of texts, and the call that filled it."""

    def __init__(self, work: Callable[[list[str]], Iterable[Found]], characters: int) -> None:
        self._work, self._room = work, characters
        self._young: dict[str, Found] = {}
        self._old: dict[str, Found] = {}
        self._characters = 0  # of the texts in the younger

    def of(self, texts: Iterable[str]) -> dict[str, Found]:
        """A dictionary that holds all the texts (and others); the new ones go to `work` in one call."""
        if self._characters > self._room:
            self._young, self._old, self._characters = {}, self._young, 0
        young, older = self._young, self._old  # another thread may begin a new generation meanwhile
        missing = set(texts).difference(young)
        if missing:
            self._characters += sum(map(len, missing))
            young.update([(text, older[text]) for text in missing if text in older])
            if new := [*missing.difference(older)]:
                young.update(zip(new, self._work(new), strict=True))
        return young

    def add(self, found: Mapping[str, Found]) -> None:
        """Take over what another process has found."""
        new = {text: result for text, result in found.items() if text not in self._young}
        self._characters += sum(map(len, new))
        self._young.update(new)


_STEMMED = re.compile(r"[a-z\u00df-\u024f]{4,40}")
_REMEMBERED = 50_000  # words
_lock = Lock()  # the stemmer keeps the word it works on


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The stem of a folded word; what is no Latin word is given back."""
    if not _STEMMED.fullmatch(word):
        return word
    with _lock:
        stemmed: str = _english().stemWord(word)
    return stemmed


def with_stems(words: str) -> frozenset[str]:
    """A list of words, blanks between them, as they occur in texts (stems) and in addresses (not stemmed)."""
    listed = words.split()
    return frozenset([*listed, *map(stem, listed)])


@cache
def _english() -> BaseStemmer:
    return stemmer("english")


_LISTS = package_table("text/words.toml")
STOP_WORDS: frozenset[str] = with_stems(f"{_LISTS['function']} {_LISTS['english']} {_LISTS['navigation']}")
NEW_WORDS: tuple[str, ...] = tuple(_LISTS["new"].split())

TOKENIZER = "jieba-0.42-hmm+rule-2"

Cut = Callable[[str], Iterable[str]]
"""An engine: called with a text, it gives its tokens, blanks and punctuation included."""

_LONGEST_RUN = 40
HAN = "一-\u9fd5"  # jieba's own range: beyond it the engines differ
_ALONE = rf"(?<![^\W_{HAN}][a-z])(?<=[a-z])[{HAN}]"  # the 股 of a股
_PLAIN = ",。、!?:;()“”《》| "  # both engines keep each as a token of one character
_OTHER = rf"[^{HAN}{_PLAIN}\n]"
_BETWEEN_HAN = re.compile(rf"{_OTHER}{_OTHER}*({_ALONE})?")  # one and more: faster than "+" (text.normalise)
_CHUNK = re.compile(rf"[a-z](?:\+\+|#)(?![^\W_{HAN}])|[^\W_{HAN}]+")  # c++, a run of letters and digits
_LETTERS = re.compile(r"(?<![^\W_])[a-z]{2,3}$")  # the ic of ic卡

# One character each, which both engines keep as a token: for nothing, and for a word.
_NOTHING, _WORD = ",", "\x01"


def is_whole(phrase: str, words: Sequence[str]) -> bool:
    """Whether its `words` hold all Han characters of a phrase, and as many runs of letters and digits."""
    folded = fold(phrase)
    if sum(map(_is_han, folded)) > sum(map(_is_han, "".join(words))):
        return False
    return len(_CHUNK.findall(folded)) <= sum(not all(map(_is_han, word)) for word in words)


def cut_all(texts: Sequence[str], cut: Cut) -> list[list[str]]:
    """The words of each text by the engine given; nothing is cached."""
    of_the_engine = iter(_cut_together([text for text in texts if not text.isascii()], cut))
    return [_ascii_words(text) if text.isascii() else next(of_the_engine) for text in texts]


def _ascii_words(text: str) -> list[str]:
    """The words of a text of ASCII alone, for which no engine is needed: dates, numbers, English."""
    return _kept(_CHUNK.findall(text.lower()))


def _kept(chunks: Iterable[str]) -> list[str]:
    """The words among runs of letters and digits."""
    return [stem(chunk) for chunk in chunks if 2 <= len(chunk) <= _LONGEST_RUN]


def _cut_together(texts: Sequence[str], cut: Cut) -> list[list[str]]:
    """The words of each text; one call of the engine for all."""
    if not texts:
        return []
    between: list[tuple[str, bool]] = []  # words not for the engine; may it belong to what follows?

    def mark(found: re.Match[str]) -> str:
        """Take out what stands between two runs of Han characters."""
        run = found[0]
        chunks = _CHUNK.findall(run)
        if not chunks:
            return _NOTHING
        if found[1]:
            chunks[-1] += found[1]
        kept = [(chunk, False) for chunk in _kept(chunks)]
        if not kept:
            return _NOTHING
        if not found[1] and _LETTERS.search(run):
            kept[-1] = (kept[-1][0], True)
        between.extend(kept)
        return _WORD * len(kept)

    joined = fold(",\n,".join([text.replace("\n", " ") for text in texts]))
    lines = _BETWEEN_HAN.sub(mark, f",{joined},")  # marks around each line: none is empty
    tokens = [*cut(lines), "\n"]
    removed = iter(between)
    found: list[list[str]] = []
    start = 0
    for line in lines.split("\n"):
        end = tokens.index("\n", start)
        run = tokens[start:end]
        found.append(
            _with_removed(run, removed) if _WORD in line else [token for token in run if len(token) > 1]
        )
        start = end + 1
    return found


def _with_removed(tokens: list[str], removed: Iterator[tuple[str, bool]]) -> list[str]:
    """The words of a line, with those that were removed put back."""
    found: list[str] = []
    start = 0
    for place in [place for place, token in enumerate(tokens) if token == _WORD]:
        found += [token for token in tokens[start:place] if len(token) > 1]
        word, is_prefix = next(removed)
        if is_prefix:
            behind = tokens[place + 1]  # there is one: a line ends with a mark
            if len(behind) == 1 and _is_han(behind) and not _is_han(tokens[place + 2]):
                word += behind
        found.append(word)
        start = place + 1
    found += [token for token in tokens[start:] if len(token) > 1]
    return found


def _is_han(token: str) -> bool:
    return "一" <= token[0] <= "\u9fd5"
