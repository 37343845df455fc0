"""Finds the topic of the catalogue to which example pages belong: fifty pages about finance belong to the topic finance.

Idea: if a topic's own words rank the example pages before the other pages, they belong to it, or to a part of it. If nearly all
examples share a word that does not name that topic (基金, of finance), they are about a part of it.
Formula: the topic whose vsm page classifier has the largest average precision over the pages, with other pages weighted nine to
one example; share = (NARROW - m) / (NARROW - WHOLE), between 0 and 1; m = the largest share of examples with one of the first words
learned from them, without the names of the topic.
Parameters: LEAST_PRECISION .6; WHOLE .75 and NARROW .9; FEWEST 10 pages of each side. Chosen on documents of nineteen labels and on
twelve parts of them (docs/papers.md).
Cost: the pages are classified once for each topic of the catalogue, some 5 ms a page.
But: if all other pages are far from the topic, they cannot separate it from its neighbours: pages on star signs are classified as
astronomy.
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
OTHERS = 9  # number of other pages for each page about the topic, as on the web
WHOLE, NARROW = 0.75, 0.9


def kindred_of_pages(
    positive: Sequence[PageWords], negative: Sequence[PageWords], first: Sequence[str]
) -> Kindred | None:
    """Return the catalogue's topic of the positive pages and how far they are about all of it (`share`, 0..1); None if there is none.

    `first`: the first words learned from the pages.
    """
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
    """Return the average precision, with negative pages weighted to OTHERS times the number of positive ones."""
    from sklearn.metrics import average_precision_score  # a second to import

    relevances = [one.similarity(page) for page in (*positive, *negative)]
    truths = [True] * len(positive) + [False] * len(negative)
    weights = [1.0] * len(positive) + [OTHERS * len(positive) / len(negative)] * len(negative)
    return float(average_precision_score(truths, relevances, sample_weight=weights))


def _most_shared(positive: Sequence[PageWords], words: Sequence[str]) -> float:
    """Return the share, 0..1, of examples that contain the most common of the words."""
    pages = [{*page.title, *page.headings, *page.emphasis, *page.meta, *page.body} for page in positive]
    return max((sum(word in page for page in pages) / len(pages) for word in words), default=0.0)


@cache
def _classifiers() -> dict[str, VsmClassifier]:
    return {name: VsmClassifier(load_topic(name)) for name, _ in topic_names()}
