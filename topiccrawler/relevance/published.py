"""Implements naive Bayes as JLSE publishes it: the words of sample pages, and of the anchors that lead to sample pages, counted by class.

`Bayes` scores a list of words; `PublishedBayes` is the page classifier, `AnchorBayes` scores the anchors of links.
Idea: each word says how much more often it is in samples about the topic than in others; words are independent given the class.
Formula: P(c|d) ∝ P(c) · Π_k P(w_k|c) over all occurrences k of a word in d (eq. 1)
    P(w|c) = (1 + N(w,c)) / (|V_c| + Σ_v N(v,c)) (eq. 2)
    N(w,c)  occurrences of w in the samples of class c   -> `Counts.words[w][c]`
    V_c     words of these samples; P(c) = `Counts.samples[c]` / all samples
Parameters: none. Every word of a sample counts, whatever its field, and is in the vocabulary.
Cost: one look-up a word.
But: eq. 2 is lost in our copy and read by its symbols: V is the vocabulary of class c_i. A word that is in no sample says nothing. Of a page
    title and main text are read. Anchors have no stop words (algorithm 1), pages keep theirs.
Reference: Zhang et al., JLSE, §3.1, eq. 1-2; §3.2, algorithm 1.

`save` and `load` use JSON: for each pair of counts, the words that have it. It is validated; nothing in it is executed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from typing import ClassVar

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile, compact, replace_file
from topiccrawler.model import Link
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.base import EVEN, PUBLISHED
from topiccrawler.text.segmenter import PLAIN, STOP_WORDS, TOKENIZER, Segmenter
from topiccrawler.text.weights import logistic

FORMAT = "topiccrawler sample words"
LARGEST_BYTES = 64_000_000
LARGEST_COUNT = 10**9
PARTS = ("pages", "anchors")

_PAIR = re.compile(r"([0-9]{1,9}),([0-9]{1,9})")

Pair = tuple[int, int]  # of the class of all others, of the topic's class


@dataclass(frozen=True, slots=True)
class Counts:
    """The samples of both classes, and for each word its occurrences in them."""

    samples: Pair = (0, 0)
    words: Mapping[str, Pair] = field(default_factory=dict)

    @classmethod
    def of(cls, samples: Iterable[tuple[Iterable[str], bool]]) -> Counts:
        """Count samples, each given as its words and whether it is about the topic."""
        sides, words = [0, 0], dict[str, list[int]]()
        for found, positive in samples:
            sides[positive] += 1
            for word in found:
                words.setdefault(word, [0, 0])[positive] += 1
        return cls((sides[0], sides[1]), {word: (pair[0], pair[1]) for word, pair in sorted(words.items())})


class Bayes:
    """Naive Bayes of two classes, the topic's and that of all others. Both need at least one sample."""

    def __init__(self, counts: Counts) -> None:
        others, own = counts.samples
        self._prior = math.log(own) - math.log(others)
        against, towards = (
            math.log(max(1, sum(pair[side] + (pair[side] > 0) for pair in counts.words.values())))
            for side in (0, 1)
        )
        self._odds = {
            word: math.log1p(pair[1]) - math.log1p(pair[0]) + against - towards
            for word, pair in counts.words.items()
        }

    def log_odds(self, words: Iterable[str]) -> float:
        """Return ln P(+|words) - ln P(-|words)."""
        odds = self._odds
        return sum((odds[word] for word in words if word in odds), self._prior)

    def explain(self, words: Iterable[str]) -> list[tuple[str, float]]:
        """Return the words with their shares of the log-odds, largest first; without the prior."""
        shares: dict[str, float] = {}
        for word in words:
            if word in self._odds:
                shares[word] = shares.get(word, 0.0) + self._odds[word]
        return sorted(shares.items(), key=lambda share: (-share[1], share[0]))


class PublishedBayes:
    """The page classifier: P(+|page) by eq. 1-2."""

    threshold: ClassVar[float] = EVEN
    reads_segments: ClassVar[bool] = False
    similarity_threshold: float = EVEN

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self._bayes = Bayes(counts)

    def similarity(self, words: PageWords) -> float:
        """Return P(+|page), 0..1."""
        return logistic(self._bayes.log_odds(words_of_page(words)))

    def relevance(self, words: PageWords) -> float:
        """Return P(+|page), 0..1."""
        return self.similarity(words)

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the words of the page with their shares of the log-odds, largest first."""
        return self._bayes.explain(words_of_page(words))


class AnchorBayes:
    """Scores links by their anchors alone (algorithm 1); of several topics, by the best."""

    def __init__(self, topics: Sequence[Counts], segmenter: Segmenter = PLAIN) -> None:
        self._topics = [Bayes(counts) for counts in topics]
        self._segmenter = segmenter

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """Return ln P(+|anchor) - ln P(-|anchor) for each link."""
        anchors = self._segmenter.words_of([link.anchor or link.title for link in links])
        return [max(bayes.log_odds(words_of_anchor(words)) for bayes in self._topics) for words in anchors]


def words_of_page(words: PageWords) -> Iterable[str]:
    """Return the words of title and main text."""
    return chain(words.title, words.body)


def words_of_anchor(words: Iterable[str]) -> list[str]:
    """Return the words of an anchor without stop words."""
    return [word for word in words if word not in STOP_WORDS]


def save(place: Path, topic: str, parts: Mapping[str, Counts], head: Mapping[str, object]) -> None:
    """Write the counts of pages, and of anchors if there are any, to a file, which is replaced atomically. `head`: further values."""
    first = {"format": FORMAT, "tokenizer": TOKENIZER, "topic": topic, **head}
    lines = [f"{compact(key)}: {compact(value)}" for key, value in first.items()]
    for name, counts in parts.items():
        lists: dict[Pair, list[str]] = {}
        for word, pair in sorted(counts.words.items()):
            lists.setdefault(pair, []).append(word)
        rows = ",\n".join(f'"{pair[0]},{pair[1]}":{compact(" ".join(lists[pair]))}' for pair in sorted(lists))
        others, own = counts.samples
        lines.append(f'{compact(name)}: {{"others": {others}, "own": {own}, "words": {{\n{rows}\n}}}}')
    replace_file(place, "{" + ",\n".join(lines) + "}\n")


def load(place: Path | Traversable) -> dict[str, Counts]:
    """Return the counts in a file by part, "pages" and perhaps "anchors". Raises ModelError for a file that is not valid."""
    remedy = f"train it again: scrapy train TOPIC --page-classifier {PUBLISHED} --documents FILE"
    file = JsonFile(place, LARGEST_BYTES, ModelError, "page classifier", remedy)
    file.expect({"format": FORMAT, "tokenizer": TOKENIZER})
    return {name: _counts(file, name) for name in PARTS if name == "pages" or name in file.values}


def _counts(file: JsonFile, name: str) -> Counts:
    part = file.mapping(name)
    others, own = (int(file.number(side, 1, LARGEST_COUNT, part)) for side in ("others", "own"))
    words: dict[str, Pair] = {}
    for key, listed in file.mapping("words", part).items():
        pair = _PAIR.fullmatch(key)
        if pair is None or not isinstance(listed, str):
            raise file.refused(f"has no words by their two counts in its {name}")
        words.update(dict.fromkeys(listed.split(" "), (int(pair[1]), int(pair[2]))))
    return Counts((others, own), words)
