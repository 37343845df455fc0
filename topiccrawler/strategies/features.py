"""Words of links as numbers: feature hashing, and the similarity of short texts to the topic without a trained model.

A crawl finds new words all the time, but sums over documents need one fixed length. So a word is its hash, cut to 18 bits; collisions
among 50 000 words cost less than a dictionary would.

A page classifier expects a page, and a link has five words. So `TopicSimilarity` uses the vector comparison of relevance.vsm without
its allowance for short pages, and segments the texts of all links of a page in one call.
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

_MOST_REMEMBERED = 50_000  # words


class TopicSimilarity:
    """Relevance of link texts to one topic, 0..1 (relevance.vsm, without its allowance for short pages)."""

    def __init__(self, topic: Topic) -> None:
        self._segmenter = topic.segmenter
        self._page_classifier = VsmClassifier(topic, prior_words=0.0)

    def relevance(self, words: Sequence[str]) -> float:
        """0 for no words."""
        return self._page_classifier.similarity(PageWords(body=words)) if words else 0.0

    def links(self, links: Sequence[Link]) -> list[tuple[float, float]]:
        """Relevance of anchor and of context of each link of a page."""
        words = words_of_links(links, self._segmenter)
        return [(self.relevance(one.anchor), self.relevance(one.context)) for one in words]


class WordSimilarity:
    """max over topic words k of sim(w, k), for one word w at a time; results are cached."""

    def __init__(self, topic: Topic, thesaurus: Thesaurus, top_words: int) -> None:
        weights, _ = token_weights(topic.keywords, topic.segmenter)
        nearest = thesaurus.nearest(list(top_k(weights, top_words)))
        self.of_word = lru_cache(_MOST_REMEMBERED)(nearest)

    def of_words(self, words: Sequence[str]) -> float:
        """The nearest of them; 0 for none."""
        return max(map(self.of_word, words), default=0.0)


def shown_words(words: LinkWords, *, with_context: bool) -> Sequence[str]:
    """The link's own words: its anchor, and its context when asked."""
    return [*words.anchor, *words.context] if with_context else words.anchor


SIZE = 1 << 18
Hashed = tuple[Ints, Floats]  # distinct hashed words in rising order, and how often each occurs


def hashed_counts(words: Sequence[str] | Mapping[str, float]) -> Hashed:
    """The words of a text; of a mapping, its values are the counts."""
    numbers = np.fromiter(map(_number, words), np.int32, len(words))
    values = np.fromiter(words.values(), np.float64, len(words)) if isinstance(words, Mapping) else None
    distinct, indexes = np.unique(numbers, return_inverse=True)
    return distinct, np.bincount(indexes, values, minlength=distinct.size).astype(np.float64)


def _number(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass")) % SIZE


def as_rows(texts: Sequence[Hashed]) -> csr_array:
    """One row a text, its counts as they are."""
    ends = np.cumsum([0, *(words.size for words, _ in texts)])
    columns = np.concatenate([words for words, _ in texts]) if texts else np.empty(0, np.int32)
    values = np.concatenate([counts for _, counts in texts]) if texts else np.empty(0)
    return csr_array((values, columns, ends), shape=(len(texts), SIZE))


def packed_texts(texts: Sequence[Hashed]) -> dict[str, Any]:
    """Texts as JSON values."""
    rows = as_rows(texts)
    words = packed(rows.indices.astype(np.int32))
    return {"lengths": np.diff(rows.indptr).tolist(), "words": words, "counts": packed(rows.data)}


def unpacked_texts(state: Mapping[str, Any]) -> list[Hashed]:
    """The inverse of `packed_texts`."""
    ends = np.cumsum(state["lengths"], dtype=np.int64)
    words = np.split(unpacked(state["words"], np.int32), ends)
    return list(zip(words, np.split(unpacked(state["counts"]), ends), strict=True))[:-1]


class IdfVectors:
    """tf-idf vectors of length 1, by the documents seen so far: weight = count * ln(1 + N / n)."""

    def __init__(self) -> None:
        self._documents = 0  # N
        self._holding: npt.NDArray[np.int32] = np.zeros(SIZE, np.int32)  # n of each word

    def seen(self, words: Hashed) -> Hashed:
        """Count one more document; returns its words."""
        self._documents += 1
        self._holding[words[0]] += 1
        return words

    def weights(self, words: Hashed) -> Floats:
        """tf-idf of a text's words; a word never seen counts as seen once."""
        holding = np.maximum(1, self._holding[words[0]])
        return words[1] * np.log1p(max(1, self._documents) / holding)

    def heaviest(self, words: Hashed, most: int) -> Hashed:
        """Only the words that weigh most."""
        if words[0].size <= most:
            return words
        kept = np.sort(np.argsort(-self.weights(words), kind="stable")[:most])
        return words[0][kept], words[1][kept]

    def matrix(self, texts: Sequence[Hashed]) -> csr_array:
        """One row a text, of length 1, or 0 for a text without words."""
        rows = as_rows(texts)
        rows.data = self.weights((rows.indices, rows.data))
        owners = np.repeat(np.arange(len(texts)), np.diff(rows.indptr))
        lengths = np.sqrt(np.bincount(owners, rows.data**2, minlength=len(texts)))
        rows.data /= lengths[owners]
        return rows

    def save(self) -> Mapping[str, Any]:
        """JSON values."""
        return {"documents": self._documents, "holding": packed(self._holding)}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> IdfVectors:
        """Restore what `save` returned."""
        vectors = cls()
        vectors._documents = int(state["documents"])
        vectors._holding = unpacked(state["holding"], np.int32)
        return vectors
