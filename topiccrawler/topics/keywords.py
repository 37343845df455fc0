"""Makes topic vectors (words with weights) from example texts or pages.

Idea: a word belongs to the topic when the topic's pages use it often, few documents contain it, and other pages do not. With other
pages, tf·idf·IG; without any, tf·idf by the word frequencies that come with jieba.
Formula: with others: w = mean tf in the topic · ln(N/n) · IG(r_topic, r_others); r = share of each side's documents with
the word; words in a larger share of the others are left out. `by_occurrences`, the thesis' tables 4-1 to 4-3: w = mean of
occurrences · log10(N/n + .01) / 2 in the topic · IG, r = occurrences on each side; words that occur more often in a document of the
others are left out (ours: the thesis weights them too). Without: w = mean tf · idf of jieba (the median for unknown
words that occur twice; an unknown word that occurs once is mostly a mistake of the segmenter).
The k largest are kept and scaled so that the largest is 1. Fields are weighted as in relevance.linear.
Parameters: size 60 (thesis: the first 30 words cover 85 % of a field, more than 60 change little); least_documents 2 when
there are at least 10 texts: a word of one text is a name.
Cost: one pass over the words; only when a topic is made.
But: jieba's frequencies are those of a news corpus, not of the pages a crawl meets.
Reference: MySpider thesis (2009) §3.3.1, §4.4.2-4.4.3; Salton & Buckley (1988).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from topiccrawler.text.segmenter import words_of
from topiccrawler.text.weights import (
    centroid,
    counted_tf_idf,
    document_frequencies,
    information_gain,
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

    `by_occurrences`: the weights are those of the thesis' tables.
    """
    frequencies = document_frequencies(documents)
    if others and by_occurrences:
        weights = {row.word: row.weight for row in occurrence_weights(documents, others) if row.is_of_topic}
        return _scaled(weights, size)
    candidates = _candidates(documents, frequencies)
    shares = {word: tf for word, tf in centroid(map(term_frequency, documents)).items() if word in candidates}
    if others:
        weights = _against(shares, frequencies, len(documents), others)
    else:
        totals, idf = Counter(word for words in documents for word in words), background_idf()
        unknown = {word: idf[""] if totals[word] > 1 else 0.0 for word in shares}
        weights = {word: tf * idf.get(word, unknown[word]) for word, tf in shares.items()}
    return _scaled(weights, size)


@dataclass(frozen=True, slots=True)
class OccurrenceWeight:
    """One word in the thesis' tables 4-1 to 4-4. Pairs are of the topic's documents and of the others."""

    word: str
    occurrences: tuple[int, int]  # table 4-1
    tf_idf: tuple[float, float]  # table 4-2, means over the documents
    entropy: float  # H(D|t), bits: table 4-3
    gain: float  # IG(D|t), bits: table 4-3
    weight: float  # tf·idf·IG in the topic's documents
    is_of_topic: bool  # it occurs more often in a document of the topic than in one of the others


def occurrence_weights(
    documents: Sequence[Sequence[str]], others: Sequence[Sequence[str]]
) -> list[OccurrenceWeight]:
    """The weights of the words of a topic's documents by the thesis' tables, the largest first; without function words and numbers."""
    frequencies = document_frequencies(documents)
    words = _candidates(documents, frequencies)
    every = frequencies + document_frequencies(others)
    used = occurrences(documents), occurrences(others)
    sizes = len(documents), len(others)
    found = []
    for word in words:
        counts = used[0][word], used[1][word]
        means = tuple(count / size for count, size in zip(counts, sizes, strict=True))
        ours, theirs = (counted_tf_idf({word: mean}, sum(sizes), every)[word] for mean in means)
        gain = information_gain(counts)
        is_of_topic = means[0] > means[1]
        found.append(
            OccurrenceWeight(word, counts, (ours, theirs), 1.0 - gain, gain, ours * gain, is_of_topic)
        )
    return sorted(found, key=lambda row: (-row.weight, row.word))


def _candidates(documents: Sequence[Sequence[str]], frequencies: Counter[str]) -> set[str]:
    """The words of the documents that can be words of their topic."""
    function_words = function_words_of(documents)
    least = 2 if len(documents) >= 10 else 1
    return {
        word
        for word, count in frequencies.items()
        if count >= least and word not in function_words and not word.isdigit()
    }


def _scaled(weights: Mapping[str, float], size: int) -> dict[str, float]:
    """The `size` largest weights above 0, scaled so that the largest is 1."""
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
    shares: Mapping[str, float], frequencies: Counter[str], count: int, others: Sequence[Sequence[str]]
) -> dict[str, float]:
    """tf·idf·IG of each word of the topic; 0 for a word that is not in a larger share of the topic's texts than of the others."""
    elsewhere = document_frequencies(others)
    rates = {word: (frequencies[word] / count, elsewhere[word] / len(others)) for word in shares}
    telling = {word: pair for word, pair in rates.items() if pair[0] > pair[1]}
    return tf_idf_ig(shares, count + len(others), frequencies + elsewhere, telling)


def unit_vector(words: Sequence[str], idf: Callable[[str], float]) -> dict[str, float]:
    """The tf·idf vector of a page's words, scaled to length 1; tf = 1 + ln(occurrences). Common words are left out."""
    counts = Counter(word for word in words if not is_common(word))
    vector = {word: (1.0 + math.log(count)) * idf(word) for word, count in counts.items()}
    length = norm(vector) or 1.0
    return {word: weight / length for word, weight in vector.items()}
