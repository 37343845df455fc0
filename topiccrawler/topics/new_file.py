"""Writes the first version of a user's topic file: what is known filled in, what is often added as a comment.

The words are the user's own, in their order; a crawl understands the file as it does the words alone (topics.meaning), so it stays short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from topiccrawler.topics.meaning import meaning_of
from topiccrawler.topics.topic import PROPOSED_WORDS, read_topic


def topic_file(
    name: str, words: Mapping[str, float], zh: str = "", proposed_words: int = PROPOSED_WORDS
) -> str:
    """A commented TOML file of these words; TopicError when they make no topic."""
    text = _FILE.format(
        name=_quoted(name),
        zh=_quoted(zh),
        proposed=proposed_words,
        narrow=json.dumps(not meaning_of(words).is_whole),
        keywords="\n".join(f"{_quoted(word)} = {round(weight, 4):g}" for word, weight in words.items()),
    )
    read_topic(text, f"topic {name!r}")
    return text


def _quoted(text: str) -> str:
    """As a TOML string; JSON's escapes are TOML's but for the one character JSON leaves alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_FILE = """\
# A topic of your own. `scrapy topics show FILE` says how it is understood, `scrapy topics check FILE` what may be wrong with it.
name = {name}  # lower-case Latin letters, digits, - and _
zh = {zh}  # its Chinese name, for lists and logs
proposed_words = {proposed}  # near words to add when a crawl begins; they lead to pages; 0 = yours alone
# narrow = {narrow}  # true: your words alone judge pages; false: the proposed ones too; without it: as your words are understood
# seeds = ["http://www.example.com/"]  # where a crawl begins
# more fields: docs/topics.md

[keywords]  # word = weight: 1 for words that only this topic has, 0.3 for those it shares with others
{keywords}
"""
