"""Translates messages of the command line to the user's language: English, or Chinese where the locale is Chinese.

The conflict: messages are made from values at some hundred places, where the fault is known. Yet English must cost nothing, and programs
and tests read English. So a message is translated when it is printed: the finished text is matched against the templates of a catalogue
(locale/zh.toml), which is read in a Chinese locale only. A message without a template stays English. `{name}` in a template matches any
text, which is copied; `{word}`, `{least}` and `{most}` match a text without blanks; `{NAME}` matches a text that is translated as a message
itself.

Gettext's functions are not used: each of those places would call them with a template and values instead of making its text. Each error
would then carry both forms, because logs, JSON and callers of the Python API get English in the same run. A catalogue that is read as it is
needs no compiler when an egg or a wheel is built.

The locale is found as gettext does: the first of LC_ALL, LC_MESSAGES and LANG that is set. Unless that is C, LANGUAGE (a list) takes
precedence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from topiccrawler.errors import CrawlerError
from topiccrawler.resources import package_table

CHINESE = "zh"
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_HOLE = re.compile(r"\{(\w+)\}")
_OF_ONE_WORD = frozenset({"word", "least", "most"})  # placeholders of values without blanks
_DEEPEST = 6  # messages within messages


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


def translated(text: str) -> str:
    """The message in the user's language."""
    return _translated(text, language(os.environ))


def translated_error(error: CrawlerError) -> str:
    """The one-line message of an error in the user's language."""
    if not (to := language(os.environ)):
        return str(error)
    what, fault, remedy = (_translated(part, to) for part in (error.what, error.fault, error.remedy))
    return f"{what}：{fault}；{remedy}"


def _translated(text: str, to: str, depth: int = 0) -> str:
    if not to or depth > _DEEPEST:
        return text
    blanks = "" if depth else text[: len(text) - len(text.lstrip())]
    plain = " ".join(text.split())  # a help text may be wrapped in the code
    whole, templates = _catalogue(to)
    if plain in whole:
        return blanks + whole[plain]
    for pattern, translation in templates:
        if found := pattern.fullmatch(text.strip()):
            values = {
                name: _translated(value, to, depth + 1) if name.isupper() else value
                for name, value in found.groupdict().items()
            }
            return blanks + _HOLE.sub(lambda hole, values=values: values[hole[1]], translation)  # type: ignore[misc]
    return text


@lru_cache(maxsize=1)
def _catalogue(name: str) -> tuple[dict[str, str], list[tuple[re.Pattern[str], str]]]:
    """The catalogue of a language: texts without placeholders by English text, and (pattern, translation) of the templates in the order of
    the file."""
    pairs = dict(messages(name))
    whole = {text: translation for text, translation in pairs.items() if not _HOLE.search(text)}
    templates = [(pattern_of(text), translation) for text, translation in pairs.items() if text not in whole]
    return whole, templates


def messages(name: str) -> Iterator[tuple[str, str]]:
    """Yield the English texts of a catalogue with their translations."""
    for group in package_table(f"locale/{name}.toml").values():
        yield from group.items()


def pattern_of(template: str) -> re.Pattern[str]:
    """A regular expression that matches the messages made from a template; each placeholder is a named group."""
    parts = _HOLE.split(template)
    return re.compile(
        "".join(_hole(part) if place % 2 else re.escape(part) for place, part in enumerate(parts)), re.DOTALL
    )


def _hole(name: str) -> str:
    """The group that matches the values of a placeholder."""
    values = r"\S+" if name in _OF_ONE_WORD else ".*?"
    return f"(?P<{name}>{values})"
