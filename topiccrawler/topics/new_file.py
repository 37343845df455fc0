"""Writes the first version of a user's topic file: what is known filled in, every other field as a comment.

The words come from the user and from a proposal, a function that makes more words of them; what the user wrote stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from topiccrawler.topics.topic import PAGE_THRESHOLDS, read_topic

Proposal = Callable[[Mapping[str, float]], Mapping[str, float]]
"""Words with weights in, more words with weights out."""


def topic_file(name: str, words: Mapping[str, float], zh: str = "", proposal: Proposal | None = None) -> str:
    """A commented TOML file of these words and those proposed for them; TopicError when they make no topic.

    What is proposed replaces no weight of `words`.
    """
    more = proposal(words) if proposal else {}
    weights = {**more, **words}
    ranked = sorted(weights.items(), key=lambda pair: -pair[1])
    text = _FILE.format(
        name=_quoted(name),
        zh=_quoted(zh),
        threshold=PAGE_THRESHOLDS["normal"],
        keywords="\n".join(f"{_quoted(word)} = {round(weight, 4):g}" for word, weight in ranked),
    )
    read_topic(text, f"topic {name!r}")
    return text


def _quoted(text: str) -> str:
    """As a TOML string; JSON's escapes are TOML's but for the one character JSON leaves alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_FILE = """\
# A topic of your own. What each field means: docs/topics.md; what may be wrong with it: scrapy topics check FILE
name = {name}  # lower-case Latin letters, digits, - and _
zh = {zh}  # its Chinese name, for lists and logs
# also = ["another name"]
breadth = "normal"  # broad, normal or specific; decides page_threshold when that is not given
# page_threshold = {threshold}  # 0 to 1: from which relevance a page is kept
# examples = ["a text that is about the topic"]  # keywords are taken from them when there are none below
# seeds = ["http://www.example.com/"]  # where a crawl begins
# positive = ["topic.example.com", "www.example.com/topic/"]  # hosts or host/path whose pages are about it: for training
# negative = ["other.example.com"]  # and whose are not
# lexicon = ["word"]  # dictionary for the words of links; the keywords when not given

[keywords]  # word = weight: 1 for words that only this topic has, 0.3 for those it shares with others
{keywords}
"""
