"""`scrapy topics show NAME|FILE|JOB|WORDS`: all that is known of a topic, or how a crawl would understand a few words."""

from __future__ import annotations

import argparse
import re
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
    from topiccrawler.topics.meaning import (
        as_understood,
        judging_words,
        leading_words,
        naming_words,
        nearest,
        reasons,
    )
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
        "names": naming_words(topic),
        "seeds": seeds,
        "unmatched": token_weights(topic.keywords, topic.segmenter)[1],
        "link_model": has_link_model(command, topic.name),
        "proposed": reasons(topic),
        "nearest": [[other, round(likeness, 4)] for other, likeness in nearest(topic)],
    }
    shown = {**more, "topic": topic, "most": None if opts.all else SHOWN}
    command.report(opts, topic.model_dump() | more, command.text("topic", shown))


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
