"""Finds the words of other topics that are evidence against a topic, and the similarity of topics: the cosine of their keyword vectors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from topiccrawler.text.segmenter import Segmenter
from topiccrawler.text.weights import cosine
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.topic import Topic, token_weights

NEUTRAL = 0.2  # likeness of a word to a topic's words, from which it is no evidence against the topic
MOST_NEUTRAL = 5_000
NEIGHBOUR = 0.1  # cosine, from which two topics share pages: film and entertainment have .35, health and parenting .09


def nearest(topic: Topic, most: int = 5) -> list[tuple[str, float]]:
    """The other topics of the catalogue that are most similar to this one, with their cosine above 0 and up to 1, largest first."""
    others = [load_topic(name) for name, _ in topic_names() if name != topic.name]
    found = [(other.name, cosine(topic.keywords, other.keywords)) for other in others]
    return sorted((pair for pair in found if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))[:most]


def unlike(topic: Topic) -> list[Topic]:
    """The other topics of the catalogue whose words can represent all pages that are not about this topic.

    Topics with a cosine of NEIGHBOUR or more cannot: most pages about films are about entertainment too.
    """
    others = (load_topic(name) for name, _ in topic_names() if name != topic.name)
    return [other for other in others if cosine(topic.keywords, other.keywords) < NEIGHBOUR]


def contrasts(topic: Topic) -> list[Topic]:
    """The topics of `unlike` without the keywords that are near this topic's words by the word vectors: 厨房 is a word of homes, but no
    evidence against food."""
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    user_words = {
        word: topic.keywords[word] for word in topic.given if word in topic.keywords
    } or topic.keywords
    segmenter = topic.segmenter
    near = shipped_vectors().alike(user_words, NEUTRAL, MOST_NEUTRAL, segmenter)
    neutral = {word for tokens in segmenter.words_of(near) for word in ("".join(tokens), *tokens)}
    others = unlike(topic)
    tokens_of = dict(zip(words := _all_keywords(others), segmenter.words_of(words), strict=True))
    return [
        other.model_copy(
            update={
                "keywords": {
                    word: weight
                    for word, weight in other.keywords.items()
                    if neutral.isdisjoint(("".join(tokens_of[word]), *tokens_of[word]))
                }
            }
        )
        for other in others
    ]


def contrast_vectors(topic: Topic) -> dict[str, dict[str, float]]:
    """For each topic of `contrasts`, by name, its words in the form that this topic's segmenter gives, with their weights.

    Takes half a second; the results for the last 4 topics are cached.
    """
    fields = topic.model_dump_json(include={"name", "keywords", "given"})
    return _contrast_vectors(fields, topic.segmenter)


@lru_cache(maxsize=4)
def _contrast_vectors(fields: str, segmenter: Segmenter) -> dict[str, dict[str, float]]:
    topic = Topic.model_construct(**json.loads(fields)).cut_by(segmenter)
    return {other.name: token_weights(other.keywords, segmenter)[0] for other in contrasts(topic)}


def _all_keywords(topics: Sequence[Topic]) -> list[str]:
    return sorted({word for topic in topics for word in topic.keywords})
