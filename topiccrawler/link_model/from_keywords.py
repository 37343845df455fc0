"""A link model from a topic's keywords alone, made in memory when a crawl begins.

A user's own topic has no trained model, and a crawl should not have to wait for one; but a model file
that was named and is missing is an error. So keywords are used when no folder of models was named and
none is shipped for the topic, or when they are asked for (TOPIC_LINK_MODELS=none); never otherwise.

The words of the catalogue's other topics speak against it, but for those near its own (topics.contrasts): each little, all together as
much as its own. Without them a link that says 足球 was worth as much to finance as one that says nothing.
"""

from __future__ import annotations

import json
import logging
from functools import lru_cache
from pathlib import Path

from topiccrawler.files import is_file
from topiccrawler.link_model.classifier import Counts, Lexicon, LinkClassifier
from topiccrawler.link_model.model_file import load_model
from topiccrawler.link_model.training.samples import add, boilerplate_beside, is_phrase, keyword_samples
from topiccrawler.resources import folder as data_folder
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.topics.contrasts import contrasts
from topiccrawler.topics.topic import Topic

logger = logging.getLogger(__name__)

NONE, PAPER = "none", "paper"


def keyword_model(topic: Topic) -> LinkClassifier:
    """The model of the topic's keywords and example texts, against other topics' keywords of the same weight in all.

    Its lexicon holds the phrases of two words alone: with the other keywords it would count each link that holds one twice.
    One topic asked for again gets the same object: change nothing in it.
    """
    fields = topic.model_dump_json(include={"name", "keywords", "given", "examples"})
    return _keyword_model(fields, topic.segmenter)


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


def link_model(topic: Topic, models: str | None) -> LinkClassifier:
    """The topic's link model. `models`: a folder, "none" for the keywords, "paper" for the shipped one of training.published, None for
    ours.

    Raises ModelError when the model is damaged, or missing from a folder that was named.
    """
    if models == PAPER:
        return load_model(topic.name, data_folder("models").joinpath(PAPER), topic.segmenter).without_counts()
    asked = (models or "").strip().lower() == NONE
    if asked or not (models or is_file(data_folder("models").joinpath(f"{topic.name}.json"))):
        why = f"TOPIC_LINK_MODELS={NONE}" if asked else "it has no link model"
        text = "Topic %s: %s; links are scored by its %d keywords"
        logger.info(text, topic.display_name, why, len(topic.keywords))
        return keyword_model(topic)
    return load_model(topic.name, Path(models) if models else None, topic.segmenter).without_counts()
