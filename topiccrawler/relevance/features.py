"""What a trained page classifier counts of a page: one function for training and scoring, so that they cannot drift apart.

Idea: words of the title count more, and a word in the title is besides a feature of its own: a title says what a page is
about, a body what it mentions. Two words side by side tell what neither does alone (svm only).
Lists (svm only): how much of a page are words of each catalogue topic, one feature a topic: it carries a machine to words and
sites it did not learn from.
Parameters: FIELD_WEIGHTS as in relevance.py; TITLE_WEIGHT 2: occurrences of the title's own features (four-fold
cross-validation on a half of the shared documents, linear SVM over 13 labels: mean F1 .901 without, .905 with).
Pairs of neighbours on the same half: area under precision and recall, all labels the rest, .937 without, .949 with.
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
    """Word lists by name; a page has 1 + the weighed occurrences of its words of each."""

    def __init__(self, lists: Mapping[str, Mapping[str, float]]) -> None:
        self.lists = {name: dict(words) for name, words in lists.items()}
        self._of: dict[str, list[tuple[str, float]]] = {}
        for name, words in self.lists.items():
            for word, weight in words.items():
                self._of.setdefault(word, []).append((LIST + name, weight))

    def add_to(self, counts: dict[str, float]) -> None:
        """Put the lists beside the words, those of which a word is there."""
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
    """Weighed occurrences of each word, of each word of the title under `title:`, of neighbours as one, of word lists.

    `known`: the pairs that matter; most of a page's do not, and to count them all would cost as much as all else.
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
