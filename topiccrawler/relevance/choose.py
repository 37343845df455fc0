"""Builds the page classifier a user names, for a topic: `vsm` from the topic alone, the others from their trained file.

A name without its file is an error before the first request. A trained topic vector, where there is one, replaces the
topic's own.
"""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import Path

from topiccrawler.errors import ArgumentError, ModelError
from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.relevance.base import PAGE_CLASSIFIERS, VSM
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.resources import folder as data_folder
from topiccrawler.topics.topic import Topic

FOLDER = "page_classifiers"  # within the folder of models


def untrained(topic: Topic) -> PageClassifier:
    """The page classifier of the topic's words alone."""
    if not topic.narrow:
        return VsmClassifier(topic)
    from topiccrawler.relevance.evidence import EvidenceClassifier  # numpy, for the word vectors

    return EvidenceClassifier(topic)


def make_page_classifier(topic: Topic, name: str = VSM, folder: Path | None = None) -> PageClassifier:
    """The page classifier `name` of that topic; `folder`: where trained ones lie, by default the shipped ones."""
    if name not in PAGE_CLASSIFIERS:
        remedy = f"page classifiers are {', '.join(PAGE_CLASSIFIERS)}"
        raise ArgumentError(f"page classifier {name!r}", "is unknown", remedy)
    place = page_classifier_file(topic.name, name, folder)
    if name == VSM:
        if topic.narrow or not place.is_file():
            return untrained(topic)
        from topiccrawler.relevance.model_file import load_vectors

        return load_vectors(place, topic)
    if not place.is_file():
        remedy = f"train it: scrapy train {topic.name} --page-classifier {name} --documents FILE"
        raise ModelError(f"page classifier {name} of topic {topic.name!r}", f"there is no {place}", remedy)
    from topiccrawler.relevance.model_file import load  # numpy: only for those who need it

    return load(place, name)


def page_classifier_file(topic: str, name: str, folder: Path | None = None) -> Path | Traversable:
    """Where the trained page classifier of a topic lies."""
    return (folder or data_folder("models")).joinpath(FOLDER, f"{topic}.{name}.json")
