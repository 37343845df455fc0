"""Loads topics: of the catalogue by one of their names, of a library class, or from a user's TOML file; and unites several.

`load_topic` reads catalogue files through `resources.folder`, user files through `Path`: the catalogue may be inside a zip (a scrapyd
egg), a user's file is on disk.

`named` lists the topics of the catalogue. Reading every topic to find one costs 10 ms a file. The names are in the first lines of a file,
up to the first blank one, and only these lines are parsed.

`united` makes one topic of several (`-a topic=finance,travel`). The crawl has one queue and one strategy, so it has one topic, with the
words, seeds and reading rules of all. The page classifier decides which of them a page is about (relevance.choose).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from topiccrawler.errors import SeedsError, TopicError
from topiccrawler.files import is_file, read_text, user_path
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import folder, table
from topiccrawler.text.segmenter import GRAMMAR, fold
from topiccrawler.topics.classification import PREFIX, class_of, class_texts, keywords_of, seeds_of_class
from topiccrawler.topics.seeds import CLASS_NAME, seeds_of_topic
from topiccrawler.topics.topic import (
    PROPOSED_WORDS,
    SiteRule,
    Topic,
    make_topic,
    read_site_rules,
    read_topic,
    topic_of_catalogue,
)

FOLDER = "topics/catalogue"


@dataclass(frozen=True, slots=True)
class Named:
    """The file of a topic of the catalogue, and the names of the topic."""

    file: Traversable
    name: str
    zh: str
    also: tuple[str, ...]


@cache
def named() -> tuple[Named, ...]:
    """All topics of the catalogue, in order of their English names."""
    files = (file for file in folder(FOLDER).iterdir() if file.name.endswith(".toml"))
    return tuple(sorted(map(_named, files), key=lambda one: one.name))


@cache
def by_name() -> dict[str, Named]:
    """The topics of the catalogue by each of their names, in lower case."""
    return {name.lower(): one for one in named() for name in (one.name, one.zh, *one.also)}


def _named(file: Traversable) -> Named:
    head = table(file.read_text(encoding="utf-8").partition("\n\n")[0])
    return Named(file, head["name"], head["zh"], tuple(head.get("also", ())))


MAX_TOPIC_BYTES = 5_000_000
RULES = "a TOML file of reading rules"

_COMMAS = re.compile("[,，、;；\n]+")
_LATIN = "a-zA-Z0-9À-ɏ\u1e00-\u1eff"
_BLANKS = lazy_pattern(rf"(?<![{_LATIN}])\s+|\s+(?![{_LATIN}])")  # not those between Latin words


def load_topic(name_or_path: str) -> Topic:
    """The topic with this English, Chinese or other name, of this class (`clc:F83`), or in this TOML file; TopicError for none."""
    wanted = name_or_path.strip()
    if found := by_name().get(wanted.lower()):
        return _read(found)
    if wanted.lower().startswith(PREFIX):
        return topic_of_class(wanted[len(PREFIX) :])
    if wanted.endswith(".toml") or "/" in wanted or "\\" in wanted:
        path = user_path(wanted)
        return read_topic(_text_of(path, "give a topic name or the path of a TOML file"), str(path))
    raise _unknown(wanted)


def topic_of_class(code: str) -> Topic:
    """A topic made of the words of a library class, named after its code: clc-f83. A main class makes a broad topic."""
    own = class_of(code)
    keywords = keywords_of(own.code)
    if not keywords:
        fault = f"has no word of two characters that tells ({own.name})"
        raise TopicError(f"class {own.code}", fault, "take the class above it, or one below it")
    slug = re.sub(r"[^a-z0-9]+", "-", own.code.lower()).strip("-")
    text = class_texts().get(own.code)
    fields = {
        "name": f"{CLASS_NAME}{slug}",
        "zh": own.name[:60],
        "keywords": keywords,
        "examples": [] if text is None else [text.text],
        "seeds": _seeds([load_topic(name) for name in seeds_of_class(own.code)]),
        "breadth": "normal" if own.parent else "broad",
        "proposed_words": PROPOSED_WORDS,
    }
    return make_topic(fields, f"class {own.code}")


def is_catalogued(name: str) -> bool:
    """Whether this is one of the names of a topic of the catalogue."""
    return name.strip().lower() in by_name()


def with_site_rules(topic: Topic, file: str | Path | None) -> Topic:
    """The topic with the reading rules of a file added, if there is a file. Where both have a rule for a site, the file's is used."""
    return topic.model_copy(update={"sites": {**topic.sites, **site_rules_of(file)}}) if file else topic


def site_rules_of(file: str | Path | None) -> dict[str, SiteRule]:
    """The reading rules of a file by site; none without a file."""
    if not file:
        return {}
    path = user_path(file)
    return read_site_rules(_text_of(path, f"give the path of {RULES}"), str(path))


def topic_names() -> list[tuple[str, str]]:
    """English and Chinese name of each topic of the catalogue, in order of the English names."""
    return [(one.name, one.zh) for one in named()]


def topic_from_keywords(keywords: str | Sequence[str], name: str = "keywords") -> Topic:
    """A topic of these keywords: `基金,定投:0.5` (a weight follows `:`, the default is 1); a string is split by `split_keywords`."""
    parts = split_keywords(keywords) if isinstance(keywords, str) else list(keywords)
    weighted: dict[str, object] = {}
    if parts and not any(map(_tells, parts)):
        fault = "all texts have these words, whatever they are about"
        raise TopicError(
            f"keywords {', '.join(parts)}", fault, "give words that only pages about the topic have"
        )
    for part in filter(None, parts):
        word, _, weight = part.replace("：", ":").partition(":")
        try:
            weighted[word] = float(weight) if weight else 1.0
        except ValueError:
            fault = f"{weight!r} is no number"
            raise TopicError(f"keywords {part!r}", fault, "write word or word:weight") from None
    return make_topic({"name": name, "keywords": weighted}, "keywords")


def _tells(part: str) -> bool:
    """Whether a keyword, with its weight, is more than function words; with a capital it is a name, as IT or The Who."""
    word = re.split("[:：]", part)[0].strip()
    return word != word.lower() or not all(piece in GRAMMAR for piece in fold(word).split())


def split_keywords(text: str) -> list[str]:
    """The keywords of a string, separated by commas or blanks. Blanks between Latin words do not separate: `electric car, 电池 充电桩`."""
    return [word for part in _COMMAS.split(text) for word in _BLANKS.split(part.strip()) if word]


@cache
def _read(found: Named) -> Topic:
    return topic_of_catalogue(found.file.read_text(encoding="utf-8"))


def _text_of(path: Path, remedy: str) -> str:
    """The text of a user's TOML file; TopicError, with this remedy, when it cannot be read."""
    return read_text(path, MAX_TOPIC_BYTES, TopicError, str(path), remedy)


_NEAR = 0.8  # similarity from which a name counts as misspelt (difflib)


def _unknown(wanted: str) -> TopicError:
    near = difflib.get_close_matches(wanted.lower(), by_name(), n=1, cutoff=_NEAR)
    hint = f"did you mean {near[0]}? " if near else ""
    shown = " ".join(name for name, _ in topic_names())
    remedy = (
        f"{hint}topics are {shown} (scrapy topics list), or give {PREFIX}CODE or the path of a .toml file, "
        "or words of your own: -a keywords=WORD,WORD"
    )
    return TopicError(f"topic {wanted!r}", "is not in the catalogue", remedy)


_COMMA = re.compile("[,，]")
JOIN = "+"


def parts_of(text: str) -> list[str]:
    """The topic names, or paths of topic files, in a user's argument. A path of an existing file may contain a comma."""
    parts = [part.strip() for part in _COMMA.split(text)]
    if len(parts) == 1 or is_file(user_path(text.strip())):
        return [text]
    return list(dict.fromkeys(filter(None, parts)))


def load_topics(text: str) -> list[Topic]:
    """The topics of an argument such as `finance,travel`; TopicError for one that is unknown or named twice."""
    topics = [load_topic(part) for part in parts_of(text)]
    names = [topic.name for topic in topics]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TopicError(f"topic {text}", f"names {twice} twice", "name each topic once")
    return topics


def united(topics: Sequence[Topic]) -> Topic:
    """One topic that unites these topics; a single topic is returned as it is."""
    first, *others = topics
    if not others:
        return first
    keywords: dict[str, float] = {}
    for topic in topics:
        heaviest = max(topic.keywords.values())
        for word, weight in topic.keywords.items():
            keywords[word] = max(keywords.get(word, 0.0), weight / heaviest)
    thresholds = [topic.link_threshold for topic in topics]
    return first.model_copy(
        update={
            "name": JOIN.join(topic.name for topic in topics),
            "zh": JOIN.join(topic.zh or topic.name for topic in topics),
            "also": [],
            "keywords": keywords,
            "examples": [text for topic in topics for text in topic.examples],
            "positive": _joined(topics, "positive"),
            "negative": [],  # what is off topic for one may be the other's
            "seeds": _seeds(topics),
            "given": _joined(topics, "given"),
            "within": "",
            "narrow": None,  # decided for each topic by itself
            "proposed_words": 0,  # requested by each topic for itself
            "against": {},
            "contrast": False,
            "reasons": {word: why for topic in topics for word, why in topic.reasons.items()},
            "lexicon": _joined(topics, "lexicon"),
            "language": first.language if len({topic.language for topic in topics}) == 1 else None,
            "page_threshold": min(topic.page_threshold for topic in topics),
            "link_threshold": None
            if None in thresholds
            else min(one for one in thresholds if one is not None),
            "tunnel_probability": max(topic.tunnel_probability for topic in topics),
            "tunnel_depth": max(topic.tunnel_depth for topic in topics),
            "sites": {place: rule for topic in reversed(topics) for place, rule in topic.sites.items()},
        }
    )


def _joined(topics: Sequence[Topic], field: str) -> list[str]:
    return list(dict.fromkeys(text for topic in topics for text in getattr(topic, field)))


def _seeds(topics: Sequence[Topic]) -> list[str]:
    """The positive seeds of all topics, in order of the topics, each once. Topics without seeds are skipped."""
    found: dict[str, None] = {}
    for topic in topics:
        try:
            found.update(dict.fromkeys(seeds_of_topic(topic).positive))
        except SeedsError:
            continue  # the crawl reports it when no topic has seeds
    return list(found)
