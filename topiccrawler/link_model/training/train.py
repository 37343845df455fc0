"""Trains a link classifier from labelled links, headlines, documents, or keywords alone.

First the evaluation table is measured with parts held out (link_model.training.evaluation); then the model is trained on all samples.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from topiccrawler.errors import ArgumentError, LinksFileError
from topiccrawler.files import sha256_of
from topiccrawler.link_model.classifier import Lexicon, LinkClassifier
from topiccrawler.link_model.model_file import LONGEST_ENTRY
from topiccrawler.link_model.training.evaluation import (
    Row,
    divergences,
    headline_row,
    link_rows,
    pages_model,
    threshold_for,
    threshold_keeping,
    whole_texts,
)
from topiccrawler.link_model.training.evaluation import row as measured
from topiccrawler.link_model.training.link_files import LabelledLink, read_links
from topiccrawler.link_model.training.published import published_model
from topiccrawler.link_model.training.samples import (
    Progress,
    Sample,
    balanced,
    damped,
    document_samples,
    headline_samples,
    keyword_samples,
    link_samples,
    prefix_samples,
    silently,
)
from topiccrawler.links.extract import ContextMaker
from topiccrawler.topics.labelled_texts import read_documents, read_headlines
from topiccrawler.topics.topic import Topic

LEAST_COUNT = 0.5
MOST_WORDS = 60_000
THRESHOLD = 1.0  # log-odds; most links lead off topic, so even odds accept too many: docs/lab.md
GATE_RECALL = 0.98
GATE_MOST = -6.9  # log-odds, 1 to 1000: with few relevant held-out links the measured threshold is unreliable
PORTIONS = (1 / 16, 1 / 8, 1 / 4, 1 / 2)  # shares of the hosts on the learning curve


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """The configuration of a training: topic, files and parameters."""

    topic: Topic
    links: Sequence[Path] = ()
    headlines: Sequence[Path] = ()
    documents: Sequence[Path] = ()
    lexicon: Sequence[str] = ()  # empty = the topic's own
    negative_topics: Sequence[Topic] = ()  # topics whose keywords represent all other topics
    context: ContextMaker = "window"
    seed: int = 0
    precision: float | None = None  # required on links of held-out hosts; determines the threshold
    gate_recall: float = GATE_RECALL  # share of relevant links of held-out hosts that the link gate admits
    # feature group 1 or 2 of the paper's own model, from the links alone; None = ours
    published: int | None = None
    smoothing: float = 1.0  # of the paper's own model, above 0


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained model and its evaluation."""

    model: LinkClassifier
    rows: Sequence[Row] = ()
    curve: Sequence[Row] = ()
    divergences: Mapping[str, float] = field(default_factory=dict)
    test: Callable[[LinkClassifier], float] | None = None  # F1 of another model on the same held-out rows


def train(recipe: TrainingRecipe, progress: Progress = silently) -> Trained:
    """Read the files, measure on held-out parts, and train on all samples. Raises LinksFileError if the links are of one class only."""
    again = f"collect the links again: scrapy crawl links -a topic={recipe.topic.name} -a context={recipe.context}"
    remedy = again if recipe.published else None  # another context would not be the published model
    links = [item for path in recipe.links for item in read_links(path, recipe.topic, recipe.context, remedy)]
    headlines = [item for path in recipe.headlines for item in read_headlines(path, recipe.topic)]
    documents = [item for path in recipe.documents for item in read_documents(path, recipe.topic)]
    _check(recipe.links, links, recipe.topic)
    segmenter = recipe.topic.segmenter
    if longest := max((entry for entry in recipe.lexicon if len(entry) > LONGEST_ENTRY), key=len, default=""):
        fault = f"has an entry of {len(longest)} characters, {longest[:20]}…"
        raise ArgumentError("--lexicon", fault, f"give a word a line, of at most {LONGEST_ENTRY} characters")
    lexicon = Lexicon(recipe.lexicon or recipe.topic.lexicon, segmenter)
    samples = {
        "links": link_samples(links, segmenter, progress),
        "headlines": headline_samples(headlines, segmenter, progress),
        "documents": document_samples(documents, segmenter, progress),
        "keywords": keyword_samples(recipe.topic, recipe.negative_topics),
        "places": prefix_samples(recipe.topic, recipe.negative_topics),
    }
    if recipe.published and not links:
        raise ArgumentError("--paper", "learns from labelled links, none are given", "add --links FILE")
    samples = {
        name: found for name, found in samples.items() if found and (name == "links" or not recipe.published)
    }
    texts = whole_texts(documents, segmenter, progress) if "links" in samples else []
    pages = None
    if len({document.positive for document in documents}) == 2 and texts:
        pages = pages_model(documents, texts, recipe.topic.name)
    bench = _Bench(recipe, samples, pages, lexicon, progress)
    bench.links()
    bench.headlines()
    model = _model(recipe, samples, lexicon)
    model.threshold = bench.threshold(model.threshold)
    model.gate_threshold = None if recipe.published else bench.gate_threshold  # the paper drops no link
    model.training = {**model.training, **_described(recipe, samples)}
    model.scores = {row.name: row.scores() for row in bench.rows}
    relevant = [text for text, document in zip(texts, documents, strict=False) if document.positive]
    found = divergences(samples.get("links", ()), relevant, recipe.seed)
    return Trained(model, bench.rows, bench.curve, found, bench.test)


@dataclass
class _Bench:
    """Measures models that were trained on a part of the samples, on the held-out part."""

    recipe: TrainingRecipe
    samples: Mapping[str, Sequence[Sample]]
    pages: LinkClassifier | None  # trained on documents
    lexicon: Lexicon
    progress: Progress
    rows: list[Row] = field(default_factory=list)
    curve: list[Row] = field(default_factory=list)
    held_out: tuple[LinkClassifier, Sequence[Sample]] | None = None  # they determine the threshold
    test: Callable[[LinkClassifier], float] | None = None
    gate_threshold: float | None = None

    def links(self) -> None:
        """Measure the evaluation table with links held out at random and by host, and the learning curve by host."""
        links = self.samples.get("links", ())
        for by_host in (False, True) if links else ():
            kept, held_out = split(links, self.recipe.seed, by_host)
            if not _both(kept) or not _both(held_out):
                continue
            if by_host or self.recipe.precision is not None:  # on all held-out links, classes not balanced
                model = self._without_links_but(kept)
                self.held_out = model, held_out
                self.gate_threshold = gate_threshold(model, held_out, self.recipe.gate_recall)
            kept, held_out = (evened(side, self.recipe.seed) for side in (kept, held_out))
            how = "hosts" if by_host else "links"
            model = self._without_links_but(kept)
            found = link_rows(kept, held_out, self.pages, self.lexicon, model, how, self.progress)
            self.rows += found
            self.test = partial(_f1, held_out)
            if by_host:
                self._learning(kept, held_out)

    def _without_links_but(self, kept: Sequence[Sample]) -> LinkClassifier:
        return _model(self.recipe, {**self.samples, "links": kept}, self.lexicon)

    def _learning(self, kept: Sequence[Sample], held_out: Sequence[Sample]) -> None:
        hosts = sorted({sample.host for sample in kept})
        random.Random(self.recipe.seed).shuffle(hosts)
        for portion in self.progress(PORTIONS, "learning curve"):
            chosen = set(hosts[: math.ceil(portion * len(hosts))])
            part = [sample for sample in kept if sample.host in chosen]
            if _both(part):
                model = self._without_links_but(part)
                self.curve.append(_measured(_named(part), model, held_out))
        self.curve.append(replace(self.rows[-1], name=_named(kept)))

    def headlines(self) -> None:
        """Measure on a third of the headlines three models of the other two thirds: words alone, with documents, and the whole model."""
        if "headlines" not in self.samples:
            return
        kept, held_out = split(self.samples["headlines"], self.recipe.seed, by_host=False, share=2 / 3)
        if not _both(held_out) or not _both(kept):
            return
        prior = sum(sample.positive for sample in kept) / len(kept)
        words = _model(self.recipe, {"headlines": kept}, Lexicon(()))
        texts = {name: found for name, found in self.samples.items() if name == "documents"}
        both = _model(self.recipe, {**texts, "headlines": kept}, Lexicon(()))
        model = _model(self.recipe, {**self.samples, "headlines": kept}, self.lexicon)
        self.rows.append(
            headline_row("headlines: words", replace(words, prior=prior, threshold=0.0), held_out)
        )
        if texts:
            both = replace(both, prior=prior, threshold=0.0)
            self.rows.append(headline_row("headlines: + documents", both, held_out))
        self.rows.append(headline_row("headlines: model", model, held_out))
        if self.test is None:
            self.test = partial(_f1_of_headlines, held_out)
        if self.held_out is None and self.recipe.precision is not None:
            self.held_out = model, [replace(one, words=one.words._replace(context=())) for one in held_out]

    def threshold(self, usual: float) -> float:
        """Return the threshold with the required precision on unbalanced held-out links; `usual` if no precision is required."""
        wish = self.recipe.precision
        if wish is None:
            return usual
        found = None
        if self.held_out is not None:
            model, held_out = self.held_out
            truth = [sample.positive for sample in held_out]
            found = threshold_for(truth, model.log_odds_of_words([sample.words for sample in held_out]), wish)
        if found is None:
            fault = "is not reached at any threshold" if self.held_out else "cannot be measured"
            remedy = "ask for less" if self.held_out else "give --links or --headlines"
            raise ArgumentError(f"precision {wish:g}", fault, remedy)
        return round(found - 0.0005, 3)  # the file keeps three places, and the link itself must pass


def gate_threshold(model: LinkClassifier, held_out: Sequence[Sample], recall: float) -> float:
    """Return the log-odds that the share `recall` of the relevant links reaches, at most GATE_MOST. Their URLs are not scored, because
    they determined the labels.
    """
    words = [one.words._replace(url=()) for one in held_out if one.positive]
    return min(GATE_MOST, threshold_keeping(model.log_odds_of_words(words), recall))


def _f1(held_out: Sequence[Sample], model: LinkClassifier) -> float:
    return _measured("", model, held_out).f1


def _f1_of_headlines(held_out: Sequence[Sample], model: LinkClassifier) -> float:
    return headline_row("", model, held_out).f1


def _measured(name: str, model: LinkClassifier, held_out: Sequence[Sample]) -> Row:
    scores = model.log_odds_of_words([sample.words for sample in held_out])
    return measured(name, [sample.positive for sample in held_out], scores, model.threshold)


def _named(samples: Sequence[Sample]) -> str:
    return f"{len(samples)} links of {len({sample.host for sample in samples})} hosts"


def _both(samples: Sequence[Sample]) -> bool:
    return len({sample.positive for sample in samples}) == 2


def evened(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Sample the larger class down to the size of the smaller: the paper's table has about as many links of each."""
    sides = [[sample for sample in samples if sample.positive is side] for side in (False, True)]
    size = min(map(len, sides))
    return [sample for side in sides for sample in random.Random(seed).sample(side, size)]


def split(
    samples: Sequence[Sample], seed: int, by_host: bool, share: float = 0.7
) -> tuple[list[Sample], list[Sample]]:
    """Split off about `share` of the samples of each class; return both parts. With `by_host` no source host is in both."""
    keys = [sample.host if by_host else str(place) for place, sample in enumerate(samples)]
    sizes: dict[str, list[int]] = {}
    for key, sample in zip(keys, samples, strict=True):
        sizes.setdefault(key, [0, 0])[sample.positive] += 1
    first: set[str] = set()
    for side in (False, True):  # hosts by the class that most of their links have
        order = sorted(key for key, size in sizes.items() if (size[1] > size[0]) is side)
        random.Random(seed).shuffle(order)
        wanted = share * sum(sum(sizes[key]) for key in order)
        for key in order:
            if wanted >= sum(sizes[key]) / 2:
                first.add(key)
                wanted -= sum(sizes[key])
    kept = [sample for key, sample in zip(keys, samples, strict=True) if key in first]
    held_out = [sample for key, sample in zip(keys, samples, strict=True) if key not in first]
    return kept, held_out


def _model(
    recipe: TrainingRecipe, samples: Mapping[str, Sequence[Sample]], lexicon: Lexicon
) -> LinkClassifier:
    if recipe.published:
        links, group = samples["links"], recipe.published
        model = published_model(
            recipe.topic.name, links, lexicon, group, context=recipe.context, smoothing=recipe.smoothing
        )
        return replace(model, segmenter=recipe.topic.segmenter)
    weighed = {name: damped(found) if name == "links" else found for name, found in samples.items()}
    counts = balanced(weighed, lexicon).pruned(LEAST_COUNT, MOST_WORDS)
    return LinkClassifier(
        recipe.topic.name,
        counts,
        recipe.context,
        threshold=THRESHOLD,
        lexicon=lexicon,
        segmenter=recipe.topic.segmenter,
    )


def _check(paths: Sequence[Path], items: Sequence[LabelledLink], topic: Topic) -> None:
    for side, sign in ((True, "relevant"), (False, "other")) if paths else ():
        if not any(item.positive is side for item in items):
            fault = f"holds no link labelled as {sign} for topic {topic.name}"
            remedy = f"label links 1 and 0, or {topic.name} and others"
            raise LinksFileError(", ".join(map(str, paths)), fault, remedy)


def _described(recipe: TrainingRecipe, samples: Mapping[str, Sequence[Sample]]) -> dict[str, object]:
    files: dict[str, str] = {}
    for path in (*recipe.links, *recipe.headlines, *recipe.documents):
        digest = sha256_of(path)
        is_another = files.get(path.name, digest) != digest  # of the same name, in another folder
        files[f"{path.name} ({len(files)})" if is_another else path.name] = digest
    sides = {
        name: [sum(1 for sample in found if sample.positive is side) for side in (False, True)]
        for name, found in samples.items()
    }
    whole = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
    return {"files": files, "samples": sides, "set": whole, "seed": recipe.seed}
