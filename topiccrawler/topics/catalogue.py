"""Finds a topic by one of its names, by a class of the library classification, or by the path of a user's TOML file.

The catalogue may lie inside a zip (a scrapyd egg), a user's file lies on disk. So catalogue files are read through
`resources.folder`, user files through `Path`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from topiccrawler.errors import TopicError
from topiccrawler.files import read_text
from topiccrawler.topics.clc import PREFIX, topic_of_class
from topiccrawler.topics.names import Named, by_name, named
from topiccrawler.topics.topic import Topic, make_topic, read_site_rules, read_topic

MAX_TOPIC_BYTES = 5_000_000
RULES = "a TOML file of reading rules"

_COMMAS = re.compile("[,，、;；\n]+")
_BLANKS = re.compile(r"(?<![a-zA-Z0-9])\s+|\s+(?![a-zA-Z0-9])")  # not those between Latin words


def load_topic(name_or_path: str) -> Topic:
    """The topic of that English, Chinese or other name, of that class (`clc:F83`), or of that TOML file."""
    wanted = name_or_path.strip()
    if found := by_name().get(wanted.lower()):
        return _read(found)
    if wanted.lower().startswith(PREFIX):
        return topic_of_class(wanted[len(PREFIX) :])
    if wanted.endswith(".toml") or "/" in wanted or "\\" in wanted:
        path = Path(wanted).expanduser()
        return read_topic(_text_of(path, "give a topic name or the path of a TOML file"), str(path))
    raise _unknown(wanted)


def is_catalogued(name: str) -> bool:
    """It is a name of a topic of the catalogue."""
    return name.strip().lower() in by_name()


def with_site_rules(topic: Topic, file: str | Path | None) -> Topic:
    """The topic with the reading rules of a job's file added; where both name a site, the file's rule is used."""
    if not file:
        return topic
    path = Path(file).expanduser()
    rules = read_site_rules(_text_of(path, f"give the path of {RULES}"), str(path))
    return topic.model_copy(update={"sites": {**topic.sites, **rules}})


def topic_names() -> list[tuple[str, str]]:
    """English and Chinese name of every topic of the catalogue, by English name."""
    return [(one.name, one.zh) for one in named()]


def topic_from_keywords(keywords: str | Sequence[str], name: str = "keywords") -> Topic:
    """A topic of words alone: `基金,定投:0.5` (`:` before a weight, 1 when there is none), written as `split_keywords` reads them."""
    parts = split_keywords(keywords) if isinstance(keywords, str) else list(keywords)
    weighted: dict[str, object] = {}
    for part in filter(None, parts):
        word, _, weight = part.replace("：", ":").partition(":")
        try:
            weighted[word] = float(weight) if weight else 1.0
        except ValueError:
            fault = f"{weight!r} is no number"
            raise TopicError(f"keywords {part!r}", fault, "write word or word:weight") from None
    return make_topic({"name": name, "keywords": weighted}, "keywords")


def split_keywords(text: str) -> list[str]:
    """Keywords with commas or blanks between them; blanks between Latin words do not separate: `electric car, 电池 充电桩`."""
    return [word for part in _COMMAS.split(text) for word in _BLANKS.split(part.strip()) if word]


@cache
def _read(found: Named) -> Topic:
    return read_topic(found.file.read_text(encoding="utf-8"), found.file.name)


def _text_of(path: Path, remedy: str) -> str:
    """A user's TOML file as text."""
    return read_text(path, MAX_TOPIC_BYTES, TopicError, str(path), remedy)


def _unknown(wanted: str) -> TopicError:
    near = difflib.get_close_matches(wanted.lower(), by_name(), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    shown = " ".join(name for name, _ in topic_names())
    remedy = (
        f"{hint}topics are {shown} (scrapy topics list), or give {PREFIX}CODE or the path of a .toml file"
    )
    return TopicError(f"topic {wanted!r}", "is not in the catalogue", remedy)
