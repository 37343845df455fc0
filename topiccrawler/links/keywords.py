"""A link model from a topic's keywords alone, made in memory when a crawl begins.

The conflict: a topic of one's own has no trained model, and a crawl should not have to wait for one; but a model file
that was named and is missing is a slip that must be told. So keywords stand in when no folder of models was named and
none travels with the package for the topic, or when they are asked for (TOPIC_LINK_MODELS=none); never otherwise.

But: only the topic's own words are used, no other topic's: what speaks against a link is left to learning
    (links.learning). `scrapy train TOPIC` without files sets other topics' keywords against them.
"""

from __future__ import annotations

import logging
from pathlib import Path

from topiccrawler.links.classifier import LinkClassifier
from topiccrawler.links.counts import Counts
from topiccrawler.links.features import GROUP_2, Lexicon
from topiccrawler.links.modelfile import load_model
from topiccrawler.links.sources import add, keyword_samples
from topiccrawler.resources import folder as data_folder
from topiccrawler.topics.topic import Topic

logger = logging.getLogger(__name__)

NONE = "none"


def keyword_model(topic: Topic) -> LinkClassifier:
    """The model that knows the topic's keywords and example texts; the rest of the world is as large, without a word.

    Its lexicon is empty: it would be the keywords once more, and say of each link twice that it holds one.
    """
    lexicon, counts = Lexicon(()), Counts()
    samples = keyword_samples(topic, ())
    for sample in samples:
        add(counts, sample, lexicon, sample.weight)
    counts.add(dict.fromkeys(GROUP_2, ()), positive=False, weight=sum(sample.weight for sample in samples))
    return LinkClassifier(topic.name, counts, lexicon=lexicon)


def link_model(topic: Topic, models: str | None) -> LinkClassifier:
    """The topic's link model. `models`: a folder, "none" for the keywords, None for what travels with the package.

    Raises ModelError when the model is damaged, or missing from a folder that was named.
    """
    asked = (models or "").strip().lower() == NONE
    if asked or not (models or data_folder("models").joinpath(f"{topic.name}.json").is_file()):
        why = f"TOPIC_LINK_MODELS={NONE}" if asked else "it has no link model"
        logger.info("Topic %s: %s; links are scored by its %d keywords", topic.name, why, len(topic.keywords))
        return keyword_model(topic)
    return load_model(topic.name, Path(models) if models else None)
