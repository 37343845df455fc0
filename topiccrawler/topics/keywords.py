"""Makes topic vectors, words with weights, from example texts or pages.

Idea: a word belongs to the topic when its pages use it often, few documents do, and other pages do not. With other
pages, tf·idf·IG; without any, tf·idf by the word frequencies that come with jieba.
Formula: with others: w = mean tf in the topic · ln(N/n) · IG(r_topic, r_others); r = share of each side's documents with
the word (ours), or its occurrences there (`by_occurrences`, the thesis' table 4-3); words in a larger share of the others are left
out. Without: w = mean tf · idf of jieba (the median for unknown
words that occur twice; an unknown word that occurs once is mostly a mistake of the segmenter).
The k largest, the largest = 1. Fields are weighted as in relevance.linear.
Parameters: size 60 (thesis: the first 30 words cover 85 % of a field, more than 60 change little); least_documents 2 when
there are at least 10 texts: a word of one text is a name.
Cost: one pass over the words; only when a topic is made.
But: jieba's frequencies are those of a news corpus, not of the pages a crawl meets.
Reference: MySpider thesis (2009) §4.4.2-4.4.3; Salton & Buckley (1988).

Words that any page has, by the two frequency tables that come with jieba.

Each table alone is biased: its idf comes from business news (基金 stands in every fiftieth text), its dictionary's counts from a
newspaper (教育, 法律). A word that both call common says little of a page.

Which words are too common to be learned as words of a topic, or against it: 问题, 选择, 其实, 我们.

In other languages than Chinese and English function words are known by lists (stop-words); a text's language is that of which it has most.

A few pages that a person was asked about share such words by chance. So a word is learned only when it is rare in the language and in
texts of the web; a word that one table lacks is known by the other, one that both lack is rare.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from statistics import median

from topiccrawler.text.segmenter import FUNCTION_WORDS, HIRAGANA, STOP_WORDS, Segmenter, words_of
from topiccrawler.text.stemmer import OTHER
from topiccrawler.text.weights import (
    centroid,
    document_frequencies,
    norm,
    occurrences,
    term_frequency,
    tf_idf_ig,
    top_k,
)

SIZE = 60
_HIRAGANA = re.compile(f"[{HIRAGANA}ー]+")


def keywords_of_texts(texts: Sequence[str], others: Sequence[str] = (), size: int = SIZE) -> dict[str, float]:
    """The topic vector of example texts, against texts that are about something else."""
    return keywords_of_words(words_of(texts), words_of(others), size)


def keywords_of_words(
    documents: Sequence[Sequence[str]],
    others: Sequence[Sequence[str]] = (),
    size: int = SIZE,
    *,
    by_occurrences: bool = False,
) -> dict[str, float]:
    """The `size` words with most weight for the topic, largest first, the largest with weight 1.

    `by_occurrences`: the information gain is that of occurrences, as in the thesis.
    """
    frequencies = document_frequencies(documents)
    function_words = _function_words_of(documents)
    least = 2 if len(documents) >= 10 else 1
    shares = {
        word: tf
        for word, tf in centroid(map(term_frequency, documents)).items()
        if frequencies[word] >= least and word not in function_words and not word.isdigit()
    }
    if others:
        used = (occurrences(documents), occurrences(others)) if by_occurrences else None
        weights = _against(shares, frequencies, len(documents), others, used)
    else:
        totals, idf = Counter(word for words in documents for word in words), background_idf()
        unknown = {word: idf[""] if totals[word] > 1 else 0.0 for word in shares}
        weights = {word: tf * idf.get(word, unknown[word]) for word, tf in shares.items()}
    ranked = top_k({word: weight for word, weight in weights.items() if weight > 0}, size)
    largest = next(iter(ranked.values()), 1.0)
    return {word: max(0.001, round(weight / largest, 3)) for word, weight in ranked.items()}


def merged(first: Mapping[str, float], second: Mapping[str, float], share: float = 0.5) -> dict[str, float]:
    """Two vectors as one: each scaled to a largest weight of 1, the second counting `share`."""
    sums: dict[str, float] = {}
    for vector, part in ((first, 1 - share), (second, share)):
        factor = part / max(vector.values(), default=1.0)
        for word, weight in vector.items():
            sums[word] = sums.get(word, 0.0) + weight * factor
    return top_k({word: round(weight, 4) for word, weight in sums.items() if weight >= 0.00005}, len(sums))


# Function words in a running text: German ones are .26 of all, English ones .07 by the Dutch list.
LEAST_SHARE, LEAST_DIFFERENT = 0.1, 3


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    """By language, but those of Chinese and English; as the plain segmenter gives them, and that of a topic in another language."""
    from stop_words import AVAILABLE_LANGUAGES, get_stop_words

    lists = {name: get_stop_words(name) for name in AVAILABLE_LANGUAGES if name not in {"chinese", "english"}}
    in_other = Segmenter(language=OTHER)
    return {
        name: frozenset(chain(*words_of(listed), *in_other.words_of(listed))) - STOP_WORDS
        for name, listed in lists.items()
    }


def _function_words_of(documents: Sequence[Sequence[str]]) -> frozenset[str]:
    """Of Chinese, English and the language of which the documents have most; with words of hiragana alone, which are inflections."""
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


def _against(
    shares: Mapping[str, float],
    frequencies: Counter[str],
    count: int,
    others: Sequence[Sequence[str]],
    used: tuple[Counter[str], Counter[str]] | None,
) -> dict[str, float]:
    """tf·idf·IG of each word of the topic; 0 for a word in a larger share of the other texts. `used`: occurrences on each side."""
    elsewhere = document_frequencies(others)
    rates = {word: (frequencies[word] / count, elsewhere[word] / len(others)) for word in shares}
    telling: dict[str, tuple[float, float]] = {
        word: pair if used is None else (used[0][word], used[1][word])
        for word, pair in rates.items()
        if pair[0] > pair[1]
    }
    return tf_idf_ig(shares, count + len(others), frequencies + elsewhere, telling)


@cache
def background_idf() -> dict[str, float]:
    """jieba's idf of each word; the median under "" for words it does not know."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources, at import
        from jieba.analyse import default_tfidf

    table: dict[str, float] = dict(default_tfidf.idf_loader.get_idf()[0])
    table[""] = median(table.values())
    return table


LARGEST_IDF = 5.0  # in one of 150 texts or more
LEAST_COUNT = 15_000  # of 60 million words


@cache
def common_words() -> frozenset[str]:
    """Some 300 words of a general text, and the stop words."""
    idf = background_idf()  # imports jieba, whose warnings it silences
    import jieba

    with jieba.get_module_res("dict.txt") as file:
        rows = (line.split() for line in file)
        frequent = {word.decode("utf-8") for word, count, *_ in rows if int(count) >= LEAST_COUNT}
    return STOP_WORDS | {word for word in frequent if idf.get(word, LARGEST_IDF) < LARGEST_IDF}


LEAST_RARITY = 5.9  # ln(texts / texts with the word), of jieba's texts: one of 365 has it
LEAST_WEB_RARITY = 5.0  # the same of those of the word vectors, which have more words of sites and of trade
LONGEST_WORD = 60  # characters


@cache
def _function_words_of_any() -> frozenset[str]:
    return frozenset().union(*_function_words().values())


@lru_cache(maxsize=100_000)
def is_common(word: str) -> bool:
    """The word is not to be learned."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    if word in STOP_WORDS or word.isdigit() or len(word) > LONGEST_WORD or _HIRAGANA.fullmatch(word):
        return True
    if word in FUNCTION_WORDS or (word in _function_words_of_any() and not shipped_vectors().has(word)):
        return True  # car is one in Romanian
    language, web = background_idf().get(word, LEAST_RARITY), shipped_vectors().rarity_of(word)
    return language < LEAST_RARITY or (web is not None and web < LEAST_WEB_RARITY)


def rarity(word: str) -> float:
    """ln(texts / texts with the word), by jieba; of a word that it lacks by the word vectors, else jieba's median."""
    from topiccrawler.text.word_vectors import shipped_vectors  # numpy

    if (known := background_idf().get(word)) is None:
        known = shipped_vectors().rarity_of(word)
    return background_idf()[""] if known is None else known


def unit_vector(words: Sequence[str], idf: Callable[[str], float]) -> dict[str, float]:
    """The tf·idf vector of length 1 of a page's words, tf = 1 + ln of how often; common words left out."""
    counts = Counter(word for word in words if not is_common(word))
    vector = {word: (1.0 + math.log(count)) * idf(word) for word, count in counts.items()}
    length = norm(vector) or 1.0
    return {word: weight / length for word, weight in vector.items()}
