"""The texts of the dashboard's pages in Chinese and English, and which of the two a browser gets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from topiccrawler.resources import folder

ENGLISH, CHINESE = "en", "zh"
LANGUAGES = {ENGLISH: "English", CHINESE: "中文"}  # each by its own name
TAGS = {ENGLISH: "en", CHINESE: "zh-Hans"}  # for the attribute lang
COOKIE = "topiccrawler_language"


class Texts:
    """Of one language: `t("key", number=3)`."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language, self.tag, self._texts = language, TAGS[language], texts

    def __call__(self, key: str, **values: object) -> str:
        """KeyError for a text that there is not."""
        text = self._texts[key]
        return text.format(**values) if values else text

    def known(self, prefix: str, word: str) -> str:
        """The text of a word of the program's own (a state, a reason); the word itself where there is none."""
        return self._texts.get(f"{prefix}_{word.replace(' ', '_').replace('-', '_')}", word)

    @property
    def names(self) -> frozenset[str]:
        """Of all texts."""
        return frozenset(self._texts)


@cache
def texts_in(language: str) -> Texts:
    """The texts of a language."""
    body = folder("dashboard/texts").joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return Texts(language, tomllib.loads(body))


def choose(cookie: str | None, accept: str) -> str:
    """The language of a browser: as its user has switched, else the first of ours in Accept-Language, else English."""
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
