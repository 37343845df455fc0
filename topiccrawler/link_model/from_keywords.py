"""Chooses the link model of a crawl, and makes one from the topic's keywords alone if there is no trained model.

`link_model` chooses. A user's own topic has no trained model, and a crawl should not have to wait for one; but a configured model file
that is missing is an error. So keywords are used only if no folder of models is configured and none is shipped for the topic, or if they
are requested (TOPIC_LINK_MODELS=none).

`keyword_model` makes a model in memory when a crawl begins. The keywords of the catalogue's other topics are its negative samples, except
those near the topic's own (topics.contrasts): each with a small weight, all together with the weight of the topic's own. Without them a
link with the word 足球 would have the same score for finance as a link without words.

`ready_model` reads the one of a topic of the catalogue: the shipped models/keywords, made by lab.training.keyword_models, save a third of
a second of each such crawl.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from zlib import crc32

from topiccrawler.files import is_file
from topiccrawler.link_model.classifier import Counts, Lexicon, LinkClassifier
from topiccrawler.link_model.model_file import KEYWORDS, load, load_model, model_file
from topiccrawler.link_model.training.samples import add, boilerplate_beside, is_phrase, keyword_samples
from topiccrawler.resources import folder as data_folder
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.contrasts import contrasts
from topiccrawler.topics.topic import Topic

logger = logging.getLogger(__name__)

NONE, PAPER = "none", "paper"


def keyword_model(topic: Topic) -> LinkClassifier:
    """Return a model of the topic's keywords and example texts against other topics' keywords with the same total weight.

    The lexicon holds only keywords of several words: with the other keywords, a link with one of them would count it twice.
    Results are cached: a further call for the same topic returns the same object, so do not change it.
    """
    return _keyword_model(_fields(topic), topic.segmenter)


@lru_cache(maxsize=4)
def _keyword_model(fields: str, segmenter: Segmenter) -> LinkClassifier:
    topic = Topic.model_construct(**json.loads(fields)).cut_by(segmenter)
    lexicon, counts = Lexicon(filter(is_phrase, topic.keywords), segmenter), Counts()
    samples = keyword_samples(topic, contrasts(topic))
    own, others = (sum(one.weight for one in samples if one.positive is side) for side in (True, False))
    excluded = boilerplate_beside(samples)
    for sample in samples:
        weight = sample.weight if sample.positive else sample.weight * own / others
        add(counts, sample, lexicon, weight, excluded)
    return LinkClassifier(topic.name, counts, lexicon=lexicon, segmenter=segmenter)


def ready_model(topic: Topic) -> LinkClassifier | None:
    """Return the shipped model of a topic's keywords, which scores as that of `keyword_model`; None for a topic that the catalogue does
    not have, or not with these keywords. ModelError for a damaged file."""
    place = model_file(topic.name, data_folder("models").joinpath(KEYWORDS))
    if not is_file(place):
        return None
    model = load(place, topic.segmenter, counts=False)
    return model if model.training.get(KEYWORDS) == crc32(_fields(topic).encode()) else None


def keyword_model_to_ship(topic: Topic) -> LinkClassifier:
    """Return the model of a topic's keywords with what `ready_model` knows the topic by."""
    return replace(keyword_model(topic), training={KEYWORDS: crc32(_fields(topic).encode())})


def _fields(topic: Topic) -> str:
    return topic.model_dump_json(include={"name", "keywords", "given", "examples"})


def link_model(topic: Topic, models: str | None) -> LinkClassifier:
    """Return the topic's link model. `models`: a folder; "none" = from the keywords; "paper" = the shipped model of training.published;
    None = our shipped model.

    Raises ModelError if the model is damaged, or missing from a configured folder.
    """
    if models == PAPER:
        return load_model(topic.name, data_folder("models").joinpath(PAPER), topic.segmenter, counts=False)
    requested = (models or "").strip().lower() == NONE
    if requested or not (models or is_file(model_file(topic.name, data_folder("models")))):
        why = f"TOPIC_LINK_MODELS={NONE}" if requested else "it has no link model"
        text = "Topic %s: %s; links are scored by its %d keywords"
        logger.info(text, topic.display_name, why, len(topic.keywords))
        return (None if requested else ready_model(topic)) or keyword_model(topic)
    return load_model(topic.name, Path(models) if models else None, topic.segmenter, counts=False)
