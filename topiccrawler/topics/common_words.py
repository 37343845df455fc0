"""Which words are too common to be learned as words of a topic, or against it: 问题, 选择, 其实, 我们.

A few pages that a person was asked about share such words by chance. So a word is learned only when it is rare in the language, and in
texts of the web: the rarer table does not count, for each has words that its texts happen to lack.
"""

from __future__ import annotations

from functools import lru_cache

from topiccrawler.text.stopwords import STOP_WORDS
from topiccrawler.topics.keywords import background_idf

LEAST_RARITY = 5.5  # ln(texts / texts with the word): one of 250 texts has it
LONGEST_WORD = 60  # characters


def is_common(word: str) -> bool:
    """The word is not to be learned."""
    if word in STOP_WORDS or word.isdigit() or len(word) > LONGEST_WORD:
        return True
    return rarity(word) < LEAST_RARITY


@lru_cache(maxsize=100_000)
def rarity(word: str) -> float:
    """ln(texts / texts with the word), the smaller of jieba's and that of the word vectors; of a word that neither has, jieba's median."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    idf = background_idf()
    known = [one for one in (idf.get(word), shipped_vectors().rarity_of(word)) if one is not None]
    return min(known, default=idf[""])
