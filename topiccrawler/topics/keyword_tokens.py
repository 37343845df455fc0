"""Keywords as the segmenter gives them."""

from __future__ import annotations

from topiccrawler.text.normalise import fold
from topiccrawler.text.tokenise import words_of

SHORTENED_WEIGHT = 0.5


def token_weights(keywords: dict[str, float]) -> tuple[dict[str, float], list[str]]:
    """Keywords as they occur among segmented words, with their weights; and those that never can.

    A keyword that the segmenter cuts is joined again. One that loses single characters (大数据 -> 数据) counts as what
    remains of it, at half weight; one of which nothing remains cannot be matched.
    """
    weights: dict[str, float] = {}
    unmatched: list[str] = []
    for (keyword, weight), tokens in zip(keywords.items(), words_of(list(keywords)), strict=True):
        key = "".join(tokens)
        whole = "".join(character for character in fold(keyword) if character.isalnum())
        if not key:
            unmatched.append(keyword)
            continue
        kept = weight if len(key) >= len(whole) else weight * SHORTENED_WEIGHT
        weights[key] = max(kept, weights.get(key, 0.0))
    return weights, unmatched
