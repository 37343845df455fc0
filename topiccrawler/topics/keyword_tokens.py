"""Keywords as the segmenter gives them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

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


def heads_of(keywords: Iterable[str]) -> set[str]:
    """What each keyword begins with, from two characters on: where a page has none of them, nothing was cut."""
    return {keyword[:end] for keyword in keywords for end in range(2, len(keyword))}


def joined_again(words: Sequence[str], heads: Container[str], keywords: Container[str]) -> list[str]:
    """Keywords that the segmenter cut in pieces, found by joining neighbouring words again; the longest wins."""
    found = []
    for start in [start for start, word in enumerate(words) if word in heads]:
        joined, longest, end = words[start], "", start + 1
        while joined in heads and end < len(words):
            joined += words[end]
            end += 1
            if joined in keywords:
                longest = joined
        if longest:
            found.append(longest)
    return found
