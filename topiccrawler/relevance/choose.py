"""Builds the configured page classifier of a topic, and combines those of several topics.

`make_page_classifier` builds `evidence`, `vsm` and `cosine` from the topic alone, the others from their trained file. A missing file is an
error before the first request. `evidence` reads where on the page the words are that name the topic, with a VSM of all words inside; for a
topic that no words name it is the VSM. For `vsm`, a trained topic vector replaces the topic's own.

`SeveralTopics` is the page classifier of a crawl for several topics: a page is as relevant as it is to its best topic.

Formula: relevance = max over topics of the relevance to each; similarity = max over topics t of min(1, s_t · T / T_t); s_t the topic's own
similarity, T_t its threshold, T the smallest of them: so one threshold applies to all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, ClassVar

from topiccrawler.entry_points import named, part
from topiccrawler.errors import ArgumentError, ModelError
from topiccrawler.files import is_file
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.relevance import published
from topiccrawler.relevance.base import (
    COSINE,
    EVEN,
    EVIDENCE,
    NEAREST_CENTROID,
    PAGE_CLASSIFIERS,
    PUBLISHED,
    VSM,
)
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.published import PublishedBayes
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.resources import folder as data_folder
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.meaning import naming_words
from topiccrawler.topics.topic import Topic


class SeveralTopics:
    """The page classifiers of several topics as one. `classifiers`: topic name -> page classifier."""

    threshold: ClassVar[float] = EVEN

    def __init__(self, classifiers: Mapping[str, PageClassifier]) -> None:
        self._classifiers = classifiers
        self.similarity_threshold = min(one.similarity_threshold for one in classifiers.values())
        self.reads_segments = any(one.reads_segments for one in classifiers.values())

    def similarity(self, words: PageWords) -> float:
        """Return the largest similarity to a topic, 0..1, scaled to the common threshold."""
        least = self.similarity_threshold
        return max(
            min(1.0, one.similarity(words) * least / one.similarity_threshold)
            if one.similarity_threshold
            else 1.0
            for one in self._classifiers.values()
        )

    def relevance(self, words: PageWords) -> float:
        """Return the largest relevance to a topic, 0..1."""
        return max(self._relevances(words).values())

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Return the words with their shares of the relevance to the topic that the page is most about. The positive ones add up to it."""
        relevances = self._relevances(words)
        name = max(relevances, key=relevances.__getitem__)
        shares = self._classifiers[name].explain(words)
        scale = relevances[name] / (sum(share for _, share in shares if share > 0.0) or 1.0)
        return [(word, share * scale) for word, share in shares]

    def topics_of(self, words: PageWords) -> tuple[str, ...]:
        """Return the topics that a page is about, the most relevant first; if it is about none, the nearest topic."""
        relevances = self._relevances(words)
        ranked = sorted(relevances, key=lambda name: -relevances[name])
        return tuple(name for name in ranked if relevances[name] >= EVEN) or (ranked[0],)

    def _relevances(self, words: PageWords) -> dict[str, float]:
        return {name: one.relevance(words) for name, one in self._classifiers.items()}


FOLDER = "page_classifiers"  # within the folder of models
PARAMETERS: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    COSINE: {"weights": str, "fields": str, "title_weight": float, "threshold": float},
    "naive_bayes": {"published": {"true": True, "false": False}.__getitem__},
}
MEMBERS = ("threshold", "reads_segments", "similarity_threshold", "similarity", "relevance", "explain")
GROUP = "topiccrawler.page_classifiers"  # entry points of other packages: callables Topic -> PageClassifier


def untrained(topic: Topic) -> PageClassifier:
    """Return the page classifier `evidence`, made from the topic's words alone.

    A topic with a contrast uses the VSM classifier even if it has names: the evidence of names could move pages across its decision boundary.
    """
    return EvidenceClassifier(topic) if naming_words(topic) and not topic.contrast else VsmClassifier(topic)


def make_page_classifier(topic: Topic, spec: str = EVIDENCE, folder: Path | None = None) -> PageClassifier:
    """Return the page classifier of a topic. A page classifier of another package is found by its entry point.

    `spec`: its name, with parameters if any (NAME:key=value:…); `folder`: the folder of trained ones, by default the shipped ones.
    Raises ArgumentError for an unknown name or parameter, ModelError for a file that is missing or invalid.
    """
    name, parameters = _parsed(spec)
    if name == COSINE:
        from topiccrawler.relevance.cosine import CosineClassifier

        return CosineClassifier(topic, **parameters)
    if name not in PAGE_CLASSIFIERS:
        return _of_package(name, topic)
    if name == EVIDENCE and isinstance(made := untrained(topic), EvidenceClassifier):
        return made
    name = VSM if name == EVIDENCE else name
    name = PUBLISHED if parameters.get("published") else name
    place = page_classifier_file(topic.name, name, folder)
    if name == VSM and (topic.narrow or not is_file(place)):
        return VsmClassifier(topic)
    if not is_file(place):
        remedy = f"train it: scrapy train {topic.name} --page-classifier {name} --documents FILE"
        raise ModelError(f"page classifier {name} of topic {topic.name!r}", f"there is no {place}", remedy)
    return _trained(name, place, topic)


def _of_package(name: str, topic: Topic) -> PageClassifier:
    others = named(GROUP)
    if name in others:
        made: PageClassifier = part(others[name], f"page classifier {name!r}", ModelError, [topic], MEMBERS)
        return made
    remedy = f"page classifiers are {', '.join((*PAGE_CLASSIFIERS, *sorted(others)))}"
    raise ArgumentError(f"page classifier {name!r}", "is unknown", remedy)


def _trained(name: str, place: Path | Traversable, topic: Topic) -> PageClassifier:
    """The page classifier in a file. The modules below import numpy, so only those who need them pay for it."""
    if name == NEAREST_CENTROID:
        from topiccrawler.relevance.centroids import load_centroids

        return load_centroids(place)
    if name == PUBLISHED:
        return PublishedBayes(published.load(place)["pages"])
    from topiccrawler.relevance.linear import load, load_vectors

    return load_vectors(place, topic) if name == VSM else load(place, name)


def anchor_classifier(
    topics: Sequence[Topic], segmenter: Segmenter, folder: Path | None = None
) -> published.AnchorBayes | None:
    """Return the classifier of anchors by those of the topics' sample pages; None if a topic has no sample anchors.

    Raises ModelError for a file that is invalid.
    """
    files = [page_classifier_file(topic.name, PUBLISHED, folder) for topic in topics]
    parts = [published.load(file) if is_file(file) else {} for file in files]
    if not all("anchors" in part for part in parts):
        return None
    return published.AnchorBayes([part["anchors"] for part in parts], segmenter)


def _parsed(spec: str) -> tuple[str, dict[str, Any]]:
    """Split a specification into name and parameters. Raises ArgumentError for an unknown parameter or an invalid value."""
    name, *given = spec.split(":")
    known, found = PARAMETERS.get(name, {}), dict[str, Any]()
    for key, _, value in (each.partition("=") for each in given):
        try:
            found[key] = known[key](value)
        except (KeyError, ValueError):
            remedy = f"its parameters: {', '.join(known) or 'none'}; write NAME:key=value"
            raise ArgumentError(f"page classifier {spec!r}", f"cannot read {key}={value}", remedy) from None
    return name, found


def page_classifier_file(topic: str, name: str, folder: Path | None = None) -> Path | Traversable:
    """Return the path of the trained page classifier of a topic. `name`: PUBLISHED or a name without parameters."""
    kind = "published" if name == PUBLISHED else name
    return (folder or data_folder("models")).joinpath(FOLDER, f"{topic}.{kind}.json")
