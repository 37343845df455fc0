"""Keywords as the segmenter gives them."""

from __future__ import annotations

from topiccrawler.text.tokenise import is_whole, learn, words_of
from topiccrawler.topics.topic import Topic

SHORTENED_WEIGHT = 0.5


def keep_whole(topic: Topic) -> None:
    """Let the segmenter keep the topic's keywords and lexicon whole, in this process."""
    learn([*topic.keywords, *topic.lexicon])


def token_weights(keywords: dict[str, float]) -> tuple[dict[str, float], list[str]]:
    """Keywords as they occur among segmented words, with their weights; and those that never can.

    A keyword that the segmenter cuts is joined again, as is a phrase of Latin words. One that loses single characters (vitamin c ->
    vitamin; Han words were learned whole, text.tokenise.learn) counts as what remains of it, at half weight; one of which
    nothing remains cannot be matched.
    """
    weights: dict[str, float] = {}
    unmatched: list[str] = []
    for (keyword, weight), tokens in zip(keywords.items(), words_of(list(keywords)), strict=True):
        key = "".join(tokens)
        if not key:
            unmatched.append(keyword)
            continue
        kept = weight if is_whole(keyword, tokens) else weight * SHORTENED_WEIGHT
        weights[key] = max(kept, weights.get(key, 0.0))
    return weights, unmatched
