"""Renders the templates of HTML pages and of the text that commands print.

Templates are package data; in a scrapyd egg they are in a zip file. All values in HTML are escaped, because they come from the web.
Characters without a glyph, and those that change the writing direction, are written as escapes (text.printable). Only http and https
URLs become links.
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from topiccrawler.text.printable import one_line
from topiccrawler.urls.readable import readable

_NO_REASONS: Mapping[str, str] = {}
MOST_CHARACTERS = 300  # of one displayed text
_WEB = re.compile(r"https?://[!#-;=?-~]+")  # without " < >, which no canonical URL has


def environment() -> Environment:
    """The Jinja environment; templates are named by their path in the package: `results/templates/report.html`. Only HTML is escaped."""
    made = Environment(
        autoescape=select_autoescape(("html",)),
        loader=PackageLoader("topiccrawler", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    own = (shown, address, is_web, moment, cell, readable, titled, weighed)
    made.filters |= {one.__name__: one for one in own} | {"quoted": shlex.quote}
    return made


_shared = cache(environment)


def filled_in(template: str, /, **values: Any) -> str:
    """The text of a template rendered with these values."""
    return _shared().get_template(template).render(values)


def as_text(template: str, values: Mapping[str, Any]) -> str:
    """The text of a plain-text template, as it is printed: without the final line end."""
    return filled_in(template, **values).rstrip("\n")


def titled(text: str, most: int = 100) -> str:
    """A title on one line of at most `most` characters, or a placeholder for an empty title."""
    return one_line(text, most) or "(no title)"


def weighed(
    words: Iterable[tuple[str, float]], why: Mapping[str, str] = _NO_REASONS, other: str = ""
) -> list[str]:
    """Each word as text with its weight and the reason for it. `other`: the reason for words that `why` lacks."""
    texts = ((f"{word} {weight:g}", why.get(word, other)) for word, weight in words)
    return [f"{text} ({reason})" if reason else text for text, reason in texts]


def shown(text: object, most: int = MOST_CHARACTERS) -> str:
    """An untrusted text on one line of at most `most` characters, with control characters escaped."""
    return one_line(str(text), most)


def address(url: str) -> str:
    """A URL in readable form, on one line."""
    return shown(readable(url))


def is_web(url: str) -> bool:
    """Whether a URL may become a link: it is http or https, and all visible ASCII, as canonical URLs are."""
    return _WEB.fullmatch(url) is not None


def moment(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """Seconds since the epoch as local time, by default to the minute; empty for 0 and for values that are not times."""
    try:
        return time.strftime(form, time.localtime(seconds)) if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""


def cell(value: object) -> str:
    """A value as text for a cell of a table; a dash for None."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
