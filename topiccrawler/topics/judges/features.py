"""What a trained judge counts of a page: one function for training and scoring, so that they cannot drift apart.

Idea: words of the title count more, and a word in the title is besides a feature of its own: a title says what a page is
about, a body what it mentions.
Parameters: FIELD_WEIGHTS as in relevance.py; TITLE_WEIGHT 2: occurrences of the title's own features (four-fold
cross-validation on a half of the shared documents, linear SVM over 13 labels: mean F1 .901 without, .905 with).
Cost: one count over the words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from topiccrawler.topics.relevance import PageWords
from topiccrawler.topics.vector import FIELD_WEIGHTS

FEATURES = "fields-1"  # stands in every model; a change of this file needs a new name
TITLE = "title:"
TITLE_WEIGHT = 2
_WEIGHED = tuple((field, weight) for field, weight in FIELD_WEIGHTS.items() if field != "body")


def counts_of(page: PageWords, *, title_apart: bool = True) -> Mapping[str, int]:
    """Weighed occurrences of each word, and of each word of the title under `title:`."""
    counts = Counter(page.body)
    for field, weight in _WEIGHED:
        for word in getattr(page, field):
            counts[word] += weight
    if title_apart:
        for word in page.title:
            counts[TITLE + word] += TITLE_WEIGHT
    return counts


def plain(feature: str) -> str:
    """The word a feature stands for."""
    return feature.removeprefix(TITLE)
