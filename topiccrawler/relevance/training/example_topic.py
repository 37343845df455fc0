"""Learns a topic from example pages as in the MySpider thesis: words, weights, threshold, and the thesis' own statistics.

Idea: the topic's vector is the centroid of the example pages' vectors, cut to its k largest entries; a page is about the topic
if its similarity to that vector reaches a threshold.
Formula: weight = mean tf · idf · IG over the positive pages (topics.keywords), fields weighted as in relevance.linear; all three of
occurrences in the thesis (tables 4-1 to 4-3), of shares in ours;
threshold: the best F1 of the vsm page classifier in cross-validation (FOLDS parts), with negative pages weighted nine to one positive;
for comparison the thesis' own measure, the cosine of the page's tf·idf·IG vector and the centroid.
Ours in addition: up to 600 words near the first 30 (topics.proposed_words), and 300 words of the negative pages as words against the topic
(relevance.vsm), weighted in the same way. If the pages belong to a topic of the catalogue (kindred_pages; share s, 0..1), weights are
multiplied: its words, its names, and the words near those names that the pages use by s; the learned words by 1 - s / 2; the words near
the first ones by 1 - s. A word has the largest of its weights. Then 300 · (1 - s) words are against the topic. If s >= CONTRAST, the
catalogue's other topics contrast with it (relevance.vsm). The threshold is s · that topic's + (1 - s) · that of the pages.
Parameters: Method.words 300 (thesis: some of the first 100), near_words 600 and against 300 (0 and 0 = the thesis alone); FOLDS 5;
CONTRAST .5.
Reads: the example pages. Cost: some seconds for 1 000 pages.
But: pages of a single site teach its name. Words of 50 pages miss many: near words raise average precision on another web, and so do
the catalogue's words and the words against the topic (docs/papers.md).
Reference: MySpider thesis (2009) §3.3, §4.3.2, §4.4.2-4.4.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topiccrawler.errors import ArgumentError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import keywords_of_pages, running_words
from topiccrawler.relevance.thresholds import Quality, quality, steady_threshold
from topiccrawler.relevance.training.kindred_pages import FEWEST, OTHERS, kindred_of_pages
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.segmenter import PLAIN, words_of
from topiccrawler.text.weights import (
    Vector,
    centroid,
    cosine,
    counted_tf_idf,
    document_frequencies,
    information_gain,
    occurrences,
)
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.keywords import OccurrenceWeight, occurrence_weights
from topiccrawler.topics.kindred import Kindred
from topiccrawler.topics.proposed_words import proposed
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic, make_topic

NEAREST_TO = 30  # first learned words, to which near words are proposed
FOLDS = 5
LEAST_WEIGHT = 0.001
CONTRAST = 0.5  # share from which other topics contrast; a part of a topic is often nearer to others
FIRST, OF = 30, 100  # the thesis: the first 30 of 100 words cover 85 %


@dataclass(frozen=True, slots=True)
class Method:
    """How a topic is learned: the numbers of words learned, near these, and against the topic, and how words are weighted.

    With `near_words` 0 the catalogue's topics are not used either.
    """

    words: int = 300
    near_words: int = PROPOSED_WORDS
    against: int = 300
    by_occurrences: bool = False  # weights of occurrences, as in the thesis' tables; else of shares

    def keywords(self, examples: Examples, most: int) -> dict[str, float]:
        """Return the keywords of the positive pages against the negative ones, at most `most`."""
        return keywords_of_pages(
            examples.positive, examples.negative, most, by_occurrences=self.by_occurrences
        )


THESIS = Method(near_words=0, against=0, by_occurrences=True)


@dataclass(frozen=True, slots=True)
class Statistics:
    """The statistics of the thesis, measured on the example pages by cross-validation."""

    titled: int  # pages with one of the first 30 words in the title
    titled_positive: int  # those of them about the topic
    positive: int  # pages about the topic
    first_words: float  # 0..1, share of the weight of the first 100 words that the first 30 have
    first_occurrences: float  # 0..1, the same share of occurrences of these words in the positive pages
    cosine_threshold: float
    cosine: Quality  # by the thesis' measure
    vsm: Quality  # by the page classifier of a crawl


@dataclass(frozen=True, slots=True)
class LearnedTopic:
    """A topic learned from pages. `statistics` is None if there are too few pages; `kin` is the catalogue's topic to which they belong.

    `table`: the thesis' tables 4-1 to 4-4 for the words of the positive pages; empty for another method.
    """

    topic: Topic
    statistics: Statistics | None
    kin: Kindred | None
    table: Sequence[OccurrenceWeight] = ()


@dataclass(frozen=True, slots=True)
class Examples:
    """Example pages about the topic (positive), and other pages (negative)."""

    positive: Sequence[PageWords]
    negative: Sequence[PageWords]

    def all(self) -> list[tuple[PageWords, bool]]:
        """Return all pages, each with whether it is about the topic."""
        return [(page, True) for page in self.positive] + [(page, False) for page in self.negative]

    def without(self, fold: int) -> Examples:
        """Return the pages that are not in this fold, for training."""
        sides = (
            [page for number, page in enumerate(side) if number % FOLDS != fold]
            for side in (self.positive, self.negative)
        )
        return Examples(*sides)

    def part(self, fold: int) -> Examples:
        """Return the pages of this fold: every FOLDS-th page."""
        return Examples(self.positive[fold::FOLDS], self.negative[fold::FOLDS])


def learn(name: str, examples: Examples, method: Method = THESIS, *, zh: str = "") -> LearnedTopic:
    """Learn the topic of the positive pages. Raises ArgumentError if there is none, or if no word separates them from the negative ones."""
    if not examples.positive:
        raise ArgumentError("--positive", "gives no page with words", "name pages that are about the topic")
    kin = _kin(examples, method)
    weights, why = _words(examples, method, kin)
    table = _table(examples) if method.by_occurrences and examples.negative else []
    if not weights:
        fault = "no word is more frequent in them than in the others"
        raise ArgumentError("--positive", fault, "give more pages, or other negative ones")
    fields: dict[str, object] = {"name": name, "zh": zh, "keywords": weights, "reasons": why}
    fields |= _contrary(examples, weights, method, kin)
    statistics = None
    if min(len(examples.positive), len(examples.negative)) >= FEWEST:
        threshold, statistics = _measured(name, examples, method, kin)
        fields["page_threshold"] = round(threshold, 3)
    return LearnedTopic(make_topic(fields, f"topic {name!r}"), statistics, kin, table)


def _table(examples: Examples) -> list[OccurrenceWeight]:
    """Return the thesis' tables for the words of the positive pages, the largest weight first."""
    sides = ([running_words(page) for page in side] for side in (examples.positive, examples.negative))
    return occurrence_weights(*sides)


def _kin(examples: Examples, method: Method) -> Kindred | None:
    """Return the catalogue's topic to which the positive pages belong, or None."""
    if not method.near_words:
        return None
    first = list(method.keywords(examples, NEAREST_TO))
    return kindred_of_pages(examples.positive, examples.negative, first)


def _words(
    examples: Examples, method: Method, kin: Kindred | None
) -> tuple[dict[str, float], dict[str, str]]:
    """Return word -> weight, the heaviest 1, and word -> reason."""
    learned = method.keywords(examples, method.words)
    if not learned:
        return {}, {}
    inside, outside = (
        document_frequencies([running_words(page) for page in side])
        for side in (examples.positive, examples.negative)
    )
    sizes = len(examples.positive), len(examples.negative)
    seen = {word: _why(inside[word], outside[word], *sizes) for word in learned}
    share = kin.share if kin else 0.0
    weights, why = {word: weight * (1.0 - share / 2.0) for word, weight in learned.items()}, dict(seen)
    first = dict(list(learned.items())[:NEAREST_TO])
    for word, weight, reason in _beside(first, inside, method.near_words, kin):
        if weight > weights.get(word, 0.0):
            weights[word] = weight
            why[word] = f"{reason}; {seen[word]}" if word in seen else reason
    heaviest = max(weights.values())
    ranked = sorted(weights.items(), key=lambda one: -one[1])
    return {word: max(LEAST_WEIGHT, round(weight / heaviest, 3)) for word, weight in ranked}, why


def _beside(
    first: Mapping[str, float], used: Mapping[str, int], most: int, kin: Kindred | None
) -> Iterator[tuple[str, float, str]]:
    """Yield word, weight and reason of additional words: near the first ones, of the catalogue's topic, and near its names.

    `used`: the words of the positive pages.
    """
    if not most:
        return
    share = kin.share if kin else 0.0
    if share < 1.0:
        near = proposed(first, most, kin)
        heaviest = max((one.weight for one in near), default=1.0)
        yield from ((one.word, one.weight / heaviest * (1.0 - share), one.reason) for one in near)
    if kin and share:
        names = dict.fromkeys(kin.names, 1.0)
        reason = f"of the topic {kin.name}"
        yield from ((word, weight * share, reason) for word, weight in (dict(kin.keywords) | names).items())
        spoken = [
            name
            for name, tokens in zip(names, words_of(list(names)), strict=True)
            if tokens and all(token in used for token in tokens)
        ]
        near = proposed(dict.fromkeys(spoken or names, 1.0), most, kin)
        yield from ((one.word, one.weight * share, one.reason) for one in near)


def _why(inside: int, outside: int, positive: int, negative: int) -> str:
    of_others = f", {outside} of {negative} others" if negative else ""
    return f"in {inside} of {positive} pages{of_others}"


def _contrary(
    examples: Examples, weights: Mapping[str, float], method: Method, kin: Kindred | None
) -> dict[str, object]:
    """Return the topic's fields `against` and `contrast`."""
    share = kin.share if kin else 0.0
    most = round(method.against * (1.0 - share))
    found = (
        keywords_of_pages(examples.negative, examples.positive, most) if examples.negative and most else {}
    )
    against = {word: weight for word, weight in found.items() if word not in weights}
    return {"against": against, "contrast": share >= CONTRAST}


def _measured(name: str, examples: Examples, method: Method, kin: Kindred | None) -> tuple[float, Statistics]:
    """Return threshold and statistics by cross-validation: each page is classified by a topic learned from the other folds."""
    truths: list[bool] = []
    relevances: list[float] = []
    cosines: list[float] = []
    titled: Counter[bool] = Counter()
    for fold in range(FOLDS):
        lesson, held_out = examples.without(fold), examples.part(fold)
        weights, _ = _words(lesson, method, kin)
        contrary = _contrary(lesson, weights, method, kin)
        if kin:
            contrary["page_threshold"] = load_topic(kin.name).page_threshold
        # the segmenter of the pages
        topic = make_topic({"name": name, "keywords": weights, **contrary}, name).cut_by(PLAIN)
        page_classifier, thesis = VsmClassifier(topic), _Centroid(lesson, method.words)
        for page, truth in held_out.all():
            truths.append(truth)
            relevances.append(page_classifier.similarity(page))
            cosines.append(thesis.relevance(page))
            titled[truth] += not thesis.first.isdisjoint(page.title)
    limit, of_cosine = _threshold(truths, relevances), _threshold(truths, cosines)
    if kin:
        limit += kin.share * (load_topic(kin.name).page_threshold - limit)
    first, occurrences = _coverage(examples)
    return limit, Statistics(
        titled=titled.total(),
        titled_positive=titled[True],
        positive=len(examples.positive),
        first_words=first,
        first_occurrences=occurrences,
        cosine_threshold=of_cosine,
        cosine=quality(truths, cosines, of_cosine),
        vsm=quality(truths, relevances, limit),
    )


def _threshold(truths: Sequence[bool], scores: Sequence[float]) -> float:
    """Return the threshold of the best F1 with negative pages weighted to OTHERS times the number of positive ones."""
    positive = sum(truths)
    times = max(1, round(OTHERS * positive / (len(truths) - positive)))
    pairs = [pair for pair in zip(truths, scores, strict=True) for _ in range(1 if pair[0] else times)]
    return steady_threshold([truth for truth, _ in pairs], [score for _, score in pairs])


class _Centroid:
    """The thesis' own page classifier: cosine with the centroid of tf·idf·IG vectors over the topic's words, all of occurrences."""

    def __init__(self, examples: Examples, most: int) -> None:
        self.words = THESIS.keywords(examples, most)
        self.first = set(list(self.words)[:FIRST])
        sides = [[running_words(page) for page in side] for side in (examples.positive, examples.negative)]
        inside, outside = map(document_frequencies, sides)
        self._frequencies, self._pages = inside + outside, sum(map(len, sides))
        used = [occurrences(side) for side in sides]
        self._gains = {word: information_gain((used[0][word], used[1][word])) for word in self.words}
        self._centre = centroid(map(self._vector, sides[0]))

    def relevance(self, page: PageWords) -> float:
        return cosine(self._vector(running_words(page)), self._centre)

    def _vector(self, words: Sequence[str]) -> Vector:
        counts = {word: count for word, count in occurrences([words]).items() if word in self.words}
        weights = counted_tf_idf(counts, self._pages, self._frequencies)
        return {word: weight * self._gains[word] for word, weight in weights.items()}


def _coverage(examples: Examples) -> tuple[float, float]:
    """Return the share of the first 30 words in the weight of the first 100, and in the occurrences of these in the positive pages."""
    ranked = THESIS.keywords(examples, OF)
    counts = Counter(word for page in examples.positive for word in running_words(page) if word in ranked)
    return _share_of_first(ranked), _share_of_first({word: counts[word] for word in ranked})


def _share_of_first(ranked: Mapping[str, float]) -> float:
    numbers = list(ranked.values())
    return sum(numbers[:FIRST]) / max(sum(numbers), 1e-12)
