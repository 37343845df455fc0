"""Term weights and sparse word vectors for page classifiers, strategies and topics; and log-odds as probabilities.

`tf_idf_ig`, with `term_frequency`, `inverse_document_frequency` and `information_gain`: the weights of the MySpider thesis.
Idea: a word in many documents has little weight (idf); a word spread evenly over the classes has none, however
rare it is (information gain).
Formulas: tf(t) = occurrences / words of the document; idf(t) = ln(N / n), N documents, n of them hold t;
p(c|t) = r(t,c) / Σ_c r(t,c), r(t,c) = occurrences of t in the texts of class c (table 4-3), or a rate;
IG(D|t) = H(D) - H(D|t), H(D) = log2(number of classes), H(D|t) = -Σ_c p log2 p; weight = tf · idf · IG.
`counted_tf_idf`: the weights of table 4-2, occurrences · log10(N/n + .01) / 2. The formula is lost in the scan (§3.3.1) and is read from
the table; §4.4.2 and its example have the shares and ln(N/n) of `tf_idf`. A word that all documents contain keeps a weight there.
Cost: O(classes) for IG, O(distinct words) for the others.
But: IG has no part for documents without the word; with classes of unequal size occurrences favour the larger one,
a rate (documents per class size) does not. The thesis' table 4-4 follows from no formula found: only its order of weights
holds here.
Reference: MySpider thesis (2009) §3.3.1, §4.4.2-4.4.3.

`Vector` is a sparse word vector, a plain dict. numpy needs a fixed vocabulary, and pages bring new words all the time. A dict per text
needs none and, for a topic's few hundred words, is faster than a sparse matrix row.

`logistic` and `log_odds` convert log-odds to a probability and back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

IN_ALL = 0.01  # what table 4-2 adds to N/n, so that a word of all documents has a weight


def logistic(log_odds: float) -> float:
    """The probability 1 / (1 + e^-x) of log-odds x, without overflow."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))


def log_odds(probability: float) -> float:
    """ln(P / (1 - P)), finite for every P: 0 and 1 count as 1e-12 and 1 - 1e-12."""
    held = min(max(probability, 1e-12), 1.0 - 1e-12)
    return math.log(held / (1.0 - held))


def term_frequency(words: Sequence[str]) -> dict[str, float]:
    """The share of each word among the words of a document."""
    return {word: count / len(words) for word, count in Counter(words).items()}


def inverse_document_frequency(documents: int, documents_with_word: int) -> float:
    """ln(N/n) of a word that n of N documents contain; 0 if none or all do."""
    if documents_with_word <= 0 or documents <= 0:
        return 0.0
    return max(0.0, math.log(documents / documents_with_word))


def document_frequencies(documents: Iterable[Sequence[str]]) -> Counter[str]:
    """The number of documents that contain each word."""
    return Counter(word for words in documents for word in set(words))


def occurrences(documents: Sequence[Sequence[str]]) -> Counter[str]:
    """The number of occurrences of each word in all documents together."""
    return Counter(word for words in documents for word in words)


def tf_idf(tf: Mapping[str, float], documents: int, frequencies: Mapping[str, int]) -> dict[str, float]:
    """tf · ln(N/n) of each word. `documents` = N; `frequencies` = n by word."""
    return {
        word: share * inverse_document_frequency(documents, frequencies.get(word, 0))
        for word, share in tf.items()
    }


def counted_tf_idf(
    counts: Mapping[str, float], documents: int, frequencies: Mapping[str, int]
) -> dict[str, float]:
    """occurrences · log10(N/n + .01) / 2 of each word, as in the thesis' table 4-2; not below 0. `documents` = N; `frequencies` = n by word."""
    return {
        word: count * max(0.0, math.log10(documents / max(1, frequencies.get(word, 0)) + IN_ALL)) / 2.0
        for word, count in counts.items()
    }


def information_gain(rates: Sequence[float]) -> float:
    """The information gain IG(D|t) in bits, 0..log2(classes), of a word's occurrences or rates by class; 0 when it occurs nowhere."""
    total = sum(rates)
    if total <= 0 or len(rates) < 2:
        return 0.0
    shares = [share for share in (rate / total for rate in rates) if share > 0]
    return max(0.0, math.log2(len(rates)) + sum(share * math.log2(share) for share in shares))


def tf_idf_ig(
    tf: Mapping[str, float],
    documents: int,
    frequencies: Mapping[str, int],
    rates: Mapping[str, Sequence[float]],
) -> dict[str, float]:
    """tf · idf · IG of each word. `rates`: the occurrences, or rates, of a word by class."""
    weighted = tf_idf(tf, documents, frequencies)
    return {word: weight * information_gain(rates.get(word, ())) for word, weight in weighted.items()}


Vector = Mapping[str, float]


def dot(first: Vector, second: Vector) -> float:
    """The dot product, a sum over the words that both vectors have."""
    if len(first) > len(second):
        first, second = second, first
    return sum(weight * second[word] for word, weight in first.items() if word in second)


def norm(vector: Vector) -> float:
    """The Euclidean length of a vector."""
    return math.sqrt(sum(weight * weight for weight in vector.values()))


def cosine(first: Vector, second: Vector) -> float:
    """The cosine of the angle between two vectors; 0 when either is empty. In 0..1 for weights that are not negative."""
    lengths = norm(first) * norm(second)
    return max(-1.0, min(1.0, dot(first, second) / lengths)) if lengths else 0.0


def centroid(vectors: Iterable[Vector]) -> dict[str, float]:
    """The mean vector; empty for no vectors."""
    sums: dict[str, float] = {}
    count = 0
    for vector in vectors:
        count += 1
        for word, weight in vector.items():
            sums[word] = sums.get(word, 0.0) + weight
    return {word: weight / count for word, weight in sums.items()}


def top_k(vector: Vector, k: int) -> dict[str, float]:
    """The k largest entries, largest first. Equal weights are in order of the words, so that the order is unique."""
    ranked = sorted(vector.items(), key=lambda entry: (-entry[1], entry[0]))
    return dict(ranked[: max(0, k)])
