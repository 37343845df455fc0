"""The thesaurus: how similar two words are in meaning, by a list of synonyms and the word vectors, or by a user's file of codes.

`Thesaurus` is the base class, which knows equal words only.
Scale: 1 synonyms, 0.5 to 1 near words, above 0 to 0.5 distant ones, 0 unknown or unrelated. The paper gives these ranges and no numbers;
the numbers of each kind are ours.
Reference: Li, Zhao & Yu, SkyReach, 2003, §3.6.2.

`CodedThesaurus` reads a file of words by code, in the format of the Tongyici Cilin.
Idea: a thesaurus is a tree; the deeper the branch two words share, the nearer they are.
Formula: sim = 1 for equal words and for one line marked `=` (synonyms); 0.8 for one line marked `#` (related);
    0.6 for a shared code of four levels (near), 0.4 of three, 0.2 of two, 0.1 of one (distant); else 0. Of a word's several
    codes the nearest pair counts.
Format: a line is `CODE words…`, CODE = level letters and digits as in `Aa01A01=`: 1 + 1 + 2 + 1 + 2 characters and a
    mark `=`, `#` or `@` (a word alone).
Cost: two dictionary look-ups and the product of the words' codes, which are few.
Reference: Mei et al., Tongyici Cilin, 1983, for the code. The shipped list (synonyms.txt) has the words of the catalogue's topics, grouped
by meaning. Compiled by us for this crawler, not copied from any thesaurus; the branches are ours: A money, B body and health, C journeys,
D sport, E vehicles, F learning, G computing, H food, I law, J arts and leisure.

`VectorThesaurus`, the shipped thesaurus, adds the word vectors to the list. 646 words in groups know that 酒店 is 宾馆;
40 000 word vectors (text.word_vectors) also know that 电脑 is much like 计算机.
Formula: sim = max(list, min(0.95, cos(encoder)^0.7 * cos(company)^0.3)), of the words' two pairs of vectors, neither below 0.
Parameters: the powers were chosen on pairs of words, the scale by crawls (docs/lab.md).
Cost: the vectors are loaded at the first use (.1 s, 12 MB); a word against 60 topic words about 0.1 ms, once a crawl.
But: vectors hold words of one field near, synonyms or not (足球 and 篮球), so none is a synonym by them alone: with a threshold of 1
    only the list counts. A word that is not in the table is represented by its known parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from topiccrawler.errors import ArgumentError
from topiccrawler.files import read_bytes
from topiccrawler.resources import folder
from topiccrawler.text.characters import decode
from topiccrawler.text.segmenter import fold
from topiccrawler.text.stemmer import stem


class Thesaurus:
    """The similarity of words in the form that the segmenter gives: 0..1, symmetric."""

    def similarity(self, first: str, second: str) -> float:
        """The similarity of two words, 0..1; in this class 1 when they are equal, else 0."""
        return float(first == second)

    def nearest(self, words: Sequence[str]) -> Callable[[str], float]:
        """Return a function of a word: the largest of its similarities to these words, 0 if there are none."""
        known, similarity = tuple(words), self.similarity
        return lambda word: max((similarity(word, other) for other in known), default=0.0)


NEAREST_BY_MARK: Mapping[str, float] = {"=": 1.0, "#": 0.8}
SIMILARITY = (0.0, 0.1, 0.2, 0.4, 0.6)  # by number of shared levels

_LINE = re.compile(r"\ufeff?([A-Z][a-z]\d\d[A-Z]\d\d)([=#@])\s+(.*)")
_LEVEL_ENDS = (1, 2, 4, 5)


class CodedThesaurus(Thesaurus):
    """A thesaurus of words with codes. `lines`: those of its file; lines of another form are skipped."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._codes: dict[str, tuple[str, ...]] = {}
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                continue
            code, mark, words = match.groups()
            for word in map(stem, fold(words).split()):
                self._codes[word] = (*self._codes.get(word, ()), code + mark)

    def __len__(self) -> int:
        return len(self._codes)

    def similarity(self, first: str, second: str) -> float:
        if first == second:
            return 1.0
        ours, theirs = self._codes.get(first), self._codes.get(second)
        if ours is None or theirs is None:
            return 0.0
        return max(_nearness(one, other) for one in ours for other in theirs)

    def nearest(self, words: Sequence[str]) -> Callable[[str], float]:
        """As in the base class. Most words of a topic, and most others, have no code."""
        known, codes = frozenset(words), self._codes
        of_coded = super().nearest([word for word in words if word in codes])
        return lambda word: 1.0 if word in known else of_coded(word) if word in codes else 0.0


def _nearness(first: str, second: str) -> float:
    if first == second:
        return NEAREST_BY_MARK.get(first[-1], 0.0)
    shared = 0
    for level, end in enumerate(_LEVEL_ENDS, 1):
        if first[:end] != second[:end]:
            break
        shared = level
    return SIMILARITY[shared]


ENCODER_SHARE = 0.7
MOST = 0.95


class VectorThesaurus(Thesaurus):
    """A thesaurus of a list and the shipped word vectors. Of the two similarities the larger one counts."""

    def __init__(self, listed: Thesaurus) -> None:
        self.listed = listed

    def similarity(self, first: str, second: str) -> float:
        return self.nearest([second])(first)

    def nearest(self, words: Sequence[str]) -> Callable[[str], float]:
        import numpy as np

        from topiccrawler.text.word_vectors import shipped_vectors

        vectors = shipped_vectors()
        listed = self.listed.nearest(words)
        known = [found for found in map(vectors.of_word, words) if found is not None]
        tables = [np.stack(rows) for rows in zip(*known, strict=True)]

        def of(word: str) -> float:
            by_list = listed(word)
            found = vectors.of_word(word) if by_list < MOST and tables else None
            if found is None:
                return by_list
            meaning, company = ((rows @ row).clip(min=0.0) for rows, row in zip(tables, found, strict=True))
            likeness = float((meaning**ENCODER_SHARE * company ** (1 - ENCODER_SHARE)).max())
            return max(by_list, min(MOST, likeness))

        return of


@cache
def shipped() -> VectorThesaurus:
    """The thesaurus that the package contains."""
    lines = folder("text").joinpath("synonyms.txt").read_text("utf-8").splitlines()
    return VectorThesaurus(CodedThesaurus(lines))


MOST_BYTES = 64_000_000
REMEDY = "set TOPIC_THESAURUS to a file with lines like: Aa01A01= 股票 个股 证券"


def load_thesaurus(path: Path) -> CodedThesaurus:
    """The thesaurus of a user's file, in any Chinese encoding. ArgumentError when it cannot be used."""
    what = f"thesaurus {path}"
    found = CodedThesaurus(decode(read_bytes(path, MOST_BYTES, ArgumentError, what, REMEDY))[0].splitlines())
    if not len(found):
        raise ArgumentError(what, "holds no line of words with a code", REMEDY)
    return found
