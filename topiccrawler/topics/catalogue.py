"""Finds a topic by one of its names, by a class of the library classification, or by the path of a user's TOML file.

The catalogue may lie inside a zip (a scrapyd egg), a user's file lies on disk. So catalogue files are read through
`resources.folder`, user files through `Path`.

Which file of the catalogue holds the topic of a name.

Reading every topic to find one costs 10 ms a file. The names stand in the first lines of a file, up to the first blank
one, and only these lines are parsed here.

The Chinese Library Classification, levels 1 to 3, as a tree to browse; a class makes a topic.

Its 2 031 classes cover all that is written about, so that a user who has no words yet finds a beginning. The main classes and the best known
below them have a text each, whose words speak for the class (SkyReach §3.2), and topics of the catalogue whose seeds fit it; the others have the
few words of their names. Further words are proposed for both (topics.meaning).

Several topics in one crawl: `-a topic=finance,travel`.

The crawl has one queue and one strategy, so it has one topic of them all, whose words, seeds and reading rules are theirs together; which of them a
page is about, its page classifier says (relevance.choose).
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from topiccrawler.errors import SeedsError, TopicError
from topiccrawler.files import folder, is_file, package_table, read_text, user_path
from topiccrawler.text.segmenter import words_of
from topiccrawler.topics.keywords import keywords_of_texts
from topiccrawler.topics.seeds import CLASS_NAME, seeds_of_topic
from topiccrawler.topics.topic import PROPOSED_WORDS, Topic, make_topic, read_site_rules, read_topic

FOLDER = "topics/catalogue"


@dataclass(frozen=True, slots=True)
class Named:
    """A topic's file and what the topic is called."""

    file: Traversable
    name: str
    zh: str
    also: tuple[str, ...]


@cache
def named() -> tuple[Named, ...]:
    """Every topic of the catalogue, by English name."""
    files = (file for file in folder(FOLDER).iterdir() if file.name.endswith(".toml"))
    return tuple(sorted(map(_named, files), key=lambda one: one.name))


@cache
def by_name() -> dict[str, Named]:
    """The topics by each of their names, in lower case."""
    return {name.lower(): one for one in named() for name in (one.name, one.zh, *one.also)}


def _named(file: Traversable) -> Named:
    head = tomllib.loads(file.read_text(encoding="utf-8").partition("\n\n")[0])
    return Named(file, head["name"], head["zh"], tuple(head.get("also", ())))


PREFIX = "clc:"
FILE = "clc.tsv"
TEXTS = "clc_texts.tsv"
OF_CHILDREN = 0.5  # weight of words from the names of a class's children
LONGEST_WHOLE = 4  # characters; longer parts of a name seldom occur as they are, their words do

_GENERIC = package_table("topics/clc_words.toml")
GENERIC, _OF_TEXTS = (frozenset(_GENERIC[of].split()) for of in ("classes", "texts"))
_PARTS = re.compile(
    r"[、，,；;：:。·（）()\[\]〔〕{}《》“”/~\-\d]|(?<![普埃])及其?|(?<!共)和其?(?!国|平)|与其?(?!会)"
)


@dataclass(frozen=True, slots=True)
class Class:
    """One class: its code (F83), its name, its level 1 to 3, the code of the class above it ("" at the top)."""

    code: str
    name: str
    level: int
    parent: str


def classes() -> tuple[Class, ...]:
    """Every class, each after the one above it."""
    return tuple(_by_code().values())


def children(code: str = "") -> list[Class]:
    """The classes directly below the class of that code; without a code those at the top."""
    above = class_of(code).code if code else ""
    return [one for one in classes() if one.parent == above]


def class_of(code: str) -> Class:
    """The class of that code, in letters of either case; TopicError when there is none."""
    wanted = code.strip().upper()
    if found := _by_code().get(wanted) or _by_code().get(f"[{wanted}]"):
        return found
    longest = next((wanted[:end] for end in range(len(wanted), 0, -1) if wanted[:end] in _by_code()), "")
    like = [one for one in difflib.get_close_matches(wanted, _by_code(), n=3, cutoff=0.5) if one != longest]
    near = [longest, *(one for one in like if one[0] == longest[0])] if longest else like
    shown = ", ".join(f"{one} ({_by_code()[one].name})" for one in near)
    hint = f"near it are {shown}; " if near else ""
    remedy = f"{hint}scrapy topics list --clc CODE shows what lies below a class"
    raise TopicError(f"class {code.strip()!r}", "is not in the Chinese Library Classification", remedy)


def find(text: str) -> list[Class]:
    """The class of that code, or those with the text in their name, those named so alone first."""
    wanted = text.strip()
    if not wanted:
        return []
    if found := _by_code().get(wanted.upper()):
        return [found]
    held = [one for one in classes() if wanted in one.name]
    return sorted(held, key=lambda one: (wanted not in _PARTS.split(one.name), one.level))


def keywords_of(code: str) -> dict[str, float]:
    """The words of a class's name with weight 1, those of its children's names with OF_CHILDREN, those of its text with 0 to 1, as rare as they are.

    A long part of a name counts whole, and its words count half. A class that is named by general words alone (general works,
    yearbooks) and has no text has the words of the class above it.
    """
    own = class_of(code)
    found = _words(own.name)
    for child in children(own.code):
        for word, weight in _words(child.name).items():
            found[word] = max(found.get(word, 0.0), weight * OF_CHILDREN)
    if (text := class_texts().get(own.code)) is not None:
        for word, weight in keywords_of_texts([text.text]).items():
            if word not in GENERIC and word not in _OF_TEXTS:
                found[word] = max(found.get(word, 0.0), weight)
    if not found and own.parent and all(part in GENERIC for part in _parts(own.name)):
        return _words(class_of(own.parent).name)
    return found


def topic_of_class(code: str) -> Topic:
    """A topic made of a class's words, named after its code: clc-f83. A main class makes a broad one."""
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


def seeds_of_class(code: str) -> list[str]:
    """The topics of the catalogue whose seeds are proposed for a class: those named with its text, else with that of the class above it."""
    own = class_of(code)
    if (text := class_texts().get(own.code)) is not None:
        return text.seeds_of
    return seeds_of_class(own.parent) if own.parent else []


@dataclass(frozen=True, slots=True)
class ClassText:
    """A text about a class, and the topics of the catalogue whose seeds fit it."""

    text: str
    seeds_of: list[str]


@cache
def class_texts() -> dict[str, ClassText]:
    """By code; of a class without a text there is none."""
    rows = (
        line.split("\t")
        for line in folder("topics").joinpath(TEXTS).read_text(encoding="utf-8").splitlines()[1:]
    )
    return {code: ClassText(text, seeds_of.split(",") if seeds_of else []) for code, seeds_of, text in rows}


def _parts(name: str) -> list[str]:
    return [part for part in map(str.strip, _PARTS.split(name)) if part]


def _words(name: str) -> dict[str, float]:
    parts = [part for part in _parts(name) if len(part) > 1 and part not in GENERIC]
    found = dict.fromkeys(parts, 1.0)
    long = [part for part in parts if len(part) > LONGEST_WHOLE]
    for words in words_of(long):
        for word in words:
            if len(word) > 1 and word not in GENERIC:
                found.setdefault(word, 0.5)
    return found


@cache
def _by_code() -> dict[str, Class]:
    lines = folder("topics").joinpath(FILE).read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:])
    return {code.upper(): Class(code, name, int(level), parent) for code, name, level, parent in rows}


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
        path = user_path(wanted)
        return read_topic(_text_of(path, "give a topic name or the path of a TOML file"), str(path))
    raise _unknown(wanted)


def is_catalogued(name: str) -> bool:
    """It is a name of a topic of the catalogue."""
    return name.strip().lower() in by_name()


def with_site_rules(topic: Topic, file: str | Path | None) -> Topic:
    """The topic with the reading rules of a job's file added; where both name a site, the file's rule is used."""
    if not file:
        return topic
    path = user_path(file)
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


_COMMA = re.compile("[,，]")
JOIN = "+"


def parts_of(text: str) -> list[str]:
    """The names, or paths of topic files, in what a user wrote; a path may hold a comma."""
    parts = [part.strip() for part in _COMMA.split(text)]
    if len(parts) == 1 or is_file(user_path(text.strip())):
        return [text]
    return list(dict.fromkeys(filter(None, parts)))


def load_topics(text: str) -> list[Topic]:
    """The topics of `finance,travel`; TopicError for one that is unknown or named twice."""
    topics = [load_topic(part) for part in parts_of(text)]
    names = [topic.name for topic in topics]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TopicError(f"topic {text}", f"names {twice} twice", "name each topic once")
    return topics


def united(topics: Sequence[Topic]) -> Topic:
    """One topic of them all; a single one is itself."""
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
            "narrow": None,  # each by itself
            "proposed_words": 0,  # each has its own
            "against": {},
            "contrast": False,
            "reasons": {word: why for topic in topics for word, why in topic.reasons.items()},
            "lexicon": _joined(topics, "lexicon"),
            "language": first.language if len({topic.language for topic in topics}) == 1 else None,
            "page_threshold": min(topic.page_threshold for topic in topics),
            "link_threshold": None if None in thresholds else min(filter(None, thresholds), default=0.0),
            "tunnel_probability": max(topic.tunnel_probability for topic in topics),
            "tunnel_depth": max(topic.tunnel_depth for topic in topics),
            "sites": {place: rule for topic in reversed(topics) for place, rule in topic.sites.items()},
        }
    )


def _joined(topics: Sequence[Topic], field: str) -> list[str]:
    return list(dict.fromkeys(text for topic in topics for text in getattr(topic, field)))


def _seeds(topics: Sequence[Topic]) -> list[str]:
    """Those of each by turns, as far as it has any."""
    found: dict[str, None] = {}
    for topic in topics:
        try:
            found.update(dict.fromkeys(seeds_of_topic(topic).positive))
        except SeedsError:
            continue  # the crawl says it when there are none at all
    return list(found)
