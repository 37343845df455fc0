"""What answers about pages teach a narrow topic: how far to trust its words, and which words stand beside or against them.

Idea: a refused page was relevant by some words; these are trusted less, as long as they do not carry pages accepted as well. What accepted
pages say and refused ones do not is near the topic, the other way round is against it.
Formula: c(w, d) = share of a word in what made page d relevant (EvidenceClassifier.explain), 0..1; near words carried it together, so each
has the sum of theirs. trust(w) = min(1, (Y + SMOOTHING) / (N + SMOOTHING)), Y, N = sums of c over accepted and refused pages.
m+, m- = means of the tf · idf vectors (length 1) of accepted and refused pages, times n/(n + PRIOR), n its pages; d = m+ - m-.
near: the MOST_NEAR words with the largest d, with likeness NEAREST · yes/(yes + PRIOR) · d / largest d; against: the MOST_AGAINST with the
smallest, with weight no/(no + PRIOR) · d / smallest d. A word is in LEAST_PAGES pages of its side at least and CONTRAST times as often as
on the other side; and as in the pages nobody was asked about that are off topic (near) or on it (against), as far as is known.
Parameters: docs/lab/teaching.md.
Reads: words of pages and answers. Deterministic; the order of answers does not matter. Cost: an explanation a page answered.
But: common words (topics.common_words) are never learned; words given are never against.
Reference: ours; the vectors are Rocchio's (1971).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from topiccrawler.pages.words import PageWords
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.topic_vector import running_words
from topiccrawler.text.vectors import centroid, norm
from topiccrawler.topics.common_words import is_common, rarity
from topiccrawler.topics.topic import Topic

SMOOTHING = 1.0
PRIOR = 3.0
LEAST_TRUST = 0.05
NEAREST, MOST_NEAR, MOST_AGAINST = 0.6, 30, 60
LEAST_PAGES, CONTRAST = 2, 3.0
SURE = 0.9  # of a page nobody was asked about; below 1 - SURE it is surely off topic

Vector = dict[str, float]


def lesson_of(topic: Topic, pages: Sequence[PageWords], answers: Mapping[int, bool]) -> dict[str, Any]:
    """The fields of the topic that the answers (place of a page -> is it about the topic) change: trust, near, against."""
    classifier = EvidenceClassifier(topic)
    trust, why = _trust(classifier, pages, answers)
    sides = {side: [running_words(pages[at]) for at in sorted(answers) if answers[at] is side] for side in (True, False)}
    relevances = [classifier.relevance(page) if at not in answers else math.nan for at, page in enumerate(pages)]
    on = _shares(pages[at] for at, one in enumerate(relevances) if one >= SURE)
    off = _shares(pages[at] for at, one in enumerate(relevances) if one < 1.0 - SURE)
    means = {side: _mean(documents) for side, documents in sides.items()}
    lean = {word: means[True].get(word, 0.0) - means[False].get(word, 0.0) for word in sorted(means[True] | means[False])}
    counts = {side: Counter(word for words in documents for word in set(words)) for side, documents in sides.items()}
    known = classifier.words | classifier.near.keys()

    def learned(side: bool, elsewhere: Mapping[str, float], most: int, largest: float, taboo: Iterable[str]) -> Vector:
        own, other = len(sides[side]), len(sides[not side])
        taboo = set(taboo)
        ranked = []
        for word, value in lean.items():
            pages_with = counts[side][word]
            if (value > 0) is not side or not value or pages_with < LEAST_PAGES or word in taboo:
                continue
            share = pages_with / own
            if share < CONTRAST * max(counts[not side][word] / max(1, other), elsewhere.get(word, 0.0)):
                continue
            ranked.append((-abs(value), word))
        ranked = sorted(ranked)[:most]
        scale = largest * own / (own + PRIOR)
        return {word: round(scale * value / ranked[0][0], 4) for value, word in ranked}

    near = learned(True, off, MOST_NEAR, NEAREST, classifier.words)
    near = {word: likeness for word, likeness in near.items() if likeness > classifier.near.get(word, 0.0)}
    against = learned(False, on, MOST_AGAINST, 1.0, known)
    total = {side: len(documents) for side, documents in sides.items()}
    for word in [*near, *against]:
        yes, no = (f"{counts[side][word]} of your {total[side]}" for side in (True, False))
        why[word] = f"taught: in {yes} yes pages, {no} no pages"
    return {"trust": trust, "near": near, "against": against, "reasons": why}


def _trust(
    classifier: EvidenceClassifier, pages: Sequence[PageWords], answers: Mapping[int, bool]
) -> tuple[Vector, dict[str, str]]:
    carried: dict[bool, Vector] = {True: {}, False: {}}
    met: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for place in sorted(answers):
        side = answers[place]
        shares = {word: share for word, share in classifier.explain(pages[place]) if share > 0.0}
        whole = sum(shares.values())
        near = sum(share for word, share in shares.items() if word not in classifier.words)
        for word, share in shares.items():
            part = (share if word in classifier.words else near) / whole
            carried[side][word] = carried[side].get(word, 0.0) + part
            met[side][word] += 1
    trust, why = {}, {}
    for word in sorted(carried[False]):
        yes, no = carried[True].get(word, 0.0), carried[False][word]
        share = round((yes + SMOOTHING) / (no + SMOOTHING), 3)
        if share < 1.0:
            trust[word] = max(LEAST_TRUST, share)
            why[word] = f"taught: carried {met[True][word]} yes pages, {met[False][word]} no pages"
    return trust, why


def _mean(documents: Sequence[Sequence[str]]) -> Vector:
    share = len(documents) / (len(documents) + PRIOR)
    return {word: weight * share for word, weight in centroid(map(_unit, documents)).items()}


def _unit(words: Sequence[str]) -> Vector:
    vector = {
        word: (1.0 + math.log(count)) * rarity(word) for word, count in Counter(words).items() if not is_common(word)
    }
    length = norm(vector) or 1.0
    return {word: weight / length for word, weight in vector.items()}


def _shares(pages: Iterable[PageWords]) -> Vector:
    """Of each word, which share of the pages has it."""
    documents = [set(running_words(page)) for page in pages]
    counts = Counter(word for words in documents for word in words)
    return {word: count / len(documents) for word, count in counts.items()}
