"""`scrapy topics show NAME|FILE|JOB|WORDS`: all that is known of a topic, or how a crawl would understand a few words."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import SeedsError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.crawling.recipe import Recipe
    from topiccrawler.topics.topic import Topic

SHOWN = 20  # words that a program found
LONGEST_NAME = 80  # characters; file systems refuse much longer ones
_SEPARATOR = re.compile(r"[,;\n]")


def work(command: ReportingCommand, name: str, opts: argparse.Namespace) -> None:
    """Find it, and print it."""
    from topiccrawler.topics.meaning import as_understood, judging_words, leading_words, nearest, reasons
    from topiccrawler.topics.seeds import seeds_of_topic
    from topiccrawler.topics.topic import token_weights

    topic = _topic(command, name)
    seeds = list[str]()
    with suppress(SeedsError):  # it has none, and no list is shipped
        seeds = seeds_of_topic(topic).positive
    more: dict[str, Any] = {
        "understood": as_understood(topic),
        "judging": judging_words(topic),
        "leading": leading_words(topic),
        "seeds": seeds,
        "unmatched": token_weights(topic.keywords, topic.segmenter)[1],
        "link_model": has_link_model(command, topic.name),
        "proposed": reasons(topic),
        "nearest": [[other, round(likeness, 4)] for other, likeness in nearest(topic)],
    }
    command.report(opts, topic.model_dump() | more, _text(topic, more, None if opts.all else SHOWN))


def has_link_model(command: ReportingCommand, name: str) -> bool:
    """There is a trained one for the topic of that name."""
    from topiccrawler.files import folder

    given = command.setting("TOPIC_LINK_MODELS")
    place = user_path(given) if given else folder("models")
    return place.joinpath(f"{name}.json").is_file()


def _topic(command: ReportingCommand, name: str) -> Topic:
    from topiccrawler.crawling.assemble import recipe_of_words, topic_of
    from topiccrawler.crawling.recipe import recipe_of
    from topiccrawler.topics.catalogue import is_catalogued, load_topic, split_keywords
    from topiccrawler.topics.meaning import understood

    if is_catalogued(name):
        return load_topic(name)
    if (job := _job(command, name)) is not None:
        return topic_of(job)
    if not are_words(name):
        return understood(load_topic(name))
    most = command.project.getint("TOPIC_PROPOSED_WORDS")
    return topic_of(recipe_of_words(recipe_of(command.project, ""), split_keywords(name), most))


def _job(command: ReportingCommand, name: str) -> Recipe | None:
    """The recipe of a job of that name, or at that path; None when there is none."""
    from topiccrawler.crawling.job_files import read_recipe

    if are_words(name) and len(name) > LONGEST_NAME:
        return None
    data = command.data
    return read_recipe(user_path(name)) or read_recipe(data / name)


def are_words(text: str) -> bool:
    """Of an argument that names nothing: keywords, rather than a name or path with a slip in it."""
    from topiccrawler.topics.catalogue import PREFIX

    text = text.strip()
    if text.endswith(".toml") or text.lower().startswith(PREFIX):
        return False
    if _SEPARATOR.search(text):
        return True
    is_path = "/" in text or "\\" in text or Path(text).is_absolute()
    return not is_path and (not text.isascii() or len(text.split()) > 1)


def _text(topic: Topic, more: Mapping[str, Any], most: int | None) -> str:
    link = "the link model's own" if topic.link_threshold is None else topic.link_threshold
    lines = [
        topic.full_name + (f", also {', '.join(topic.also)}" if topic.also else ""),
        *([f"  {more['understood']}"] if more["understood"] else []),
        f"  breadth {topic.breadth}; page threshold {topic.page_threshold}; link threshold {link}",
        f"  tunnel probability {topic.tunnel_probability}, depth {topic.tunnel_depth}; link model: {'yes' if more['link_model'] else 'none, links are judged by the keywords'}",
        f"  nearest topics: {', '.join(f'{name} {likeness:.2f}' for name, likeness in more['nearest']) or 'none'}",
        *(_narrow_words(more, most) if topic.narrow else _words(topic, more, most)),
    ]
    lines += _several("never found on a page", more["unmatched"])
    lines += _several("lexicon", [] if topic.lexicon == list(topic.keywords) else topic.lexicon)
    for name in ("positive", "negative"):
        lines += _several(name, getattr(topic, name))
    lines += _several("seeds", more["seeds"])
    lines += [f"  example: {text}" for text in topic.examples]
    for place, rule in topic.sites.items():
        given = (f"{name} = {selector}" for name, selector in rule.model_dump().items() if selector)
        lines.append(f"  reads {place} by {', '.join(given)}")
    return "\n".join(lines)


def _narrow_words(more: Mapping[str, Any], most: int | None) -> list[str]:
    """The two groups of a topic that its own words judge."""
    why = more["proposed"]
    leading = [f"{word} {weight:g} ({why.get(word, 'yours')})" for word, weight in more["leading"].items()]
    judging = [f"{word} {weight:g}" for word, weight in more["judging"].items()]
    return [
        *_several("words judge pages", judging),
        *_several("words only lead to its pages", leading, 4, most),
    ]


def _words(topic: Topic, more: Mapping[str, Any], most: int | None) -> list[str]:
    """Those a person wrote, and those a program found for them."""
    by_weight, why = sorted(topic.keywords.items(), key=lambda pair: -pair[1]), more["proposed"]
    found = [f"{word} {weight:g} ({why[word]})" for word, weight in by_weight if word in why]
    return [
        *_several("keywords", [f"{word} {weight:g}" for word, weight in by_weight if word not in why]),
        *_several("learned" if topic.reasons else "proposed for them", found, 4, most),
    ]


def _several(what: str, words: Sequence[str], a_line: int = 10, most: int | None = None) -> list[str]:
    """A counted list, at most so many of it; nothing for no words."""
    if not words:
        return []
    shown = words[:most]
    rows = [shown[start : start + a_line] for start in range(0, len(shown), a_line)]
    head = f"  {len(words)} {what}"
    if len(shown) < len(words):
        head += f", of these the heaviest {len(shown)} (--all lists them all)"
    return [f"{head}:", *(f"    {', '.join(row)}" for row in rows)]
