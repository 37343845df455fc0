"""How a text becomes words: folded to one spelling, cut by an engine, Latin words stemmed, by a segmenter of each crawl.

Folding: text in one spelling for matching, character by character, so that offsets stay true.

Ａ股, A股 and a股, 貸款 and 贷款 become one word, while anchors and contexts are cut out of a page by offsets.

Full-width forms become half-width, traditional characters simplified ones, upper case lower case. Simplified forms come
from OpenCC's character table, read once, at the first call (15 ms). Only runs that hold something to fold are touched: a
page already simplified costs one regular expression.

But: character by character, so a character with two simplified forms becomes OpenCC's first one; 乾 is not folded,
because on a simplified page it is 乾隆 or 乾坤. For matching only: text that is shown or stored is never folded.

Tokens, the same stream with either engine.

rjieba runs jieba's algorithm thirteen times as fast, but the two differ at Latin letters, digits and rare
characters, and a model trained with one must score the same with the other. So the engine sees only common Han
characters, on which both agree; everything else is split here, by our own rule:

- text is folded first (half-width, simplified, lower case);
- a run of letters and digits is a word; c++, c# and f# keep their sign; runs longer than 40 characters are dropped;
- a Latin word is given as its stem (below);
- a single Latin letter and the Han character after it are a word: a股, k线, b超;
- a single Han character is dropped, except one that stands alone after two or three letters: ic卡;
- other single characters are dropped, punctuation separates. Stop words stay.

Many texts are segmented in one call, joined by a newline, which both engines keep as a token of its own. What stands
between Han characters is removed first and replaced by a mark, so that most lines of the engine's output need no
second look.

A two-generation cache: results for recent texts, in bounded memory.

The menus of a site and the titles in its lists return on page after page, but a crawl meets new texts for days. So
there are two generations: when the younger is full it becomes the older, and what is asked for again moves back.

Stems of Latin words, so that "cars" matches "car": Snowball's English algorithm.

A word alone does not tell its language, so all Latin words are stemmed as English ones: that also joins most plurals of French,
Spanish, Portuguese and Dutch, not the inflections of German or Italian.
Words of three letters or less (ios, gps, css) and words with digits stay as they are: most are names.
Cost: 2 µs a word not met lately; the others one look-up.

Stop words: function words, and words that every site's navigation has.

Function words and 更多, 首页, 下一页 are the commonest words of links on topic and off it. A topic built
from texts must not choose them, but a classifier may use them. So they are listed here and stay in the token stream.
Compiled by us; only words of two or more characters, as `cut_all` gives.

Segmenters, each by the dictionary and by the own words of its crawl.

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
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from itertools import accumulate, chain, compress
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from Stemmer import Stemmer

from topiccrawler.files import package_table

_HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))
_AMBIGUOUS = "乾"
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_FULL_WIDTH_SHIFT = 0xFEE0
_CASED = range(0x250 * 10)  # Latin, Greek, Cyrillic, Armenian, Georgian: where letters have case
_MARKS = {mark: chr(ord(mark) - _FULL_WIDTH_SHIFT) for mark in "，：；！？（）"}


def fold(text: str) -> str:
    """`text` in the one spelling used for matching; same length, same positions."""
    pattern, table = _folding()
    for mark, half_width in _MARKS.items():  # most of what the pattern would stop at on a simplified page
        text = text.replace(mark, half_width)
    return pattern.sub(lambda run: run[0].translate(table), text)


def folded(texts: Sequence[str]) -> list[str]:
    """Each of the texts folded, in one pass."""
    whole = fold("".join(texts))
    ends = list(accumulate(map(len, texts)))
    return [whole[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@cache
def _folding() -> tuple[re.Pattern[str], dict[int, str]]:
    table = _simplified()
    table |= {code: chr(code).lower() for code in _CASED if _changes_in_place(code)}
    table |= {code: chr(code - _FULL_WIDTH_SHIFT).lower() for code in _FULL_WIDTH}
    table[0x3000] = " "
    one = f"[{re.escape(''.join(map(chr, table)))}]"
    # not "+": what begins with one character of a set is searched for in a fifth of the time
    return re.compile(f"{one}{one}*"), table


def _changes_in_place(code: int) -> bool:
    lower = chr(code).lower()
    return lower != chr(code) and len(lower) == 1


def _simplified() -> dict[int, str]:
    from opencc import OpenCC  # a C++ library: loaded only when something is folded

    characters = [chr(code) for first, end in _HAN_BLOCKS for code in range(first, end)]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {
        ord(old): new
        for old, new in zip(characters, converted, strict=True)
        if old != new and len(new) == 1 and old not in _AMBIGUOUS
    }


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
def _english() -> Stemmer:
    return Stemmer("english")


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
_BETWEEN_HAN = re.compile(rf"{_OTHER}{_OTHER}*({_ALONE})?")  # one and more: faster than "+", as in `_folding`
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


def heads_of(keywords: Iterable[str]) -> set[str]:
    """What each keyword begins with, from two characters on: where a page has none of them, nothing was cut."""
    return {keyword[:end] for keyword in keywords for end in range(2, len(keyword))}


def joined_again(words: Sequence[str], heads: Container[str], keywords: Container[str]) -> list[str]:
    """Keywords that the segmenter cut in pieces, found by joining neighbouring words again; the longest wins."""
    found = []
    after = len(words)
    for start in compress(range(after - 1), map(heads.__contains__, words)):
        joined = words[start] + words[start + 1]
        if joined not in heads and joined not in keywords:
            continue
        longest, end = "", start + 2
        while joined in heads and end < after:
            if joined in keywords:
                longest = joined
            joined += words[end]
            end += 1
        if joined in keywords:
            longest = joined
        if longest:
            found.append(longest)
    return found


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
