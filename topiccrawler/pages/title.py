"""Finds the title of a page, without the name of the site. Title readers are chosen by name (`TOPIC_TITLE_READER`).

<title> holds too much ("标题_频道_网站", or the other way round). It is split at its separators, and the part that a heading
or og:title repeats is the title; without such a part, the first one. The name of the site, or a short later part (a channel's
logo), does not count as a repeat.
Reference  SkyReach (2003) §3.5: title from <title> and headings.
But        size, colour and centring of lines are not used: style sheets have removed them from the
           markup (pages.skyreach_title does use them: half as many gold titles, benchmarks/titles.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from topiccrawler.pages.document import LONGEST_TITLE, Document
from topiccrawler.pages.skyreach_title import skyreach_title

SHORTEST_VOICE = 4  # characters; shorter headings are labels
_SITE_WORD = r"(?:网|网站|站|频道|论坛|社区|博客|门户|在线|官网|首页)"
_SEPARATOR = re.compile(
    rf"\s+[-–—]+\s+|\s*[_|｜]+\s*|\s+[·•»«]\s+|\s*(?:--+|——+)\s*|-(?=[^-]*{_SITE_WORD}\s*$)"
)
_SITE_NAME = re.compile(rf"{_SITE_WORD}$")
_SPACE = re.compile(r"\s+")


def title_of(document: Document) -> str:
    """The title of a page; "" when it has none."""
    full = document.title_tag
    og_title = document.metas.get("og:title", "")
    if not full:
        return _clean(og_title or next(iter(document.headings), ""))
    parts = [part for part in map(_clean, _SEPARATOR.split(full)) if part] or [_clean(full)]
    site = _key(document.metas.get("og:site_name", ""))
    whole, first = _key(full), _key(parts[0])
    for voice in (*_main_headings(document), og_title):
        key = _key(voice)
        if not SHORTEST_VOICE <= len(key) <= LONGEST_TITLE or key not in whole:
            continue
        if len(parts) > 1 and (key == site or _SITE_NAME.search(key)):
            continue
        if first in key or key in first or len(key) > len(first):
            return _clean(voice)
    return parts[0]


def _main_headings(document: Document) -> list[str]:
    return [heading.text for heading in document.heading_marks if heading.level <= 2]


def _clean(text: str) -> str:
    return _SPACE.sub(" ", text).strip()[:LONGEST_TITLE]


def _key(text: str) -> str:
    return _SPACE.sub("", text).lower()


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
