"""Fills in templates: pages in HTML, and what commands print.

Templates are package data: in a scrapyd egg they are in a zip. All that is filled in HTML is escaped, because it comes out of the web. What has no
shape of its own, or turns the direction of writing, becomes an escape (text.characters); only http and https addresses become links.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from topiccrawler.text.printable import one_line
from topiccrawler.urls.readable import readable

_NO_REASONS: Mapping[str, str] = {}
MOST_CHARACTERS = 300  # of one text
_WEB = re.compile(r"https?://[!#-;=?-~]+")  # without " < >, which no canonical URL has


def environment() -> Environment:
    """Templates by their place in the package: `results/templates/report.html`. Only HTML is escaped."""
    made = Environment(
        autoescape=select_autoescape(("html",)),
        loader=PackageLoader("topiccrawler", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    own = (shown, address, is_web, moment, cell, readable, titled, weighed)
    made.filters |= {one.__name__: one for one in own}
    return made


_shared = cache(environment)


def filled_in(template: str, /, **values: Any) -> str:
    """A template filled in."""
    return _shared().get_template(template).render(values)


def as_text(template: str, values: Mapping[str, Any]) -> str:
    """One of plain text, as it is printed: without the last line end."""
    return filled_in(template, **values).rstrip("\n")


def titled(text: str, most: int = 100) -> str:
    """A title on one line."""
    return one_line(text, most) or "(no title)"


def weighed(
    words: Iterable[tuple[str, float]], why: Mapping[str, str] = _NO_REASONS, other: str = ""
) -> list[str]:
    """Each word with its weight, and the reason for it; `other`: that of a word that has none."""
    said = ((f"{word} {weight:g}", why.get(word, other)) for word, weight in words)
    return [f"{text} ({reason})" if reason else text for text, reason in said]


def shown(text: object, most: int = MOST_CHARACTERS) -> str:
    """A stranger's text on one line, at most so long, without what steers."""
    return one_line(str(text), most)


def address(url: str) -> str:
    """A URL for a person to read."""
    return shown(readable(url))


def is_web(url: str) -> bool:
    """Whether it may become a link: http or https, and all of it visible ASCII, as canonical URLs are."""
    return _WEB.fullmatch(url) is not None


def moment(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """Local time, by default day and minute; empty for none, and for what a damaged file gives for one."""
    try:
        return time.strftime(form, time.localtime(seconds)) if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""


def cell(value: object) -> str:
    """A value in a table of figures."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
