"""The topic of the catalogue that example pages belong to: who shows fifty pages of finance wants finance, whose words are known.

Idea: a topic whose own words rank the examples before the other pages is theirs, or a wider one; when nearly all of the
examples share a word that does not name that topic (基金, of finance), they are about a part of it.
Formula: the topic of the largest average precision of its vsm page classifier over the pages, the other pages counted as nine to
one; share = (NARROW - m) / (NARROW - WHOLE), between 0 and 1, m = the largest share of examples that hold one of the first words
learned from them, names of the topic left out.
Parameters: LEAST_PRECISION .6; WHOLE .75 and NARROW .9; FEWEST 10 pages of each side. Chosen on documents of nineteen labels and on
twelve parts of them (docs/papers/myspider.md).
Cost: the pages are classified once for each topic of the catalogue, some 5 ms a page.
But: other pages that are all far from the topic say nothing of its neighbours: pages on star signs are taken for astronomy.
Reference: ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.kindred import Kindred, joined, of_catalogue

LEAST_PRECISION = 0.6
FEWEST = 10  # pages of each side
OTHERS = 9  # other pages to one about the topic, on a web
WHOLE, NARROW = 0.75, 0.9


def kindred_of_pages(
    positive: Sequence[PageWords], negative: Sequence[PageWords], first: Sequence[str]
) -> Kindred | None:
    """The topic, and how far the pages are about all of it (0..1); None when there is none. `first`: words learned from them."""
    if min(len(positive), len(negative)) < FEWEST:
        return None
    precisions = {name: _precision(one, positive, negative) for name, one in _classifiers().items()}
    best = max(precisions, key=lambda name: precisions[name])
    if precisions[best] < LEAST_PRECISION:
        return None
    kin = of_catalogue(best, 1.0)
    names = set(joined(kin.names))
    shared = _most_shared(positive, [word for word in first if word not in names])
    return replace(kin, share=min(1.0, max(0.0, (NARROW - shared) / (NARROW - WHOLE))))


def _precision(one: VsmClassifier, positive: Sequence[PageWords], negative: Sequence[PageWords]) -> float:
    """The average precision, as if there were OTHERS other pages to one about the topic."""
    from sklearn.metrics import average_precision_score  # a second to import

    relevances = [one.similarity(page) for page in (*positive, *negative)]
    truths = [True] * len(positive) + [False] * len(negative)
    weights = [1.0] * len(positive) + [OTHERS * len(positive) / len(negative)] * len(negative)
    return float(average_precision_score(truths, relevances, sample_weight=weights))


def _most_shared(positive: Sequence[PageWords], words: Sequence[str]) -> float:
    """0..1, the share of examples that hold the commonest of the words."""
    pages = [{*page.title, *page.headings, *page.emphasis, *page.meta, *page.body} for page in positive]
    return max((sum(word in page for page in pages) / len(pages) for word in words), default=0.0)


@cache
def _classifiers() -> dict[str, VsmClassifier]:
    return {name: VsmClassifier(load_topic(name)) for name, _ in topic_names()}
