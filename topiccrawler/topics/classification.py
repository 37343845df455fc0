"""The Chinese Library Classification, levels 1 to 3, as a tree to browse; a class makes a topic.

Its 2 031 classes cover all that is written about, so that a user who has no words yet finds a beginning. Every class of the first and the
second level, and some below, has a text, whose words represent the class (SkyReach §3.2), and topics of the catalogue whose seeds fit it.
The others have the few words of their names. Further words are proposed for both (topics.proposed_words).
"""

from __future__ import annotations

import difflib
from collections.abc import Container
from dataclasses import dataclass
from functools import cache

from topiccrawler.errors import TopicError
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import folder, package_table
from topiccrawler.text.segmenter import words_of
from topiccrawler.topics.keywords import keywords_of_texts

PREFIX = "clc:"
FILE = "clc.tsv"
TEXTS = "clc_texts.tsv"
OF_CHILDREN = 0.5  # weight of words from the names of the classes directly below
LONGEST_WHOLE = 4  # characters; a longer part of a name seldom occurs as a whole, but its words do

_GENERIC = package_table("topics/clc_words.toml")
GENERIC, FORMS, _OF_TEXTS = (frozenset(_GENERIC[of].split()) for of in ("classes", "forms", "texts"))
OF_FORMS = "Z"  # the main class whose subject is forms of publication
_ITS = "(?:其(?![他它]))?"
_PARTS = lazy_pattern(
    rf"[、，,；;：:。·（）()\[\]〔〕{{}}《》“”/~\-\d]|(?<![普埃])及{_ITS}|(?<!共)和{_ITS}(?!国|平)|与{_ITS}(?!会)"
)


@dataclass(frozen=True, slots=True)
class Class:
    """One class: its code (F83), name, level 1 to 3, and the code of the class above it ("" at the top)."""

    code: str
    name: str
    level: int
    parent: str


def classes() -> tuple[Class, ...]:
    """All classes, each after the class above it."""
    return tuple(_by_code().values())


def children(code: str = "") -> list[Class]:
    """The classes directly below the class with this code; without a code the main classes. TopicError for an unknown code."""
    above = class_of(code).code if code else ""
    return [one for one in classes() if one.parent == above]


def class_of(code: str) -> Class:
    """The class with this code, in upper or lower case; TopicError when there is none."""
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
    """The class with this code, or all classes with the text in their name; first those of whose name the text is a whole part."""
    wanted = text.strip()
    if not wanted:
        return []
    if found := _by_code().get(wanted.upper()):
        return [found]
    held = [one for one in classes() if wanted in one.name]
    return sorted(held, key=lambda one: (wanted not in _PARTS.split(one.name), one.level))


def keywords_of(code: str) -> dict[str, float]:
    """The keywords of a class with their weights, 0..1.

    Words of its name have weight 1, words of the names directly below OF_CHILDREN times that, words of its text a weight by tf·idf.
    A long part of a name counts as a whole, and its words at half weight. A class whose name consists of general words (theory, research)
    has the words of the class above it too. Forms of publication (yearbooks, series) are general words but below OF_FORMS.
    """
    own = class_of(code)
    general = GENERIC if own.code.startswith(OF_FORMS) else GENERIC | FORMS
    is_general = own.parent and all(part in general for part in _parts(own.name))
    found = _words(class_of(own.parent).name if is_general else own.name, general)
    for child in children(own.code):
        for word, weight in _words(child.name, general).items():
            found[word] = max(found.get(word, 0.0), weight * OF_CHILDREN)
    if (text := class_texts().get(own.code)) is not None:
        for word, weight in keywords_of_texts([text.text]).items():
            if word not in general and word not in _OF_TEXTS:
                found[word] = max(found.get(word, 0.0), weight)
    return found


def seeds_of_class(code: str) -> list[str]:
    """Names of the catalogue's topics whose seeds fit a class: those listed with its text, else with that of the class above it."""
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
    """The class texts by code. Classes without a text are missing."""
    rows = (
        line.split("\t")
        for line in folder("topics").joinpath(TEXTS).read_text(encoding="utf-8").splitlines()[1:]
    )
    return {code: ClassText(text, seeds_of.split(",") if seeds_of else []) for code, seeds_of, text in rows}


def _parts(name: str) -> list[str]:
    return [part for part in map(str.strip, _PARTS.split(name)) if part]


def _words(name: str, general: Container[str]) -> dict[str, float]:
    parts = [part for part in _parts(name) if len(part) > 1 and part not in general]
    found = dict.fromkeys(parts, 1.0)
    long = [part for part in parts if len(part) > LONGEST_WHOLE]
    for words in words_of(long):
        for word in words:
            if len(word) > 1 and word not in general:
                found.setdefault(word, 0.5)
    return found


@cache
def _by_code() -> dict[str, Class]:
    lines = folder("topics").joinpath(FILE).read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines[1:])
    return {code.upper(): Class(code, name, int(level), parent) for code, name, level, parent in rows}
