"""A trained model is measured, compared, merged, promoted.

A candidate is measured on the same links as the model in use; a worse one stays a candidate unless the user insists.

Merging adds counts, so it needs models of one topic, one tokenizer, one context maker and one event model. Two models
trained on the same file would count it twice; that is refused too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from topiccrawler.errors import LinksFileError, ModelError
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.model_file import load, save
from topiccrawler.link_model.training.evaluation import Row, row
from topiccrawler.link_model.training.samples import LabelledLink, read_links
from topiccrawler.links.features import Lexicon
from topiccrawler.topics.topic import Topic

CANDIDATE = ".candidate.json"  # how a model is called that is not in use
_A_PAGE = 2_000  # links shown to the tokenizer at once


def labelled(paths: Sequence[Path], topic: Topic, context: str) -> list[LabelledLink]:
    """The labelled links of all files; LinksFileError when there is none."""
    found = [link for path in paths for link in read_links(path, topic, context)]
    if not found:
        files = ", ".join(map(str, paths))
        raise LinksFileError(files, "holds no labelled link", "label links 1 or 0, or by topic names")
    return found


def measure(
    model: LinkClassifier, links: Sequence[LabelledLink], threshold: float | None = None, name: str = ""
) -> Row:
    """Precision, recall and F1 of a model at its own threshold, or at the one given."""
    scores = [
        score
        for start in range(0, len(links), _A_PAGE)
        for score in model.log_odds([item.link for item in links[start : start + _A_PAGE]])
    ]
    at = model.threshold if threshold is None else threshold
    return row(name or model.topic, [item.positive for item in links], scores, at)


def merged(models: Sequence[LinkClassifier]) -> LinkClassifier:
    """One model that has counted what all have; settings of the first, words of every lexicon."""
    first, *others = models
    counts, sources = first.counts, dict(_sources(first))
    for other in others:
        for what in ("topic", "context", "event"):
            mine, theirs = getattr(first, what), getattr(other, what)
            if mine != theirs:
                fault = f"one model has {what} {mine!r}, another {theirs!r}"
                raise ModelError("merge", fault, "merge models of one kind")
        used = {*sources.values()} - {""}
        if twice := ", ".join(sorted(name for name, digest in _sources(other).items() if digest in used)):
            raise ModelError("merge", f"both were trained on {twice}", "train once, on all files together")
        sources.update({f"{name} ({len(sources)})" if name in sources else name: digest
                        for name, digest in _sources(other).items()})  # fmt: skip
        counts = counts.merged(other.counts)
    lexicon = Lexicon([entry for model in models for entry in model.lexicon.entries])
    training = {"files": sources, "merged": [model.training.get("set") for model in models]}
    return replace(first, counts=counts, lexicon=lexicon, training=training, scores={})


def _sources(model: LinkClassifier) -> Mapping[str, str]:
    files = model.training.get("files")
    return {str(name): str(digest) for name, digest in files.items()} if isinstance(files, dict) else {}


def same_sources(one: LinkClassifier, other: LinkClassifier) -> bool:
    """Was one trained on a file that the other was trained on? Then links of that file cannot compare them."""
    return bool(set(_sources(one).values()) & set(_sources(other).values()))


def in_use(topic: str, folder: Path) -> LinkClassifier | None:
    """The model a crawl with this folder would take, if there is one that can be read."""
    try:
        return load(folder / f"{topic}.json")
    except ModelError:
        return None


def put_to_use(candidate: LinkClassifier, folder: Path) -> Path:
    """Save the candidate as the topic's model and remove its candidate file."""
    place = folder / f"{candidate.topic}.json"
    save(candidate, place)
    (folder / f"{candidate.topic}{CANDIDATE}").unlink(missing_ok=True)
    return place
