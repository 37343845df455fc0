"""The shipped thesaurus: our own small list of synonyms, and the word vectors for all other words.

Idea: 646 words in groups know that 酒店 is 宾馆; 40 000 word vectors (text.word_vectors) also know that 电脑 is much like 计算机.
Formula: sim = max(list, min(0.95, cos(encoder)^0.7 * cos(company)^0.3)), of the words' two pairs of vectors, neither below 0.
Parameters: the powers were chosen on pairs of words, the scale by crawls (docs/lab/thesaurus.md).
Cost: the vectors are loaded at the first question (.1 s, 12 MB); a word against 60 topic words about 0.1 ms, once a crawl.
But: vectors hold words of one field near, synonyms or not (足球 and 篮球), so none is a synonym by them alone: a threshold of 1
    asks the list. A word that is not in the table is taken for its known parts.
Reference: ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from topiccrawler.text.cilin import CodedThesaurus
from topiccrawler.text.synonyms import SYNONYMS
from topiccrawler.text.thesaurus import Thesaurus

ENCODER_SHARE = 0.7
MOST = 0.95


class VectorThesaurus(Thesaurus):
    """A list where it knows both words, else the shipped word vectors."""

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
    """The one that travels with the package."""
    return VectorThesaurus(CodedThesaurus(SYNONYMS.splitlines()))
