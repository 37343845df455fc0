"""HTML files that stand alone, made of templates that are package data: in a scrapyd egg they lie in a zip.

All that is filled in is escaped, because it comes out of the web. What has no shape of its own, or turns the direction of writing, is
shown as an escape (text.printable); only http and https addresses become links.
"""

from __future__ import annotations

import re
import time

from jinja2 import Environment, FunctionLoader, StrictUndefined

from topiccrawler.resources import folder
from topiccrawler.text.printable import one_line
from topiccrawler.urls.readable import readable

MOST_CHARACTERS = 300  # of one text
_WEB = re.compile(r"https?://[!#-;=?-~]+")  # without " < >, which no canonical URL has


def environment() -> Environment:
    """Templates by their place in the package: `results/templates/report.html`."""
    made = Environment(
        autoescape=True,
        loader=FunctionLoader(_template),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"shown": shown, "address": address, "is_web": is_web, "moment": moment, "cell": cell}
    return made


def shown(text: object, most: int = MOST_CHARACTERS) -> str:
    """A stranger's text on one line, at most so long, without what steers."""
    return one_line(str(text), most)


def address(url: str) -> str:
    """A URL for a person to read."""
    return shown(readable(url))


def is_web(url: str) -> bool:
    """Whether it may become a link: http or https, and all of it visible ASCII, as canonical URLs are."""
    return _WEB.fullmatch(url) is not None


def moment(seconds: float) -> str:
    """Day and minute, local time; empty for none, and for what a damaged file gives for one."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds)) if seconds else ""
    except (OverflowError, ValueError, OSError):
        return ""


def cell(value: object) -> str:
    """A value in a table of figures."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _template(name: str) -> str:
    room, _, file = name.rpartition("/")
    return folder(room).joinpath(file).read_text(encoding="utf-8")
