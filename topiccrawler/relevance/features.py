"""The features that a trained page classifier counts in a page: one function for training and scoring.

Idea: words of the title count more, and are also features of their own: a title says what a page is
about, a body what it mentions. Pairs of neighbouring words say more than the words alone (svm only).
Lists (svm only): the share of a page's words that belong to each catalogue topic, one feature a topic, so that the SVM
works for words and sites it has not learned from.
Parameters: FIELD_WEIGHTS as in relevance.topic_vector; TITLE_WEIGHT 2: occurrences of the title's own features (mean F1
.905, without .901). Pairs raise average precision from .937 to .949 (both: cross-validation on shared documents).
Cost: one count over the words, twice with pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise

from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.topic_vector import FIELD_WEIGHTS

FEATURES = "fields-2"  # stands in every model; a change of this file needs a new name
TITLE = "title:"
TITLE_WEIGHT = 2
BETWEEN = " "  # no word holds it
LIST = "list:"
_WEIGHED = tuple((field, weight) for field, weight in FIELD_WEIGHTS.items() if field != "body")


class Lists:
    """Word lists by name; a page has 1 + the weighted occurrences of its words of each."""

    def __init__(self, lists: Mapping[str, Mapping[str, float]]) -> None:
        self.lists = {name: dict(words) for name, words in lists.items()}
        self._of: dict[str, list[tuple[str, float]]] = {}
        for name, words in self.lists.items():
            for word, weight in words.items():
                self._of.setdefault(word, []).append((LIST + name, weight))

    def add_to(self, counts: dict[str, float]) -> None:
        """Add to the words the lists that have a word among them."""
        found: dict[str, float] = {}
        for word in sorted(self._of.keys() & counts.keys()):
            for name, weight in self._of[word]:
                found[name] = found.get(name, 1.0) + weight * counts[word]
        counts.update(found)


def counts_of(
    page: PageWords,
    *,
    title_apart: bool = True,
    pairs: bool = False,
    known: Container[str] | None = None,
    lists: Lists | None = None,
) -> dict[str, float]:
    """Weighted occurrences of each word, of each word of the title under `title:`, of neighbouring pairs, of word lists.

    `known`: the pairs that matter; most of a page's do not, and counting them all would double the cost.
    """
    counts: dict[str, float] = dict(Counter(page.body))
    if pairs:
        counts.update(Counter(_pairs(page.body, known)))
    for field, weight in _WEIGHED:
        words = getattr(page, field)
        for word in words:
            counts[word] = counts.get(word, 0) + weight
        if pairs:
            for pair in _pairs(words, known):
                counts[pair] = counts.get(pair, 0) + weight
    if title_apart:
        for word in page.title:
            counts[TITLE + word] = counts.get(TITLE + word, 0) + TITLE_WEIGHT
    if lists:
        lists.add_to(counts)
    return counts


def is_pair(feature: str) -> bool:
    """Whether two words make the feature."""
    return BETWEEN in feature


def plain(feature: str) -> str:
    """The word, or the two, a feature stands for."""
    return feature.removeprefix(TITLE)


def _pairs(words: Sequence[str], known: Container[str] | None) -> Iterator[str]:
    pairs = map(BETWEEN.join, pairwise(words))
    return pairs if known is None else filter(known.__contains__, pairs)
