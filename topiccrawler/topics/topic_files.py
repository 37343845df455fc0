"""Writes the first version of a user's topic file, and checks topics that load for likely mistakes.

`topic_file` writes the file: what is known is filled in, and what is often added is a comment. The words are the user's own, in their
order. A crawl understands the file as it does the words alone (topics.meaning), so it stays short.

`check` finds what is wrong with a topic that loads: words that cannot match or match everywhere, seeds, other topics like it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from topiccrawler.errors import SeedsError
from topiccrawler.resources import folder
from topiccrawler.text.segmenter import fold, is_whole
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.common_words import common_words
from topiccrawler.topics.contrasts import nearest
from topiccrawler.topics.meaning import meaning_of
from topiccrawler.topics.seeds import seeds_of_topic
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic, read_topic, token_weights
from topiccrawler.urls.canonical import canonical

HEAVY = 0.5  # share of the largest weight, from which a common word decides pages
LIKE = 0.5  # cosine, from which two topics fetch much the same pages
FEW_WORDS = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """A likely mistake in a topic. An error makes a crawl useless; a warning may be intended."""

    kind: Literal["error", "warning"]
    text: str


def check(topic: Topic) -> list[Finding]:
    """The likely mistakes in a topic, errors first."""
    every = [*_words(topic), *_common(topic), *_places(topic), *_seeds(topic), *_others(topic)]
    return sorted(every, key=lambda finding: finding.kind != "error")


def _words(topic: Topic) -> Iterator[Finding]:
    weights, unmatched = token_weights(topic.keywords, topic.segmenter)
    if not weights:
        yield Finding("error", "no keyword can be found on a page; give words of two letters or more")
    elif len(weights) < FEW_WORDS:
        yield Finding("warning", f"{len(weights)} keywords are few: pages that use other words are missed")
    if weights and unmatched:
        shown = ", ".join(unmatched[:10])
        yield Finding("warning", f"never found on a page, being single characters: {shown}")
    tokens_of = topic.segmenter.words_of(list(topic.keywords))
    for keyword, tokens in zip(topic.keywords, tokens_of, strict=True):
        if tokens and not is_whole(keyword, tokens):
            yield Finding("warning", f"{keyword} counts as {' '.join(tokens)}, at half weight")


def _common(topic: Topic) -> Iterator[Finding]:
    heaviest, of_any_page = max(topic.keywords.values()), common_words()
    heavy = [word for word, weight in topic.keywords.items() if weight >= HEAVY * heaviest]
    common = [word for word in heavy if fold(word) in of_any_page]
    if common:
        shown = ", ".join(common[:10])
        yield Finding("warning", f"words of any page have much weight: {shown}; give them 0.3 or less")


def _places(topic: Topic) -> Iterator[Finding]:
    if both := sorted(set(topic.positive) & set(topic.negative)):
        yield Finding("error", f"positive and negative at once: {', '.join(both[:5])}")


def _seeds(topic: Topic) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for seed in topic.seeds:
        address = canonical(seed.removeprefix("-").strip()) or seed
        if address in seen:
            yield Finding("warning", f"seed {seed} is the same as {seen[address]}")
        seen.setdefault(address, seed)
    try:
        seeds_of_topic(topic)
    except SeedsError as failure:
        yield Finding("error" if topic.seeds else "warning", str(failure))


def _others(topic: Topic) -> Iterator[Finding]:
    if topic.name in dict(topic_names()) and topic != load_topic(topic.name):
        yield Finding(
            "warning", f"{topic.name} is a topic of the catalogue: its link model and seeds are used"
        )
    for name, likeness in nearest(topic, 3):
        if likeness >= LIKE:
            yield Finding("warning", f"is much like the topic {name} (cosine {likeness:.2f})")


def topic_file(
    name: str, words: Mapping[str, float], zh: str = "", proposed_words: int = PROPOSED_WORDS
) -> str:
    """The text of a commented TOML file of these words (word -> weight); TopicError when they make no topic."""
    text = (
        folder("topics")
        .joinpath("new_topic.toml")
        .read_text(encoding="utf-8")
        .format(
            name=_quoted(name),
            zh=_quoted(zh),
            proposed=proposed_words,
            narrow=json.dumps(not meaning_of(words).is_whole),
            keywords="\n".join(
                f"{_quoted(word)} = {round(weight, 4) or weight:g}" for word, weight in words.items()
            ),
        )
    )
    read_topic(text, f"topic {name!r}")
    return text


def _quoted(text: str) -> str:
    """The text as a TOML string. JSON has the same escapes, except that it does not escape one character (DEL)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
