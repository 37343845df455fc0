"""Finds the title of a page, without the name of the site. Title readers are chosen by name (`TOPIC_TITLE_READER`).

<title> holds too much ("标题_频道_网站", or the other way round), and headings hold other things than the title. So they are compared.
Idea       1. A heading, or og:title, that is one or more whole parts of <title>, whatever their bars, blanks and quotation marks, is the
           title. 2. So is the first main heading that og:title repeats, or that has most of its words in <title>. 3. Else <title> is split
           at its strongest separators, and the first part that is not the name of the site is the title.
           The strength of separators: `_` (not inside a word); bars; dashes with blanks, » and their kind; `——` and `-`, only before the
           name of a site.
Reference  SkyReach (2003) §3.5: title from <title> and headings.
But        size, colour and centring of lines are not used: style sheets have removed them from the
           markup (pages.skyreach_title does use them: half as many gold titles, benchmarks/titles.py).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from topiccrawler.pages.document import BOUNDARY, LONGEST_TITLE, Document, Heading
from topiccrawler.pages.skyreach_title import skyreach_title

SHORTEST_HEADING = 4  # letters; shorter headings are labels
SHORTEST_PART = 6  # letters; a shorter first part belongs to the next one: 快讯|…
LONG_PART = 20  # letters; a part of <title> that says as much as a whole heading
MOST_HEADINGS = 30
LEAST_COVER = 0.4  # of a part, by a heading that ends at a blank inside it
LEAST_SHARED = 0.5  # of the words of a heading, in <title>

_SITE_WORD = (
    r"(?:网|網|网站|網站|站|频道|頻道|论坛|論壇|社区|社區|博客|門戶|门户|在线|在線|官网|官網|首页|首頁)"
)
_SITE_NAME = re.compile(
    rf"{_SITE_WORD}$|^(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|info|de|at|ch|fr|it|es|uk|cn|tw|hk|jp|eu|tv)$|\bblog$",
    re.IGNORECASE,
)
# Separators, the strongest first.
_SEPARATORS = (
    re.compile(r"\s*(?:(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9]))\s*"),
    re.compile(r"\s*[|｜]+\s*"),
    re.compile(r"\s+(?:[-–—]+(?!\s\d)|[·•»«›]|::)\s+"),
)
_WEAK = re.compile(r"\s*(?:--+|——+|-)\s*(?=[^-—]*$)")
_PART_END = re.compile(r"[_|｜]|\s[-–—]\s")
_EDGE = re.compile(r"[_|｜\-–—·•»«›:]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SPACE = re.compile(r"\s+")
_HEADLINE = re.compile(r'"headline"\s*:\s*"([^"\\]{1,300}(?:\\.[^"\\]{0,300}){0,20})"')
_NO_LETTER = re.compile(r"[\W_]+")
_WORD = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W\d_\u3400-\u9fff\u3040-\u30ff]+|\d+")


class _Letters(NamedTuple):
    """The letters and digits of a text in lower case, with the place of each in the text."""

    key: str
    places: list[int]


def title_of(document: Document) -> str:
    """The title of a page; "" when it has none."""
    full = document.title_tag[: 2 * LONGEST_TITLE]
    og_title = document.metas.get("og:title", "")
    if not full:
        return _clean(og_title or next(iter(document.headings), ""))
    site = _key(document.metas.get("og:site_name", ""))
    whole = _letters(full)
    found, best = "", (0, 0)
    for level, heading in _headings(document):
        span = _span(heading, full, whole, site)
        rank = (level <= 3, len(_key(heading)))
        if span is not None and (not found or rank > best):
            part = full[slice(*span)]
            found, best = (part if BOUNDARY in part else heading), rank
    if not found:
        main = [
            mark
            for mark in document.heading_marks[:MOST_HEADINGS]
            if mark.level <= 2 and len(_key(mark.text)) >= SHORTEST_HEADING and not _is_site(mark.text, site)
        ]
        og_key = _key(og_title)
        found = (
            next((mark.text for mark in main if _key(mark.text) == og_key), "")
            or _headline(document, full, site)
            or _main_heading(document, main, full, site)
        )
    if not found and len(_key(og_title)) < len(whole.key) and _span(og_title, full, whole, site):
        found = og_title
    return _clean(found or _first_part(full, site, document.text))


def _headings(document: Document) -> Iterator[tuple[int, str]]:
    """The headings with their levels, each with the pieces that a boundary divides it into."""
    for mark in document.heading_marks[:MOST_HEADINGS]:
        yield mark.level, mark.text
        pieces = document.text[mark.start : mark.start + len(mark.text) + 1].strip(BOUNDARY).split(BOUNDARY)
        if len(pieces) > 1:
            yield from ((mark.level, piece) for piece in pieces)


def _span(heading: str, full: str, whole: _Letters, site: str) -> tuple[int, int] | None:
    """Where <title> has a heading as whole parts; None where it has not, or where the heading is but the name of the site."""
    key = _key(heading)
    if len(key) < SHORTEST_HEADING or len(key) > LONGEST_TITLE:
        return None
    at = whole.key.find(key)
    if at < 0:
        return None
    if len(key) < len(whole.key) and (key in site or _SITE_NAME.search(heading.strip())):
        return None
    if site and key.endswith(site) and len(key) > len(site):
        return None
    start, end = whole.places[at], whole.places[at + len(key) - 1] + 1
    while end < len(full) and _is_sign(full[end]):
        end += 1
    while start and _is_sign(full[start - 1]):
        start -= 1
    before, behind = full[:start].rstrip(), full[end:].lstrip()
    if before and not _EDGE.match(before[-1]):
        return None
    is_edge = behind != "" and behind[0] != ":" and _EDGE.match(behind[0]) is not None
    if is_edge and full[end] in "-–—" and not _HAN.search(heading):
        return None  # a hyphen in a word
    if behind and not is_edge:
        rest = _PART_END.split(full[end:], maxsplit=1)[0]
        if not full[end].isspace() or len(key) < LEAST_COVER * (len(key) + len(_key(rest))):
            return None
    if before and not behind and (_SITE_NAME.search(heading) or len(_key(before)) > len(key)):
        return None  # the name of the site, behind the title
    return start, end


def _main_heading(document: Document, main: list[Heading], full: str, site: str) -> str:
    """The main heading that og:title or most words of <title> speak for; "" without one."""
    words = set(_WORD.findall(full.lower()))
    first = _first_part(full, site, document.text)
    for mark in main:
        own = _WORD.findall(mark.text.lower())
        if mark.level == 1 and len(own) > 2 and sum(map(words.__contains__, own)) >= LEAST_SHARED * len(own):
            key, part = _key(mark.text), _key(first)
            return first if part in key and len(part) >= min(len(key) / 2, LONG_PART) else mark.text
    return ""


def _headline(document: Document, full: str, site: str) -> str:
    """The headline in JSON-LD, if a part of <title> or a heading is the same; else ""."""
    match = _HEADLINE.search(document.source) if "ld+json" in document.source else None
    if match is None:
        return ""
    try:
        headline = html.unescape(json.loads(f'"{match[1]}"', strict=False))
    except ValueError:
        return ""
    key = _key(headline)
    if len(key) < SHORTEST_HEADING or key == site:
        return ""
    headings = {_key(mark.text) for mark in document.heading_marks[:MOST_HEADINGS]}
    return headline if key in headings or key in _key(full) else ""


def _first_part(full: str, site: str, shown: str) -> str:
    """The title in a <title> that no heading speaks for."""
    text = full
    for separator in _SEPARATORS:
        parts = [part for part in separator.split(text) if _key(part)]
        if parts and len(parts[0]) < len(text):
            named = [part for part in parts if not _is_site(part, site)] or parts
            text = named[0]
            if (
                len(_key(text)) < SHORTEST_PART
                and len(named) > 1
                and len(_key(named[1])) > 2 * len(_key(text))
            ):
                begin = full.find(text)
                text = full[begin : full.find(named[1], begin) + len(named[1])]
            break
    head, *tail = _WEAK.split(text, maxsplit=1)
    is_tail = (
        tail
        and head
        and (_is_site(tail[0], site) or (_HAN.search(head) and f"{BOUNDARY}{head}{BOUNDARY}" in shown))
    )
    return head if is_tail else text


def _is_site(part: str, site: str) -> bool:
    return _key(part) == site or _SITE_NAME.search(part.strip()) is not None


def _is_sign(sign: str) -> bool:
    """Whether a character belongs to the words beside it: a quotation mark, a full stop, %."""
    return not (sign.isalnum() or sign.isspace() or _EDGE.match(sign))


def _letters(text: str) -> _Letters:
    lower = text.lower()
    lower = lower if len(lower) == len(text) else text
    places = [place for place, sign in enumerate(lower) if sign.isalnum()]
    return _Letters("".join(map(lower.__getitem__, places)), places)


def _clean(text: str) -> str:
    return _SPACE.sub(" ", text).strip()[:LONGEST_TITLE]


def _key(text: str) -> str:
    return _NO_LETTER.sub("", text).lower()


TITLE_TAG, SKYREACH = "title_tag", "skyreach"


def _by_tag(_: str, document: Document) -> str:
    return title_of(document)


def _by_look(html: str, document: Document) -> str:
    """The title by SkyReach's reader; where no line is marked, the title by the <title> element."""
    return skyreach_title(html) or title_of(document)


TITLE_READERS: Mapping[str, Callable[[str, Document], str]] = {
    TITLE_TAG: _by_tag,
    SKYREACH: _by_look,
}
