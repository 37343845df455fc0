"""Segmenters: what cuts texts into words, each by the dictionary and by the own words of its crawl.

A crawl's topic has words that the dictionary lacks and would cut so that characters of them are lost: of 纯电动 only 电动 would remain. They belong to
that crawl. Another crawl of the same process cuts its texts as if it were alone, so each topic has a segmenter of its own
(topics.topic), and what reads texts for a topic is constructed with it.

An engine with its dictionary takes 24 MB and .1 s of CPU. So all segmenters whose phrases the dictionary cuts without loss, among them those of
the catalogue's topics, use one engine; any other makes its own when it first cuts a text, and shares it with those that have the same words.

Texts are split at blanks and at the boundaries of a page's text, which no word crosses, and pieces seen recently are not segmented again: a
page's main text, its links and their contexts share them, and menus return on every page of a site.

The two engines of one algorithm: rjieba when it is installed, else jieba.

jieba is pure Python and always installs, but it warns at import, logs to stderr and leaves a world-readable
cache in the folder for temporary files; rjieba does none of that, but has wheels only for common machines.
"""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from itertools import chain
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from topiccrawler.text.normalise import fold
from topiccrawler.text.tokenise import HAN, NEW_WORDS, Cut, TwoGenerationCache, cut_all

_REMEMBERED_CHARACTERS = 60_000  # twice; some 8 MB with their words
_HAN_WORD = re.compile(f"[{HAN}]{{2,}}")

Pieces = TwoGenerationCache[list[str]]


class Segmenter:
    """Cuts texts into words. Han words of its `phrases` that would lose characters stay whole; the others are cut by the dictionary: who
    looks for 上市公司 joins 上市 and 公司 again."""

    def __init__(self, phrases: Iterable[str] = ()) -> None:
        self._phrases = tuple(phrases)

    @cached_property
    def own_words(self) -> frozenset[str]:
        """What it keeps whole beyond the dictionary. Two segmenters with the same own words cut all texts alike."""
        return _losing(self._phrases, _dictionary()) if self._phrases else frozenset()

    def keeping(self, phrases: Iterable[str]) -> Segmenter:
        """One that keeps these whole too, where this one would lose characters of them."""
        losing = _losing(phrases, self._pieces)
        return Segmenter(self.own_words | losing) if losing else self

    def words(self, text: str) -> list[str]:
        """The words of one text."""
        return self.words_of([text])[0]

    def words_of(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of each text; one call of the engine for all."""
        split = [text.replace("|", " ").split() for text in texts]
        words_of_piece = self.words_of_pieces(chain.from_iterable(split)).__getitem__
        return [list(chain.from_iterable(map(words_of_piece, pieces))) for pieces in split]

    def words_of_pieces(self, pieces: Iterable[str]) -> Mapping[str, list[str]]:
        """Piece -> its words, for texts without `|`. They are cached: do not change them."""
        return self._pieces.of(pieces)

    def pieces_of(self, text: str) -> dict[str, list[str]]:
        """The pieces of a text with their words: `add_pieces` of a segmenter with the same own words takes them."""
        pieces = text.replace("|", " ").split()
        words_of_piece = self.words_of_pieces(pieces)
        return {piece: words_of_piece[piece] for piece in pieces}

    def add_pieces(self, found: Mapping[str, list[str]]) -> None:
        """Take over what another process has cut."""
        self._pieces.add(found)

    @property
    def _pieces(self) -> Pieces:
        return self._own_pieces or _dictionary()

    @cached_property
    def _own_pieces(self) -> Pieces | None:
        if not self.own_words:
            return None
        if (pieces := _shared.get(self.own_words)) is None:
            _shared[self.own_words] = pieces = _pieces_knowing(self.own_words)
        return pieces

    def __reduce__(self) -> tuple[type[Segmenter], tuple[tuple[str, ...]]]:
        """Another process makes its own engine."""
        return Segmenter, (self._phrases,)


def _losing(phrases: Iterable[str], pieces: Pieces) -> frozenset[str]:
    """The Han words of the phrases of which characters are lost."""
    runs = {run for phrase in phrases for run in _HAN_WORD.findall(fold(phrase))}
    words = pieces.of(runs)
    return frozenset(run for run in runs if sum(map(len, words[run])) < len(run))


def _pieces_knowing(words: Iterable[str]) -> Pieces:
    return TwoGenerationCache(partial(cut_all, cut=fastest_cut(words)), _REMEMBERED_CHARACTERS)


_shared = WeakValueDictionary[frozenset[str], Pieces]()  # by own words, while a segmenter has them


@cache
def _dictionary() -> Pieces:
    """By the dictionary alone."""
    return _pieces_knowing(())


def release_dictionary() -> None:
    """Free the engine of the segmenters without own words; the next of them that cuts a text makes it again. For a crawl that has an engine of
    its own."""
    _dictionary.cache_clear()


PLAIN = Segmenter()
"""For texts that belong to no topic."""

words, words_of = PLAIN.words, PLAIN.words_of


# of 60 million: more than two words have side by side by chance, less than 多少 in 做多少
LEARNED_FREQUENCY = 1_000


def fastest_cut(words: Iterable[str] = ()) -> Cut:
    """A new engine: rjieba where it can be imported, jieba elsewhere. It knows `words` beyond the dictionary and NEW_WORDS."""
    try:
        return rjieba_cut(words)
    except ImportError:
        return jieba_cut(words)


def rjieba_cut(words: Iterable[str] = ()) -> Cut:
    """An engine of our own: words added to the module's engine by someone else do not reach it."""
    engine = _rjieba().Jieba()
    for word in (*NEW_WORDS, *sorted(words)):
        engine.add_word(word, LEARNED_FREQUENCY, "n")
    return lambda text: engine.cut(text, True)


@cache
def _rjieba() -> Any:
    """The compiled module. The package around it makes one more engine when it is imported: 24 MB and .1 s of CPU. ImportError
    when it is not installed."""
    package = find_spec("rjieba")
    spec = PathFinder.find_spec("rjieba.rjieba", package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        return import_module("rjieba")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jieba_cut(words: Iterable[str] = (), cache_folder: Path | None = None) -> Cut:
    """jieba, silenced, with its dictionary cached in a folder only this user can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources, at every import
        import jieba

        jieba.setLogLevel(logging.CRITICAL)
        engine = jieba.Tokenizer()
        engine.tmp_dir = str(_private(cache_folder or _user_cache()))
        engine.initialize()
    for word in (*NEW_WORDS, *sorted(words)):
        engine.add_word(word, LEARNED_FREQUENCY)
    return engine.lcut  # type: ignore[no-any-return]


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "topiccrawler"


def _private(folder: Path) -> Path:
    """`folder`, made if it can be; where it cannot, jieba does without a cache."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
