"""Computes the paper's evaluation table: precision, recall and F1 of each feature group on held-out links.

A random split of one portal's links overestimates a model, because every menu is in both parts. So each row is measured twice,
with 30 % of the links held out and with whole source hosts held out.

Rows (Han et al. 2010, §4.2)
    group 1     anchor words                                        the paper's model (training.published)
    group 2     anchor and context words, separate, lexicon flags   also the paper's model
    pages       naive Bayes trained on documents, applied to anchor and context as one text
    dictionary  anchor or context has a word of the lexicon; nothing is trained
    model       the model that is trained: ours with all sources weighted, even prior, trust by field; with --paper the paper's
    words       on headlines only: anchor words of two thirds of the headlines, prior of the data, applied to the last third
Learning curve: the row "model" on held-out hosts for models trained on the links of the first 1/16, 1/8 … of the other hosts.
KL divergence (eq. 3-5): D(P||Q) = sum of P ln(P/Q) over the words both have, each side normalised to 1 over them; P, Q =
    share of a word among all word occurrences of the relevant pages, of the relevant links. Nats; bits = nats / ln 2.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from sys import intern

from topiccrawler.link_model.classifier import Counts, Lexicon, LinkClassifier, LinkWords
from topiccrawler.link_model.training.published import GROUPS, published_model
from topiccrawler.link_model.training.samples import Progress, Sample
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.labelled_texts import LabelledText


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the evaluation table."""

    name: str
    precision: float
    recall: float
    f1: float
    best_f1: float  # F1 at `best_threshold`, the best threshold for these links
    best_threshold: float
    samples: int

    def scores(self) -> dict[str, float]:
        """Return the rounded figures as they are stored in the model."""
        numbers = asdict(self)
        del numbers["name"]
        return {name: round(value, 3 if name == "best_threshold" else 4) for name, value in numbers.items()}


def row(name: str, truth: Sequence[bool], scores: Sequence[float], threshold: float = 0.0) -> Row:
    """Return a row with precision, recall and F1 at the threshold, and the best F1 of all thresholds."""
    hits = sum(1 for true, score in zip(truth, scores, strict=True) if true and score >= threshold)
    chosen = sum(1 for score in scores if score >= threshold)
    positive = sum(truth)
    best, best_threshold = _best(truth, scores)
    return Row(
        name,
        hits / chosen if chosen else 0.0,
        hits / positive if positive else 0.0,
        2 * hits / (chosen + positive) if chosen + positive else 0.0,
        best,
        best_threshold,
        len(truth),
    )


def _best(truth: Sequence[bool], scores: Sequence[float]) -> tuple[float, float]:
    positive = sum(truth)
    cuts = ((2 * hits / (kept + positive), score) for kept, hits, score in _cuts(truth, scores) if hits)
    return max(cuts, key=itemgetter(0), default=(0.0, 0.0))


def _cuts(truth: Sequence[bool], scores: Sequence[float]) -> Iterator[tuple[int, int, float]]:
    """Yield (links kept, hits among them, threshold) for each threshold that separates no equal scores, highest first."""
    ranked = sorted(zip(scores, truth, strict=True), reverse=True)
    hits = 0
    for kept, (score, true) in enumerate(ranked, 1):
        hits += true
        if kept == len(ranked) or ranked[kept][0] < score:
            yield kept, hits, score


def link_rows(
    kept: Sequence[Sample],
    held_out: Sequence[Sample],
    pages: LinkClassifier | None,
    lexicon: Lexicon,
    model: LinkClassifier,
    how: str,
    progress: Progress,
) -> list[Row]:
    """Return the rows of the table for one split, whose name is `how`. `pages` is a model trained on documents."""
    words = [sample.words for sample in held_out]
    truth = [sample.positive for sample in held_out]
    rows = []
    for group in progress(GROUPS, f"counting, {how} held out"):
        paper = published_model(model.topic, kept, lexicon, group)
        rows.append(row(f"{how}: group {group}", truth, paper.log_odds_of_words(words)))
    if pages is not None:
        rows.append(row(f"{how}: pages", truth, pages.log_odds_of_words([_one_text(one) for one in words])))
    in_dictionary = [float(lexicon.in_words(one.anchor) or lexicon.in_words(one.context)) for one in words]
    rows.append(row(f"{how}: dictionary", truth, in_dictionary, 0.5))
    rows.append(row(f"{how}: model", truth, model.log_odds_of_words(words), model.threshold))
    return rows


def threshold_for(truth: Sequence[bool], scores: Sequence[float], precision: float) -> float | None:
    """Return the lowest threshold that reaches this precision and separates no equal scores; None if there is none."""
    good = [score for kept, hits, score in _cuts(truth, scores) if hits and hits / kept >= precision]
    return good[-1] if good else None


def threshold_keeping(scores: Sequence[float], recall: float) -> float:
    """Return the highest threshold, in thousandths, that at least the share `recall` (above 0, at most 1) of the scores reaches."""
    ranked = sorted(scores)
    kept = math.ceil(round(recall * len(ranked), 6))
    return math.floor(1000 * ranked[-kept]) / 1000


def headline_row(name: str, model: LinkClassifier, held_out: Sequence[Sample]) -> Row:
    """Return the row of a model on held-out headlines, which are used as anchors without a context."""
    bare = [LinkWords(sample.words.anchor, (), ()) for sample in held_out]
    return row(name, [sample.positive for sample in held_out], model.log_odds_of_words(bare), model.threshold)


def whole_texts(
    documents: Sequence[LabelledText], segmenter: Segmenter, progress: Progress
) -> list[Sequence[str]]:
    """Return all words of each document. Computed once, because it is the tokenizer's longest task."""
    return [
        tuple(map(intern, segmenter.words(f"{document.title}|{document.text}")))
        for document in progress(documents, "whole documents")
    ]


def pages_model(
    documents: Sequence[LabelledText], texts: Sequence[Sequence[str]], topic: str
) -> LinkClassifier:
    """Train naive Bayes on whole documents, each as one bag of words."""
    counts = Counts()
    for document, found in zip(documents, texts, strict=True):
        counts.add({"context": {word for word in found if word.isalpha()}}, document.positive)
    prior = counts.samples["context"][1] / sum(counts.samples["context"])
    return LinkClassifier(topic, counts, prior=prior, trust={"context": 1.0})


def _one_text(words: LinkWords) -> LinkWords:
    return LinkWords((), [*words.anchor, *words.context], ())


def divergences(links: Sequence[Sample], pages: Sequence[Sequence[str]], seed: int) -> dict[str, float]:
    """Return KL divergences in nats: between relevant pages and relevant links in both directions, and between random halves of each."""
    texts = [[*sample.words.anchor, *sample.words.context] for sample in links if sample.positive]
    if len(pages) < 2 or len(texts) < 2:
        return {}
    found = {
        "pages||links": divergence(_occurrences(pages), _occurrences(texts)),
        "links||pages": divergence(_occurrences(texts), _occurrences(pages)),
    }
    for name, items in (("pages", pages), ("links", texts)):
        shuffled = list(items)
        random.Random(seed).shuffle(shuffled)
        half = len(shuffled) // 2
        found[f"{name}||{name}"] = divergence(_occurrences(shuffled[:half]), _occurrences(shuffled[half:]))
    return {name: round(value, 4) for name, value in found.items()}


def divergence(p: Mapping[str, int], q: Mapping[str, int]) -> float:
    """Return D(P||Q) in nats over the common words; 0 if there are none."""
    common = sorted(set(p) & set(q))
    total_p, total_q = sum(p[word] for word in common), sum(q[word] for word in common)
    return sum(p[word] / total_p * math.log(p[word] / total_p * total_q / q[word]) for word in common)


def _occurrences(texts: Iterable[Sequence[str]]) -> Counter[str]:
    return Counter(word for text in texts for word in text)
