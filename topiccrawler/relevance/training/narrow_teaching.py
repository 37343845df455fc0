"""Learns from a person's answers about pages how far to trust the words of a narrow topic, and which words are near or against it.

Idea: a refused page was relevant by some words; these are trusted less, unless accepted pages are relevant by them too. Words that
accepted pages have and refused ones do not are near the topic; the opposite is against it.
Formula: intercept b = added to the log-odds of the answered pages, the mode of its posterior given the answers, with a normal prior of
standard deviation SPREAD around 0. An answer has its surprise as weight: s(d) = |answer - relevance with b|.
c(w, d) = s(d) · share of word w in the relevance of page d (EvidenceClassifier.explain), 0..1; near words explain it together, so each
gets the sum of their shares. trust(w) = min(1, (Y + SMOOTHING) / (N + SMOOTHING)), Y, N = sums of c over accepted and refused pages.
m+, m- = sums of the tf · idf vectors (length 1) of accepted and refused pages, each times s, divided by S + PRIOR; S = sum of s;
d = m+ - m-. near: the MOST_NEAR words with the largest d, with likeness NEAREST · S/(S + PRIOR) · d / largest d; against: the MOST_AGAINST
words with the smallest d, with weight S/(S + PRIOR) · d / smallest d. Such a word is in at least LEAST_PAGES pages and a share of at least
LEAST_SHARE of its side. That share is at least CONTRAST times the share on the other side. It is also at least CONTRAST times the share in
the pages without an answer that are surely off topic (for near words) or surely on topic (for words against), by the new trust.
Without any accepted page b = 0 and, where there are words against, trust is learned once more by a classifier that knows these, from the
refused pages that it still keeps: what the words against explain is no fault of the user's own words, and refused pages alone say nothing
of the pages that are right.
Parameters: SPREAD .5, SMOOTHING 2, PRIOR 2 (docs/lab.md).
Reads: words of pages and answers. Deterministic; the order of answers does not matter. Cost: an explanation for each answered page.
But: common words (topics.common_words) are never learned; the user's own words are never against the topic.
Reference: ours; the vectors are Rocchio's (1971).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.linear import FIELD_WEIGHTS, running_words
from topiccrawler.text.weights import log_odds, logistic
from topiccrawler.topics.common_words import rarity
from topiccrawler.topics.keywords import unit_vector
from topiccrawler.topics.topic import Topic

SPREAD = 0.5  # standard deviation of the intercept, before any answer
SMOOTHING = 2.0  # pages with a surprise of 1
PRIOR = 2.0
LEAST_TRUST = 0.05
NEAREST, MOST_NEAR, MOST_AGAINST = 0.6, 15, 60
LEAST_PAGES, LEAST_SHARE, CONTRAST = 2, 0.3, 3.0
SURE = 0.9  # relevance of a page without an answer that is surely on topic; below 1 - SURE: surely off topic

KIND_WEIGHTS = {
    "title": FIELD_WEIGHTS["title"],
    "heading": FIELD_WEIGHTS["headings"],
    "tag": FIELD_WEIGHTS["meta"],
    "description": FIELD_WEIGHTS["meta"],
    "category": FIELD_WEIGHTS["meta"],
    "folder": 0,  # "archives" and the like are words of sites
    "text": FIELD_WEIGHTS["body"],
    "block": FIELD_WEIGHTS["body"],
}

Vector = dict[str, float]


def lesson_of(topic: Topic, pages: Sequence[PageWords], answers: Mapping[int, bool]) -> dict[str, Any]:
    """Return the fields of the topic that the answers change: intercept, trust, near, against, reasons.

    `answers`: index of a page -> whether it is about the topic.
    """
    classifier = EvidenceClassifier(topic)
    relevances = list(map(classifier.relevance, pages))
    intercept, surprise = _surprise(relevances, answers)
    trust, why = _trust(classifier, pages, answers, surprise)
    sides = {
        side: [words_of_page(pages[at]) for at in sorted(answers) if answers[at] is side]
        for side in (True, False)
    }
    taught = EvidenceClassifier(topic.model_copy(update={"intercept": intercept, "trust": trust}))
    others = {at: taught.relevance(page) for at, page in enumerate(pages) if at not in answers}
    on = _shares(pages[at] for at, relevance in others.items() if relevance >= SURE)
    off = _shares(pages[at] for at, relevance in others.items() if relevance < 1.0 - SURE)
    weights = {
        side: [surprise[at] for at in sorted(answers) if answers[at] is side] for side in (True, False)
    }
    means = {side: _mean(documents, weights[side]) for side, documents in sides.items()}
    lean = {
        word: means[True].get(word, 0.0) - means[False].get(word, 0.0)
        for word in sorted(means[True] | means[False])
    }
    counts = {
        side: Counter(word for words in documents for word in set(words)) for side, documents in sides.items()
    }
    known = classifier.words | classifier.near.keys()

    def learned(
        side: bool, elsewhere: Mapping[str, float], most: int, largest: float, taboo: Iterable[str]
    ) -> Vector:
        own, other = len(sides[side]), len(sides[not side])
        taboo = set(taboo)
        ranked = []
        for word, value in lean.items():
            pages_with = counts[side][word]
            if (value > 0) is not side or not value or pages_with < LEAST_PAGES or word in taboo:
                continue
            share = pages_with / own
            if share < LEAST_SHARE or share < CONTRAST * max(
                counts[not side][word] / max(1, other), elsewhere.get(word, 0.0)
            ):
                continue
            ranked.append((-abs(value), word))
        ranked = sorted(ranked)[:most]
        scale = largest * sum(weights[side]) / (sum(weights[side]) + PRIOR)
        rounded = {word: round(scale * value / ranked[0][0], 4) for value, word in ranked}
        return {word: weight for word, weight in rounded.items() if weight > 0}

    near = learned(True, off, MOST_NEAR, NEAREST, classifier.words)
    near = {word: likeness for word, likeness in near.items() if likeness > classifier.near.get(word, 0.0)}
    against = learned(False, on, MOST_AGAINST, 1.0, known)
    total = {side: len(documents) for side, documents in sides.items()}
    if against and not sides[True]:
        knowing = EvidenceClassifier(topic.model_copy(update={"against": against}))
        found = {at: knowing.relevance(pages[at]) for at in sorted(answers)}
        surprise = {
            at: relevance if relevance >= knowing.threshold else 0.0 for at, relevance in found.items()
        }
        intercept = 0.0
        trust, why = _trust(knowing, pages, answers, surprise)
    for word in [*near, *against]:
        yes, no = (f"{counts[side][word]} of your {total[side]}" for side in (True, False))
        why[word] = f"taught: in {yes} yes pages, {no} no pages"
    return {"intercept": intercept, "trust": trust, "near": near, "against": against, "reasons": why}


def _surprise(relevances: Sequence[float], answers: Mapping[int, bool]) -> tuple[float, dict[int, float]]:
    """Return the intercept, and the surprise of each answer with it."""
    intercept = round(_intercept([(relevances[at], answers[at]) for at in sorted(answers)]), 3)
    odds = {at: log_odds(relevances[at]) + intercept for at in sorted(answers)}
    return intercept, {at: abs(answers[at] - logistic(odds[at])) for at in odds}


def _intercept(answered: Sequence[tuple[float, bool]]) -> float:
    """Return the intercept that explains the answers best when added to the log-odds: the mode of its posterior, by bisection."""
    odds = [(log_odds(relevance), float(answer)) for relevance, answer in answered]
    low, high = -5.0, 5.0
    for _ in range(40):
        middle = (low + high) / 2.0
        rising = sum(answer - logistic(one + middle) for one, answer in odds) - middle / SPREAD**2
        low, high = (middle, high) if rising > 0 else (low, middle)
    return (low + high) / 2.0


def _trust(
    classifier: EvidenceClassifier,
    pages: Sequence[PageWords],
    answers: Mapping[int, bool],
    surprise: Mapping[int, float],
) -> tuple[Vector, dict[str, str]]:
    carried: dict[bool, Vector] = {True: {}, False: {}}
    met: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for place in sorted(answers):
        side = answers[place]
        shares = {word: share for word, share in classifier.explain(pages[place]) if share > 0.0}
        whole = sum(shares.values())
        near = sum(share for word, share in shares.items() if word not in classifier.words)
        for word, share in shares.items():
            part = surprise[place] * (share if word in classifier.words else near) / whole
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


def words_of_page(page: PageWords) -> list[str]:
    """Return all words of a page, each repeated by the weight of its field. If the page has segments, their words are returned, because
    segments are without the text that the site repeats.
    """
    if not page.segments:
        return running_words(page)
    return [
        word for segment in page.segments for word in segment.words for _ in range(KIND_WEIGHTS[segment.kind])
    ]


def _mean(documents: Sequence[Sequence[str]], weights: Sequence[float]) -> Vector:
    mean: Vector = {}
    for words, weight in zip(documents, weights, strict=True):
        for word, value in unit_vector(words, rarity).items():
            mean[word] = mean.get(word, 0.0) + weight * value / (sum(weights) + PRIOR)
    return mean


def _shares(pages: Iterable[PageWords]) -> Vector:
    """Return word -> share of the pages that contain it."""
    documents = [set(words_of_page(page)) for page in pages]
    counts = Counter(word for words in documents for word in words)
    return {word: count / len(documents) for word, count in counts.items()}
