"""Writes the first version of a user's topic file: what is known filled in, every other field as a comment.

The words are the user's own; those near them are proposed when a crawl begins (`proposed_words`), so that the file stays short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from topiccrawler.topics.topic import PAGE_THRESHOLDS, PROPOSED_WORDS, read_topic


def topic_file(
    name: str, words: Mapping[str, float], zh: str = "", proposed_words: int = PROPOSED_WORDS
) -> str:
    """A commented TOML file of these words; TopicError when they make no topic."""
    ranked = sorted(words.items(), key=lambda pair: -pair[1])
    text = _FILE.format(
        name=_quoted(name),
        zh=_quoted(zh),
        threshold=PAGE_THRESHOLDS["normal"],
        proposed=proposed_words,
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
# page_threshold = {threshold}  # 0 to 1: the similarity at which a page is as likely about it as not
proposed_words = {proposed}  # near words to add when a crawl begins; `scrapy topics show FILE` shows them; 0 = yours alone
# examples = ["a text that is about the topic"]  # keywords are taken from them when there are none below
# seeds = ["http://www.example.com/"]  # where a crawl begins
# positive = ["topic.example.com", "www.example.com/topic/"]  # hosts or host/path whose pages are about it: for training
# negative = ["other.example.com"]  # and whose are not
# lexicon = ["word"]  # dictionary for the words of links; the keywords when not given

[keywords]  # word = weight: 1 for words that only this topic has, 0.3 for those it shares with others
{keywords}
"""
