"""Turns words of links into numbers: feature hashing, tf-idf vectors, and the similarity of short texts to the topic without training.

`hashed_counts` hashes words. A crawl finds new words all the time, but sums over documents need a fixed length. So a word is an 18-bit
hash; collisions among 50 000 words cost less than a dictionary would.

`TopicSimilarity` compares the texts of links with the topic. A page classifier expects a page, but a link has about five words. So the
vector comparison of relevance.vsm is used without its smoothing for short pages. All texts of a page's links are segmented in one call.

`WordSimilarity` gives the thesaurus similarity of single words to the topic's words.

`IdfVectors` makes tf-idf vectors whose document frequencies grow during the crawl.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from topiccrawler.link_model.classifier import LinkWords, words_of_links
from topiccrawler.links.columns import Floats, Ints, packed, unpacked
from topiccrawler.model import Link
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.thesaurus import Thesaurus
from topiccrawler.text.weights import top_k
from topiccrawler.topics.topic import Topic, token_weights

_MOST_REMEMBERED = 50_000  # cached words


class TopicSimilarity:
    """Relevance of link texts to one topic, 0..1 (relevance.vsm without its smoothing for short pages)."""

    def __init__(self, topic: Topic) -> None:
        self._segmenter = topic.segmenter
        self._page_classifier = VsmClassifier(topic, prior_words=0.0)

    def relevance(self, words: Sequence[str]) -> float:
        """Return the relevance of the words of one text, 0..1; 0 without words."""
        return self._page_classifier.similarity(PageWords(body=words)) if words else 0.0

    def links(self, links: Sequence[Link]) -> list[tuple[float, float]]:
        """Return the relevance of the anchor and of the context for each link of a page."""
        words = words_of_links(links, self._segmenter)
        return [(self.relevance(one.anchor), self.relevance(one.context)) for one in words]


class WordSimilarity:
    """Similarity of a word w to a topic: max over topic words k of sim(w, k). Results are cached."""

    def __init__(self, topic: Topic, thesaurus: Thesaurus, top_words: int) -> None:
        weights, _ = token_weights(topic.keywords, topic.segmenter)
        nearest = thesaurus.nearest(list(top_k(weights, top_words)))
        self.of_word = lru_cache(_MOST_REMEMBERED)(nearest)

    def of_words(self, words: Sequence[str]) -> float:
        """Return the largest similarity among the words; 0 without words."""
        return max(map(self.of_word, words), default=0.0)


def shown_words(words: LinkWords, *, with_context: bool) -> Sequence[str]:
    """Return the words of a link's anchor, followed by those of its context if `with_context`."""
    return [*words.anchor, *words.context] if with_context else words.anchor


SIZE = 1 << 18
Hashed = tuple[Ints, Floats]  # distinct hashed words in ascending order, and the count of each


def hashed_counts(words: Sequence[str] | Mapping[str, float]) -> Hashed:
    """Hash and count the words of a text, or of a mapping from words to counts."""
    numbers = np.fromiter(map(_number, words), np.int32, len(words))
    values = np.fromiter(words.values(), np.float64, len(words)) if isinstance(words, Mapping) else None
    distinct, indexes = np.unique(numbers, return_inverse=True)
    return distinct, np.bincount(indexes, values, minlength=distinct.size).astype(np.float64)


def _number(word: str) -> int:
    return zlib.crc32(word.encode()) % SIZE


def as_rows(texts: Sequence[Hashed]) -> csr_array:
    """Return a sparse matrix with a row of raw counts for each text."""
    ends = np.cumsum([0, *(words.size for words, _ in texts)])
    columns = np.concatenate([words for words, _ in texts]) if texts else np.empty(0, np.int32)
    values = np.concatenate([counts for _, counts in texts]) if texts else np.empty(0)
    return csr_array((values, columns, ends), shape=(len(texts), SIZE))


def packed_texts(texts: Sequence[Hashed]) -> dict[str, Any]:
    """Return hashed texts as JSON values."""
    rows = as_rows(texts)
    words = packed(rows.indices.astype(np.int32))
    return {"lengths": np.diff(rows.indptr).tolist(), "words": words, "counts": packed(rows.data)}


def unpacked_texts(state: Mapping[str, Any]) -> list[Hashed]:
    """Restore the texts that `packed_texts` returned."""
    ends = np.cumsum(state["lengths"], dtype=np.int64)
    words = np.split(unpacked(state["words"], np.int32), ends)
    return list(zip(words, np.split(unpacked(state["counts"]), ends), strict=True))[:-1]


class IdfVectors:
    """tf-idf vectors of length 1: weight = count * ln(1 + N / n), N = documents seen so far, n = those with the word."""

    def __init__(self) -> None:
        self._documents = 0  # N
        self._holding: npt.NDArray[np.int32] = np.zeros(SIZE, np.int32)  # n of each word

    def seen(self, words: Hashed) -> Hashed:
        """Add a document to the document frequencies; return its words unchanged."""
        self._documents += 1
        self._holding[words[0]] += 1
        return words

    def weights(self, words: Hashed) -> Floats:
        """Return the tf-idf weight of each word of a text; a word never seen has n = 1."""
        holding = np.maximum(1, self._holding[words[0]])
        return words[1] * np.log1p(max(1, self._documents) / holding)

    def heaviest(self, words: Hashed, most: int) -> Hashed:
        """Return only the `most` words with the largest weights, with their counts."""
        if words[0].size <= most:
            return words
        kept = np.sort(np.argsort(-self.weights(words), kind="stable")[:most])
        return words[0][kept], words[1][kept]

    def matrix(self, texts: Sequence[Hashed]) -> csr_array:
        """Return a sparse matrix with a row for each text: a vector of length 1, or 0 for a text without words."""
        rows = as_rows(texts)
        rows.data = self.weights((rows.indices, rows.data))
        owners = np.repeat(np.arange(len(texts)), np.diff(rows.indptr))
        lengths = np.sqrt(np.bincount(owners, rows.data**2, minlength=len(texts)))
        rows.data /= lengths[owners]
        return rows

    def save(self) -> Mapping[str, Any]:
        """Return the document frequencies as JSON values."""
        return {"documents": self._documents, "holding": packed(self._holding)}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> IdfVectors:
        """Restore the document frequencies that `save` returned."""
        vectors = cls()
        vectors._documents = int(state["documents"])
        vectors._holding = unpacked(state["holding"], np.int32)
        return vectors
