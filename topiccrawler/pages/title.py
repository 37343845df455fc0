"""Finds the title of a page, without the name of the site. Title readers are chosen by name (`TOPIC_TITLE_READER`).

<title> holds too much ("标题_频道_网站", or the other way round), and headings hold other things than the title. So they are compared.
Idea       1. A heading, or og:title, that is one or more whole parts of <title>, whatever their bars, blanks and quotation marks, is the
           title. 2. So is the first main heading that og:title repeats, or that has most of its words in <title>. 3. Else <title> is split
           at its strongest separators, and the first part that is not the name of the site is the title.
           The strength of separators: `_` (not inside a word); bars; dashes with blanks, » and their kind; `——` and `-`, only before the
           name of a site.
Reference  SkyReach (2003) §3.5: title from <title> and headings.
But        size, colour and centring of lines are not used: style sheets have removed them from the
           markup (pages.skyreach_title does use them: half as many gold titles).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from topiccrawler.pages.document import BOUNDARY, LONGEST_TITLE, Document
from topiccrawler.pages.skyreach_title import skyreach_title
from topiccrawler.patterns import lazy_pattern
from topiccrawler.text.characters import has_han

SHORTEST_HEADING = 4  # letters; shorter headings are labels
SHORTEST_PART = 6  # letters; a shorter first part belongs to the next one: 快讯|…
LONG_PART = 20  # letters; a part of <title> that says as much as a whole heading
MOST_HEADINGS = 40
LEAST_COVER = 0.4  # of a part, by a heading that ends at a blank inside it
LEAST_SHARED = 0.5  # of the words of a heading, in <title>

_SITE_WORD = (
    r"(?:网|網|网站|網站|站|频道|頻道|论坛|論壇|社区|社區|博客|門戶|门户|在线|在線|官网|官網|首页|首頁)"
)
_SITE_NAME = lazy_pattern(
    rf"{_SITE_WORD}$|^(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|info|de|at|ch|fr|it|es|uk|cn|tw|hk|jp|eu|tv)$|\bblog$",
    re.IGNORECASE,
)
# Separators, the strongest first.
_SEPARATORS = (
    lazy_pattern(r"\s*(?:(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9]))\s*"),
    lazy_pattern(r"\s*[|｜]+\s*"),
    lazy_pattern(r"\s+(?:[-–—]+(?!\s\d)|[·•»«›]|::)\s+"),
)
_WEAK = lazy_pattern(r"\s*(?:--+|——+|-)\s*(?=[^-—]*$)")
_PART_END = lazy_pattern(r"[_|｜]|\s[-–—]\s")
_EDGE = lazy_pattern(r"[_|｜\-–—·•»«›:]")
_SPACE = re.compile(r"\s+")
_HEADLINE = lazy_pattern(r'"headline"\s*:\s*"([^"\\]{1,300}(?:\\.[^"\\]{0,300}){0,20})"')
_NO_LETTER_OF_LINES = re.compile(r"(?:[^\w\n]|_)+")
_NO_LETTER = re.compile(r"[\W_]+")
_WORD = lazy_pattern(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W\d_\u3400-\u9fff\u3040-\u30ff]+|\d+")


class _Whole(NamedTuple):
    """A <title>: its text, its letters and digits in lower case, the place of each in the text, and the letters of the site's name."""

    text: str
    key: str
    places: list[int]
    site: str


def title_of(document: Document) -> str:
    """The title of a page; "" when it has none."""
    full = document.title_tag[: 2 * LONGEST_TITLE]
    og_title = document.metas.get("og:title", "")
    if not full:
        return _clean(og_title or next(iter(document.headings), ""))
    whole = _whole(full, document.metas.get("og:site_name", ""))
    found = _repeated(document, whole) or _like_title(document, og_title, whole)
    if not found and len(_key(og_title)) < len(whole.key) and _span(og_title, whole, 1):
        found = og_title
    return _clean(found or _first_part(whole, document.text))


def _repeated(document: Document, whole: _Whole) -> str:
    """The longest heading that is whole parts of <title>, h1 to h3 before others; "" without one. As it is in <title>, if it has a bar
    there."""
    headings = _headings(document)
    keys = _NO_LETTER_OF_LINES.sub("", "\n".join([text for _, text in headings])).lower().split("\n")
    found, best = "", (False, 0)
    for (level, heading), key in zip(headings, keys, strict=False):
        if len(key) >= SHORTEST_HEADING and key in whole.key:
            rank = (level <= 3, len(key))
            if (not found or rank > best) and (span := _span(heading, whole, level)) is not None:
                part = whole.text[slice(*span)]
                found, best = (part if BOUNDARY in part else heading), rank
    return found


def _headings(document: Document) -> list[tuple[int, str]]:
    """The headings with their levels, each with the pieces that boundaries divide it into."""
    text, found = document.text, []
    for heading, level, start in document.heading_marks[:MOST_HEADINGS]:
        found.append((level, heading))
        if text.find(BOUNDARY, start + 1, start + len(heading)) >= 0:
            line = text[start : start + len(heading) + 1].strip(BOUNDARY)
            found += [(level, piece) for piece in line.split(BOUNDARY)]
    return found


def _span(heading: str, whole: _Whole, level: int) -> tuple[int, int] | None:
    """Where <title> has a heading of this level as whole parts; None where it has not, or where the heading is but the name of the site."""
    key, site = _key(heading), whole.site
    at = whole.key.find(key)
    if at < 0 or not SHORTEST_HEADING <= len(key) <= LONGEST_TITLE:
        return None
    if len(key) < len(whole.key) and (key in site or _SITE_NAME.search(heading.strip())):
        return None
    full, start, end = whole.text, whole.places[at], whole.places[at + len(key) - 1] + 1
    while end < len(full) and _is_sign(full[end]):
        end += 1
    while start and _is_sign(full[start - 1]):
        start -= 1
    if site and key != site and key.endswith(site) and _PART_END.search(full, start, end):
        return None  # the title and the name of the site
    before, behind = full[:start].rstrip(), full[end:].lstrip()
    is_site = before != "" and behind == "" and len(_key(before)) > len(key)
    is_part = (not before or _EDGE.match(before[-1])) and (not behind or _is_end(full, end, heading, level))
    return (start, end) if is_part and not is_site else None


def _is_end(full: str, end: int, heading: str, level: int) -> bool:
    """Whether a part of <title> may end at this place: before a separator, or at a blank behind an h1 that is most of the part."""
    behind = full[end:].lstrip()
    if (behind[0] != ":" or full[end : end + 3] == " : ") and _EDGE.match(behind[0]):
        return full[end] not in "-–—" or has_han(heading)  # else it is a hyphen in a word
    rest = _PART_END.split(full[end:], maxsplit=1)[0]
    length = len(_key(heading))
    return level == 1 and full[end].isspace() and length >= LEAST_COVER * (length + len(_key(rest)))


def _like_title(document: Document, og_title: str, whole: _Whole) -> str:
    """A title beside <title>: the main heading that og:title repeats, the headline in JSON-LD, or the heading that has most of its words
    in <title>; "" without one."""
    main = [
        mark
        for mark in document.heading_marks[:MOST_HEADINGS]
        if mark.level <= 2
        and len(_key(mark.text)) >= SHORTEST_HEADING
        and not _is_site(mark.text, whole.site)
    ]
    og_key = _key(og_title)
    for mark in main:
        if _key(mark.text) == og_key:
            return mark.text
    if headline := _headline(document, whole):
        return headline
    words = set(_WORD.findall(whole.text.lower()))
    for mark in main:
        own = _WORD.findall(mark.text.lower())
        if mark.level == 1 and len(own) > 2 and sum(map(words.__contains__, own)) >= LEAST_SHARED * len(own):
            first = _first_part(whole, document.text)
            key, part = _key(mark.text), _key(first)
            return first if part in key and len(part) >= min(len(key) / 2, LONG_PART) else mark.text
    return ""


def _headline(document: Document, whole: _Whole) -> str:
    """The headline in JSON-LD, if a part of <title> or a heading is the same; else ""."""
    at = document.linked_data
    match = _HEADLINE.search(document.source, at) if at >= 0 else None
    if match is None:
        return ""
    try:
        headline = html.unescape(json.loads(f'"{match[1]}"', strict=False))
    except ValueError:
        return ""
    key = _key(headline)
    if len(key) < SHORTEST_HEADING or key == whole.site:
        return ""
    headings = {_key(mark.text) for mark in document.heading_marks[:MOST_HEADINGS]}
    return headline if key in headings or key in whole.key else ""


def _first_part(whole: _Whole, shown: str) -> str:
    """The title in a <title> that no heading speaks for. `shown`: the text of the page."""
    text = whole.text
    for separator in _SEPARATORS:
        parts = [part for part in separator.split(text) if _key(part)]
        if parts and len(parts[0]) < len(text):
            named = [part for part in parts if not _is_site(part, whole.site)] or parts
            text = named[0]
            if (
                len(_key(text)) < SHORTEST_PART
                and len(named) > 1
                and len(_key(named[1])) > 2 * len(_key(text))
            ):
                begin = whole.text.find(text)
                text = whole.text[begin : whole.text.find(named[1], begin) + len(named[1])]
            break
    head, *tail = _WEAK.split(text, maxsplit=1)
    if not head or not tail:
        return text
    is_shown = has_han(head) and f"{BOUNDARY}{head}{BOUNDARY}" in shown
    return head if is_shown or _is_site(tail[0], whole.site) else text


def _is_site(part: str, site: str) -> bool:
    return _key(part) == site or _SITE_NAME.search(part.strip()) is not None


def _is_sign(sign: str) -> bool:
    """Whether a character belongs to the words beside it: a quotation mark, a full stop, %."""
    return not (sign.isalnum() or sign.isspace() or _EDGE.match(sign))


def _whole(full: str, site: str) -> _Whole:
    lower = full.lower() if len(full.lower()) == len(full) else full
    places = [place for place, sign in enumerate(lower) if sign.isalnum()]
    return _Whole(full, "".join(map(lower.__getitem__, places)), places, _key(site))


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
