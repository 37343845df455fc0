"""Finds words that any page has, which must not be learned as words of a topic or against it: 问题, 选择, 其实, 我们.

Two frequency tables that come with jieba tell them. Each alone is biased: its idf comes from business news (基金 is in every
fiftieth text), its dictionary's counts come from a newspaper (教育, 法律). A word that both call common says little of a page.

A few pages that a person has labelled share some words by chance. So a word is learned only when it is rare in the language and in
texts of the web. For a word that one table lacks the other decides; a word that both lack is rare.

In languages other than Chinese and English, function words are known by lists (stop-words). A text's language is the one of whose function
words it has most.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from statistics import median

from topiccrawler.text.segmenter import FUNCTION_WORDS, HIRAGANA, STOP_WORDS, Segmenter, words_of
from topiccrawler.text.stemmer import OTHER


@cache
def background_idf() -> dict[str, float]:
    """jieba's idf of each word; under the key "" the median, for unknown words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources, at import
        from jieba.analyse import default_tfidf

    table: dict[str, float] = dict(default_tfidf.idf_loader.get_idf()[0])
    table[""] = median(table.values())
    return table


_HIRAGANA = re.compile(f"[{HIRAGANA}ー]+")
LARGEST_IDF = 5.0  # of a common word, which one of 150 texts or more contains
LEAST_COUNT = 15_000  # occurrences of a common word among 60 million words


@cache
def common_words() -> frozenset[str]:
    """Some 300 words that are common in any text, and the stop words."""
    idf = background_idf()  # imports jieba, whose warnings it silences
    import jieba

    with jieba.get_module_res("dict.txt") as file:
        rows = (line.split() for line in file)
        frequent = {word.decode("utf-8") for word, count, *_ in rows if int(count) >= LEAST_COUNT}
    return STOP_WORDS | {word for word in frequent if idf.get(word, LARGEST_IDF) < LARGEST_IDF}


LEAST_RARITY = 5.9  # ln(texts / texts with the word), in jieba's texts: one of 365 has it
LEAST_WEB_RARITY = 5.0  # ln(texts / texts with the word), in the texts of the word vectors, which have more words of sites and of trade
LONGEST_WORD = 60  # characters


@cache
def _function_words_of_any() -> frozenset[str]:
    return frozenset().union(*_function_words().values())


@lru_cache(maxsize=100_000)
def is_common(word: str) -> bool:
    """Whether a word is too common to be learned."""
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    if word in STOP_WORDS or word.isdigit() or len(word) > LONGEST_WORD or _HIRAGANA.fullmatch(word):
        return True
    if word in FUNCTION_WORDS or (word in _function_words_of_any() and not shipped_vectors().has(word)):
        return True  # not for a known word: car is a function word in Romanian
    language, web = background_idf().get(word, LEAST_RARITY), shipped_vectors().rarity_of(word)
    return language < LEAST_RARITY or (web is not None and web < LEAST_WEB_RARITY)


def rarity(word: str) -> float:
    """ln(texts / texts with the word) by jieba; for a word that jieba lacks, by the word vectors; else jieba's median."""
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    if (known := background_idf().get(word)) is None:
        known = shipped_vectors().rarity_of(word)
    return background_idf()[""] if known is None else known


# Share of function words in a running text: .26 in German; .07 in English by the Dutch list. And how many different ones.
LEAST_SHARE, LEAST_DIFFERENT = 0.1, 3


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    """Function words by language, without Chinese and English; in the forms of the plain segmenter and of that for OTHER languages."""
    from stop_words import AVAILABLE_LANGUAGES, get_stop_words

    lists = {name: get_stop_words(name) for name in AVAILABLE_LANGUAGES if name not in {"chinese", "english"}}
    in_other = Segmenter(language=OTHER)
    return {
        name: frozenset(chain(*words_of(listed), *in_other.words_of(listed))) - STOP_WORDS
        for name, listed in lists.items()
    }


def function_words_of(documents: Sequence[Sequence[str]]) -> frozenset[str]:
    """The function words of Chinese, English, and the other language of whose function words the documents have most (if they have enough).

    Words in hiragana only are included: they are inflections.
    """
    counts = Counter(chain.from_iterable(documents))
    found = STOP_WORDS.union(filter(_HIRAGANA.fullmatch, counts))
    shares = {
        language: sum(counts[word] for word in listed) / max(1, counts.total())
        for language, listed in _function_words().items()
    }
    language = max(shares, key=shares.__getitem__)
    listed = _function_words()[language]
    is_of_it = shares[language] >= LEAST_SHARE and len(listed & counts.keys()) >= LEAST_DIFFERENT
    return found | listed if is_of_it else found
