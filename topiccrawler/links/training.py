"""Trains a link classifier from whatever is at hand: labelled links, headlines, documents, or keywords alone.

The conflict: the score must hold on sites never seen, and the only honest number is one from links kept aside; but the
model that is shipped should have learned from everything. So the table is made first, with parts kept apart
(links.offline), and the model trained anew on all of it afterwards.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from topiccrawler.errors import LinksFileError
from topiccrawler.links.classifier import LinkClassifier
from topiccrawler.links.counts import Event
from topiccrawler.links.features import Lexicon
from topiccrawler.links.offline import Row, divergences, headline_row, link_rows
from topiccrawler.links.samples import LabelledLink, LabelledText, read_documents, read_headlines, read_links
from topiccrawler.links.sources import (
    Progress,
    Sample,
    balanced,
    damped,
    document_samples,
    headline_samples,
    keyword_samples,
    link_samples,
    silently,
)
from topiccrawler.topics.topic import Topic

LEAST_COUNT = 0.5
MOST_WORDS = 60_000


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to train, and from which files."""

    topic: Topic
    links: Sequence[Path] = ()
    headlines: Sequence[Path] = ()
    documents: Sequence[Path] = ()
    lexicon: Sequence[str] = ()  # the topic's own when empty
    rivals: Sequence[Topic] = ()  # whose keywords are the rest of the world
    context: str = "window"
    event: Event = "bernoulli"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trained:
    """A model and what is known about it."""

    model: LinkClassifier
    rows: Sequence[Row] = ()
    divergences: Mapping[str, float] = field(default_factory=dict)


def train(recipe: Recipe, progress: Progress = silently) -> Trained:
    """Read, measure on parts kept aside, train on everything."""
    links = [item for path in recipe.links for item in read_links(path, recipe.topic, recipe.context)]
    headlines = [item for path in recipe.headlines for item in read_headlines(path, recipe.topic)]
    documents = [item for path in recipe.documents for item in read_documents(path, recipe.topic)]
    _check(recipe.links, links, recipe.topic)
    lexicon = Lexicon(recipe.lexicon or recipe.topic.lexicon)
    samples = {
        "links": link_samples(links, progress),
        "headlines": headline_samples(headlines, progress),
        "documents": document_samples(documents, progress),
        "keywords": keyword_samples(recipe.topic, recipe.rivals),
    }
    samples = {name: found for name, found in samples.items() if found}
    rows = _rows(recipe, samples, documents, lexicon, progress)
    model = _model(recipe, samples, lexicon)
    model.training = _described(recipe, samples)
    model.scores = {row.name: row.scores() for row in rows}
    return Trained(model, rows, divergences(samples.get("links", ()), documents, recipe.seed))


def _rows(
    recipe: Recipe,
    samples: Mapping[str, Sequence[Sample]],
    documents: Sequence[LabelledText],
    lexicon: Lexicon,
    progress: Progress,
) -> list[Row]:
    rows: list[Row] = []
    other = {name: found for name, found in samples.items() if name != "links"}
    links = samples.get("links", ())
    for by_host in (False, True) if links else ():
        kept, aside = (evened(side, recipe.seed) for side in split(links, recipe.seed, by_host))
        if not kept or not aside:
            continue
        model = _model(recipe, {**other, "links": kept}, lexicon)
        how = "hosts" if by_host else "links"
        rows += link_rows(kept, aside, documents, lexicon, model, how, progress)
    if "headlines" in samples:
        kept, aside = split(samples["headlines"], recipe.seed, by_host=False, share=2 / 3)
        if {sample.positive for sample in aside} == {False, True}:
            words = _model(recipe, {"headlines": kept}, Lexicon(()))
            words = replace(words, prior=sum(sample.positive for sample in kept) / len(kept))
            rows.append(headline_row("headlines: words", words, aside))
            rows.append(
                headline_row(
                    "headlines: model", _model(recipe, {**samples, "headlines": kept}, lexicon), aside
                )
            )
    return rows


def evened(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """The larger class cut at random to the size of the smaller: the paper's table has about as many of each."""
    sides = [[sample for sample in samples if sample.positive is side] for side in (False, True)]
    size = min(map(len, sides))
    return [sample for side in sides for sample in random.Random(seed).sample(side, size)]


def split(
    samples: Sequence[Sample], seed: int, by_host: bool, share: float = 0.7
) -> tuple[list[Sample], list[Sample]]:
    """About `share` of the samples of each class, and the rest; by source host no host stands on both sides."""
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
    aside = [sample for key, sample in zip(keys, samples, strict=True) if key not in first]
    return kept, aside


def _model(recipe: Recipe, samples: Mapping[str, Sequence[Sample]], lexicon: Lexicon) -> LinkClassifier:
    weighed = {name: damped(found) if name == "links" else found for name, found in samples.items()}
    counts = balanced(weighed, lexicon).pruned(LEAST_COUNT, MOST_WORDS)
    return LinkClassifier(recipe.topic.name, counts, recipe.context, recipe.event, lexicon=lexicon)


def _check(paths: Sequence[Path], items: Sequence[LabelledLink], topic: Topic) -> None:
    for side, sign in ((True, "relevant"), (False, "other")) if paths else ():
        if not any(item.positive is side for item in items):
            raise LinksFileError(
                ", ".join(str(path) for path in paths),
                f"holds no link labelled as {sign} for topic {topic.name}",
                f"label links 1 and 0, or {topic.name} and others",
            )


def _described(recipe: Recipe, samples: Mapping[str, Sequence[Sample]]) -> dict[str, object]:
    files = {path.name: _sha256(path) for path in (*recipe.links, *recipe.headlines, *recipe.documents)}
    sides = {
        name: [sum(1 for sample in found if sample.positive is side) for side in (False, True)]
        for name, found in samples.items()
    }
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()
    return {"files": files, "samples": sides, "set": digest, "seed": recipe.seed}


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
