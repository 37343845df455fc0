"""Texts of the command line in the user's language: English, or Chinese where the locale is Chinese.

Help and the summary of a crawl are translated. Errors, JSON and the other lines of the log are English, for programs and searches.

The key of a translation is the English text (locale/zh.toml), as with gettext, whose catalogues would have to be compiled when an egg or a
wheel is built. A text with values is a `Message`, whose key is its template. A text without a translation stays English.

The locale is found as gettext does: the first of LC_ALL, LC_MESSAGES and LANG that is set. Unless that is C, LANGUAGE (a list) takes
precedence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Self

from topiccrawler.resources import package_table

CHINESE = "zh"
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


class Message(str):
    """An English text that knows its template and the values in it, so that it can be translated. A value may be a Message too."""

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        made = super().__new__(cls, template.format_map(values))
        made.template, made.values = template, values
        return made


def language(environment: Mapping[str, str]) -> str:
    """The language of an environment's locale: `zh`, or an empty string for English."""
    locale = next(filter(None, map(environment.get, _VARIABLES)), None) or "C"
    if locale.partition(".")[0] in {"C", "POSIX"}:
        return ""
    for wanted in (environment.get("LANGUAGE") or locale).split(":"):
        name = re.split("[-_.@]", wanted)[0].lower()
        if name in {CHINESE, "en", "c"}:
            return CHINESE if name == CHINESE else ""
    return ""


def translated(text: str, to: str | None = None) -> str:
    """The text in the language `to` (as of `language`); None = the user's."""
    to = language(os.environ) if to is None else to
    return _in(to, text) if to else text


def _in(to: str, text: str) -> str:
    known = _catalogue(to)
    if isinstance(text, Message):
        values = {
            name: _in(to, value) if isinstance(value, Message) else value
            for name, value in text.values.items()
        }
        return known.get(text.template, text.template).format_map(values)
    return known.get(" ".join(text.split()), text)  # a help text may be wrapped in the code


@lru_cache(maxsize=1)
def _catalogue(name: str) -> dict[str, str]:
    return dict(messages(name))


def messages(name: str) -> Iterator[tuple[str, str]]:
    """Yield the English texts of a catalogue with their translations."""
    for group in package_table(f"locale/{name}.toml").values():
        yield from group.items()
