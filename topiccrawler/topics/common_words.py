"""Which words are too common to be learned as words of a topic, or against it: 问题, 选择, 其实, 我们.

A few pages that a person was asked about share such words by chance. So a word is learned only when it is rare in the language and in
texts of the web; a word that one table lacks is known by the other, one that both lack is rare.
"""

from __future__ import annotations

from functools import lru_cache

from topiccrawler.text.stopwords import STOP_WORDS
from topiccrawler.topics.keywords import background_idf

LEAST_RARITY = 5.9  # ln(texts / texts with the word), of jieba's texts: one of 365 has it
LEAST_WEB_RARITY = 5.0  # the same of those of the word vectors, which have more words of sites and of trade
LONGEST_WORD = 60  # characters


@lru_cache(maxsize=100_000)
def is_common(word: str) -> bool:
    """The word is not to be learned."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    if word in STOP_WORDS or word.isdigit() or len(word) > LONGEST_WORD:
        return True
    language, web = background_idf().get(word, LEAST_RARITY), shipped_vectors().rarity_of(word)
    return language < LEAST_RARITY or (web is not None and web < LEAST_WEB_RARITY)


def rarity(word: str) -> float:
    """ln(texts / texts with the word), by jieba; of a word that it lacks by the word vectors, else jieba's median."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    if (known := background_idf().get(word)) is None:
        known = shipped_vectors().rarity_of(word)
    return background_idf()[""] if known is None else known
