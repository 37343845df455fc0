"""Finds the authors of a page.

Idea       the first voice that gives a name: persons in JSON-LD; elements marked as an author's; metas; 作者：… anywhere; a byline
           ("By …") in the opening; 记者; elements whose class names an author; the editor in charge (责任编辑). A URL, an address, a
           number, a template, or the name of the site or its publisher is no author.
Cost       some regular expressions over the text: 0.2 ms; it is called for kept pages only.
But        a publisher is known only by what the page declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from topiccrawler.pages.declarations import Declarations, metas_of
from topiccrawler.pages.document import Document
from topiccrawler.resources import package_table

MOST_AUTHORS = 10
LONGEST_NAME = 60  # characters
LONGEST_VOICE = 1_000  # characters, in which one voice names all authors
MOST_WORDS = 6  # of a name
OPENING_CHARACTERS = 600
BEFORE_HEADING = 200
MOST_DEPTH = 3  # of an author in JSON-LD: lists and references

_WORDS = package_table("pages/markup.toml")["author_words"]
_METAS: list[str] = _WORDS["metas"].split()
_NO_NAME = re.compile(
    rf"://|www\.|[@{{}}<>\[\]=%#…:]|^[\d\W_]*$|\d{{3}}|\.(?:com|net|org|cn|de|at|ch|html?)\b|\s\d+$|^(?:{_WORDS['nobody']})$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"^(?:(?:{_WORDS['labels']})(?:\s*[:：/|]\s*|\s+)|(?:{_WORDS['han_labels']})\s*[:：/|]?\s*)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    rf"\s*(?:[|•·–—]\s.*|\((?!.*\w+\)\w).*|\s(?:{_WORDS['tails']})\b.*|[,;:/]+)$", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"\s*[,;，、]\s+|[;，、]|\s+(?:and|und|et)\s+|(?<=[\u4e00-\u9fff])\s(?=[\u4e00-\u9fff])"
)
_HAN_NAME = r"[\u4e00-\u9fff·]{2,4}"
_HAN_BYLINE = re.compile(
    rf"(?<![\u4e00-\u9fff])(?:{_WORDS['han_labels']})\s*[:：／/丨|]\s*({_HAN_NAME}(?:[ 、,，\u3000]{_HAN_NAME}){{0,4}})(?![\u4e00-\u9fff]|\s?[:：])"
)
_HAN_LABEL_END = re.compile(r"[者文稿]\s?[:：／/丨|]")
LONGEST_LABEL, LONGEST_NAMES = 8, 60  # characters
_REPORTER = re.compile(
    rf"(?:记者|記者)\s?({_HAN_NAME}(?:[ 、\u3000]{_HAN_NAME}){{0,4}})(?=[|)）/／]|\s?(?:报道|報道|報導)|$)"
)
_EDITOR = re.compile(rf"(?:{_WORDS['editors']})\s*[:：]\s*({_HAN_NAME})(?![\u4e00-\u9fff])")
_LATIN_BYLINE = re.compile(
    rf"\|(?:{_WORDS['labels']})(?:\s*[:|]\s*|\s)+([^|]{{2,60}}(?:\|,\|[^|]{{2,60}})*)(?=\|)", re.IGNORECASE
)


def author_of(document: Document, declared: Declarations) -> str:
    """The authors of a page, joined by commas; "" when none is named."""
    return next(filter(None, _voices(document, declared)), "")


def _voices(document: Document, declared: Declarations) -> Iterator[str]:
    """What each voice names, the surest first; "" where it names nobody."""
    sites = {_key(document.metas.get("og:site_name", "")), *map(_key, _publishers(declared))} - {""}
    text = document.text
    start = next((mark.start for mark in document.heading_marks if mark.level == 1), 0)
    opening = text[max(0, start - BEFORE_HEADING) : start + OPENING_CHARACTERS]
    persons = _persons(declared)
    yield _names(persons, sites)
    yield _names(declared.authors, sites)
    yield _names(metas_of(document, _METAS), sites)
    yield _names(_byline(text), sites)
    yield _names(_found(_LATIN_BYLINE, opening), sites)
    if "记者" in text or "記者" in text:  # a hundredth of the pattern's time
        yield _names(_found(_REPORTER, text), sites)
    yield from (_names([written], sites) for written in declared.bylines)
    if "编" in text or "編" in text:
        yield _names(_found(_EDITOR, text), sites)
    yield _names(persons, set())  # a site that has the name of its author


def _byline(text: str) -> Iterator[str]:
    """The name behind the first label of an author in Chinese."""
    for end in _HAN_LABEL_END.finditer(text):  # found in a tenth of the time of the whole pattern
        first = max(0, end.start() - LONGEST_LABEL)
        if found := _HAN_BYLINE.search(text, first, end.end() + LONGEST_NAMES):
            yield found[1].replace("|", "")
            return


def _found(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    found = pattern.search(text)
    if found is not None:
        yield found[1].replace("|", "")


def _publishers(declared: Declarations) -> Iterator[str]:
    for one in declared.objects:
        publisher = one.get("publisher")
        if isinstance(publisher, dict):
            publisher = publisher.get("name") or declared.by_id.get(str(publisher.get("@id")), {}).get("name")
        if isinstance(publisher, str):
            yield publisher


def _persons(declared: Declarations) -> list[str]:
    """The names of the persons who are authors of the first JSON-LD object with such a person."""
    for one in declared.objects:
        names = list(_named(one.get("author") or one.get("creator"), declared, MOST_DEPTH))
        if names:
            return names
    return []


def _named(value: Any, declared: Declarations, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        yield from chain.from_iterable(_named(one, declared, depth - 1) for one in value[:MOST_AUTHORS])
    elif isinstance(value, dict) and depth:
        known = value if value.get("name") else declared.by_id.get(str(value.get("@id")), value)
        if "Organization" not in str(known.get("@type")):
            yield from _named(known.get("name"), declared, depth - 1)


def _names(written: Iterable[str], sites: set[str]) -> str:
    found: dict[str, str] = {}
    for one in written:
        for part in _BETWEEN.split(" ".join(one[:LONGEST_VOICE].split())):
            name = _TAIL.sub("", _LABEL.sub("", part)).strip(" -–—|,;:→")
            key = _key(name)
            if (
                key
                and key not in sites
                and len(name) <= LONGEST_NAME
                and len(name.split()) <= MOST_WORDS
                and not _NO_NAME.search(name)
            ):
                found.setdefault(key, name)
    return ", ".join(list(found.values())[:MOST_AUTHORS])


def _key(text: str) -> str:
    return "".join(text.split()).casefold()
