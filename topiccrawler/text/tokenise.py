"""Segments Chinese text into words: the same stream with either engine.

rjieba runs jieba's algorithm thirteen times as fast, but the two differ at Latin letters, digits and rare
characters, and a model trained with one must score the same with the other. So the engine sees only common Han
characters, on which both agree; everything else is split here, by our own rule:

- text is folded first (half-width, simplified, lower case);
- a run of letters and digits is a word; c++, c# and f# keep their sign; runs longer than 40 characters are dropped;
- a Latin word is given as its stem (text.stems);
- a single Latin letter and the Han character after it are a word: a股, k线, b超;
- a single Han character is dropped, except one that stands alone after two or three letters: ic卡;
- other single characters are dropped, punctuation separates. Stop words stay.

Words that a crawl's topic needs whole are learned first (`learn`): else 充电桩 would lose its last character, as 定投 would both.

Many texts are segmented in one call, joined by a newline, which both engines keep as a token of its own. What stands
between Han characters is taken out first and replaced by a mark, so that most lines of the engine's output need no
second look. Texts are split at blanks and at the boundaries of a page's text, which no word crosses, and pieces
seen recently are not segmented again: a page's main text, its links and their contexts share them, and menus return on
every page of a site.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain

from topiccrawler.text.generation_cache import TwoGenerationCache
from topiccrawler.text.normalise import fold
from topiccrawler.text.stems import stem
from topiccrawler.text.tokeniser_engines import Cut, Engine, fastest_cut

TOKENIZER = "jieba-0.42-hmm+rule-2"

_REMEMBERED_CHARACTERS = 60_000  # twice; some 8 MB with their words
_LONGEST_RUN = 40
_HAN = "一-\u9fd5"  # jieba's own range: beyond it the engines differ
_ALONE = rf"(?<![^\W_{_HAN}][a-z])(?<=[a-z])[{_HAN}]"  # the 股 of a股
_PLAIN = ",。、!?:;()“”《》| "  # both engines keep each as a token of one character
_BETWEEN_HAN = re.compile(rf"[^{_HAN}{_PLAIN}\n]+({_ALONE})?")
_CHUNK = re.compile(rf"[a-z](?:\+\+|#)(?![^\W_{_HAN}])|[^\W_{_HAN}]+")  # c++, a run of letters and digits
_HAN_WORD = re.compile(f"[{_HAN}]{{2,}}")
_LETTERS = re.compile(r"(?<![^\W_])[a-z]{2,3}$")  # the ic of ic卡

# One character each, which both engines keep as a token: for nothing, and for a word.
_NOTHING, _WORD = ",", "\x01"


def words(text: str) -> list[str]:
    """The words of one text."""
    return words_of([text])[0]


def words_of(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text; one call of the engine for all."""
    split = [text.replace("|", " ").split() for text in texts]
    words_of_piece = words_of_pieces(chain.from_iterable(split)).__getitem__
    return [list(chain.from_iterable(map(words_of_piece, pieces))) for pieces in split]


def words_of_pieces(pieces: Iterable[str]) -> Mapping[str, list[str]]:
    """Piece -> its words, for texts without `|`. They are cached: do not change them."""
    return _recent.of(pieces)


def learn(phrases: Iterable[str]) -> None:
    """Keep the Han words of these phrases whole, in this process and from now on, where the segmenter would lose characters of
    them. The others stay as it cuts them: who looks for 上市公司 joins 上市 and 公司 again.
    """
    runs = sorted({run for phrase in phrases for run in _HAN_WORD.findall(fold(phrase))})
    losing = [
        run
        for run, words in zip(runs, cut_all(runs, _engine()), strict=True)
        if sum(map(len, words)) < len(run)
    ]
    for run in losing:
        _engine().learn(run)
    if losing:
        _recent.clear()


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
    taken = iter(between)
    found: list[list[str]] = []
    start = 0
    for line in lines.split("\n"):
        end = tokens.index("\n", start)
        run = tokens[start:end]
        found.append(_with_taken(run, taken) if _WORD in line else [token for token in run if len(token) > 1])
        start = end + 1
    return found


def _with_taken(tokens: list[str], taken: Iterator[tuple[str, bool]]) -> list[str]:
    """The words of a line, with those that were taken out put back."""
    found: list[str] = []
    start = 0
    for place in [place for place, token in enumerate(tokens) if token == _WORD]:
        found += [token for token in tokens[start:place] if len(token) > 1]
        word, is_prefix = next(taken)
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


@cache
def _engine() -> Engine:
    return fastest_cut()


_recent = TwoGenerationCache(lambda pieces: cut_all(pieces, _engine()), _REMEMBERED_CHARACTERS)
