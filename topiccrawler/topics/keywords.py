"""Makes topic vectors (words with weights) from example texts or pages.

Idea: a word belongs to the topic when the topic's pages use it often, few documents contain it, and other pages do not. With other
pages, tf·idf·IG; without any, tf·idf by the word frequencies that come with jieba.
Formula: with others: w = mean tf in the topic · ln(N/n) · IG(r_topic, r_others); r = share of each side's documents with
the word (ours), or its occurrences there (`by_occurrences`, the thesis' table 4-3); words in a larger share of the others are left
out. Without: w = mean tf · idf of jieba (the median for unknown
words that occur twice; an unknown word that occurs once is mostly a mistake of the segmenter).
The k largest are kept and scaled so that the largest is 1. Fields are weighted as in relevance.linear.
Parameters: size 60 (thesis: the first 30 words cover 85 % of a field, more than 60 change little); least_documents 2 when
there are at least 10 texts: a word of one text is a name.
Cost: one pass over the words; only when a topic is made.
But: jieba's frequencies are those of a news corpus, not of the pages a crawl meets.
Reference: MySpider thesis (2009) §4.4.2-4.4.3; Salton & Buckley (1988).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from topiccrawler.text.segmenter import words_of
from topiccrawler.text.weights import (
    centroid,
    document_frequencies,
    norm,
    occurrences,
    term_frequency,
    tf_idf_ig,
    top_k,
)
from topiccrawler.topics.common_words import background_idf, function_words_of, is_common

SIZE = 60


def keywords_of_texts(texts: Sequence[str], others: Sequence[str] = (), size: int = SIZE) -> dict[str, float]:
    """The topic vector of example texts, in contrast to other texts, if there are any; at most `size` words."""
    return keywords_of_words(words_of(texts), words_of(others), size)


def keywords_of_words(
    documents: Sequence[Sequence[str]],
    others: Sequence[Sequence[str]] = (),
    size: int = SIZE,
    *,
    by_occurrences: bool = False,
) -> dict[str, float]:
    """The `size` words of largest weight for a topic, largest first, the first with weight 1. Documents are lists of words.

    `by_occurrences`: the information gain is computed from occurrences, as in the thesis, not from shares of documents.
    """
    frequencies = document_frequencies(documents)
    function_words = function_words_of(documents)
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
    """The weighted sum of two vectors, each first scaled to a largest weight of 1; the second has the weight `share`."""
    sums: dict[str, float] = {}
    for vector, part in ((first, 1 - share), (second, share)):
        factor = part / max(vector.values(), default=1.0)
        for word, weight in vector.items():
            sums[word] = sums.get(word, 0.0) + weight * factor
    return top_k({word: round(weight, 4) for word, weight in sums.items() if weight >= 0.00005}, len(sums))


def _against(
    shares: Mapping[str, float],
    frequencies: Counter[str],
    count: int,
    others: Sequence[Sequence[str]],
    used: tuple[Counter[str], Counter[str]] | None,
) -> dict[str, float]:
    """tf·idf·IG of each word of the topic; 0 for a word that is not in a larger share of the topic's texts than of the others.

    `used`: the occurrences in the topic and in the others, if IG is computed from them.
    """
    elsewhere = document_frequencies(others)
    rates = {word: (frequencies[word] / count, elsewhere[word] / len(others)) for word in shares}
    telling: dict[str, tuple[float, float]] = {
        word: pair if used is None else (used[0][word], used[1][word])
        for word, pair in rates.items()
        if pair[0] > pair[1]
    }
    return tf_idf_ig(shares, count + len(others), frequencies + elsewhere, telling)


def unit_vector(words: Sequence[str], idf: Callable[[str], float]) -> dict[str, float]:
    """The tf·idf vector of a page's words, scaled to length 1; tf = 1 + ln(occurrences). Common words are left out."""
    counts = Counter(word for word in words if not is_common(word))
    vector = {word: (1.0 + math.log(count)) * idf(word) for word, count in counts.items()}
    length = norm(vector) or 1.0
    return {word: weight / length for word, weight in vector.items()}
