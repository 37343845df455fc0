"""Loads the texts of the dashboard's pages in Chinese and English, and chooses the language for a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from topiccrawler.errors import CrawlerError
from topiccrawler.messages import translated
from topiccrawler.resources import package_table

ENGLISH, CHINESE = "en", "zh"
LANGUAGES = {ENGLISH: "English", CHINESE: "中文"}  # each by its own name
TAGS = {ENGLISH: "en", CHINESE: "zh-Hans"}  # for the attribute lang
COOKIE = "topiccrawler_language"

_NUMBER, _NO_WORD = re.compile(r"\d+(?:\.\d+)?"), re.compile(r"\W+")


def key_of(said: str) -> str:
    """The key of what the program says, without its prefix."""
    return _NO_WORD.sub("_", said).strip("_").lower()


class Texts:
    """The texts of one language: `t("key", number=3)`."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language, self.tag, self._texts = language, TAGS[language], texts

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key, filled in with values. KeyError for an unknown key."""
        text = self._texts[key]
        return text.format(**values) if values else text

    def message(self, text: str) -> str:
        """A message of the command line (topiccrawler.messages) in this language."""
        return translated(text, "" if self.language == ENGLISH else self.language)

    def fault(self, field: str, error: CrawlerError) -> str:
        """What is wrong with a field of a form. In English it is the command's own message."""
        if self.language == ENGLISH:
            return str(error)
        what = _ARGUMENT.sub("", error.what)
        rows = [*_faults(self.language).get(field, ()), ("", "{what}：{fault}")]
        values = {"what": what, "fault": error.fault.removeprefix("is ")}
        near = _NEAR.search(error.remedy)
        hint = self("did_you_mean", name=near[1]) if near else ""
        told: Iterator[str] = (
            text.format(*found.groups(), **values)
            for pattern, text in rows
            if (found := re.search(pattern, error.fault))
        )
        return next(told) + hint

    def known(self, prefix: str, said: str) -> str:
        """The translation of a state, a reason or a wait of the program, with the number in it; of one with a
        detail (`no robots.txt: http 503`) its beginning; the original if there is no translation."""
        number = _NUMBER.search(said)
        key = key_of(_NUMBER.sub("n", said, count=1))
        found = self._texts.get(f"{prefix}_{key}")
        if found is not None:
            return found.format(n=number[0] if number else "")
        kind, colon, reason = said.partition(": ")  # failing: timeout
        return f"{self.known(prefix, kind)}{colon}{self.known('reason', reason)}" if colon else said


_ARGUMENT = re.compile(r"^(?:argument (?:-a )?|setting |topic |keywords |strategy parameter |job )")
_NEAR = re.compile(r"did you mean '?(\w+)")


@cache
def _faults(language: str) -> dict[str, list[tuple[str, str]]]:
    """By field of a form: a pattern of the fault, and its text, with the groups of the pattern, `{what}` (the input) and `{fault}`."""
    return package_table(f"dashboard/texts/faults_{language}.toml")


@cache
def texts_in(language: str) -> Texts:
    """The texts of a language."""
    return Texts(language, package_table(f"dashboard/texts/{language}.toml"))


def choose(cookie: str | None, accept: str) -> str:
    """The language of a browser: that of its cookie, else the preferred known one in Accept-Language, else English."""
    if cookie in LANGUAGES:
        return str(cookie)
    wanted: list[tuple[float, str]] = []
    for part in accept.split(","):
        tag, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            quality = 0.0
        wanted.append((-quality, tag.strip().lower().partition("-")[0]))
    return next((tag for quality, tag in sorted(wanted, key=lambda one: one[0]) if tag in LANGUAGES), ENGLISH)
