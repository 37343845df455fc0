"""Checks the values and names of settings before they are used, and reports a wrong one in one line with its name.

For settings of this package the type of the default in topiccrawler.settings says what is expected: a switch, a whole number, or a number;
none may be negative. Exceptions, and the settings of Scrapy that a crawl reads, are in a table.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any, Protocol

from topiccrawler import settings as ours
from topiccrawler.errors import ArgumentError, shortened
from topiccrawler.pages.title import TITLE_READERS
from topiccrawler.text.engines import CHOICES

logger = logging.getLogger(__name__)


class Settings(Protocol):
    """The method of Scrapy's settings that is used here."""

    def get(self, name: Any, default: Any = None) -> Any: ...


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number from `least` to `most`."""

    least: float = 0.0
    most: float = inf
    whole: bool = False

    def __str__(self) -> str:
        """In words: "a number of 0.5 or more", "a whole number of 1 or more", "a whole number from 0 to 64"."""
        kind = "a whole number" if self.whole else "a number"
        bounds = [f"of {self.least:g} or more"] if self.least > -inf else []
        return " ".join([kind, *([f"from {self.least:g} to {self.most:g}"] if self.most < inf else bounds)])

    def accepts(self, value: object) -> bool:
        """Whether the value is such a number, or a text of one."""
        try:
            number = float(value if isinstance(value, int | float) else str(value))
            if self.whole and not isinstance(value, float):
                int(value if isinstance(value, int) else str(value))  # Scrapy reads no "1e3"
        except ValueError:
            return False
        return isfinite(number) and self.least <= number <= self.most and not (self.whole and number % 1)


@dataclass(frozen=True, slots=True)
class Switch:
    """True or False, in Scrapy's spellings."""

    def __str__(self) -> str:
        return "True or False"

    def accepts(self, value: object) -> bool:
        """Whether the value is a switch, or a text of one."""
        return str(value) in {"True", "true", "1", "False", "false", "0"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several words."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"

    def accepts(self, value: object) -> bool:
        """Whether the value is one of the words."""
        return value in self.words


Expected = Number | Switch | Choice
_COUNT, _ONE_OR_MORE, _AMOUNT = Number(whole=True), Number(1, whole=True), Number()
_NAMED: dict[str, Expected] = {
    **dict.fromkeys(
        ("FRONTIER_CHECKPOINT_PAGES", "TOPIC_LISTINGS_AFTER", "FRONTIER_URL_TRIES", "FRONTIER_HOST_FAILURES"),
        _ONE_OR_MORE,
    ),
    "TOPIC_DUPLICATES": Choice(("alias", "drop", "keep")),
    "TOPIC_SEGMENTER": Choice(CHOICES),
    "TOPIC_TITLE_READER": Choice(tuple(TITLE_READERS)),
    "TOPIC_PROPOSED_WORDS": Number(most=2000, whole=True),
    "TOPIC_CONTROL_PORT": Number(most=65_535, whole=True),
    **dict.fromkeys(
        ("FRONTIER_IDLE_SHARE", "TOPIC_LINK_THRESHOLD", "TOPIC_REVISIT_SHARE"),
        Number(most=1),
    ),
    "WARC_OUT_MAX_BYTES": _ONE_OR_MORE,
    "TOPIC_SEED": Number(-inf, whole=True),
    **dict.fromkeys(("CONCURRENT_ITEMS", "CONCURRENT_REQUESTS_PER_DOMAIN"), _ONE_OR_MORE),
    "CONCURRENT_REQUESTS": _COUNT,  # 0 = no limit
    **dict.fromkeys(("CLOSESPIDER_ERRORCOUNT", "CLOSESPIDER_ITEMCOUNT", "CLOSESPIDER_PAGECOUNT"), _COUNT),
    **dict.fromkeys(("DEPTH_LIMIT", "DOWNLOAD_MAXSIZE", "REDIRECT_MAX_TIMES", "RETRY_TIMES"), _COUNT),
    **dict.fromkeys(("AUTOTHROTTLE_MAX_DELAY", "AUTOTHROTTLE_START_DELAY"), _AMOUNT),
    **dict.fromkeys(("CLOSESPIDER_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT"), _AMOUNT),
    **dict.fromkeys(("AUTOTHROTTLE_ENABLED", "COOKIES_ENABLED", "ROBOTSTXT_OBEY"), Switch()),
}


def _of_ours() -> Mapping[str, Expected]:
    kinds: dict[type, Expected] = {bool: Switch(), int: _COUNT, float: _AMOUNT}
    mine = {name: value for name, value in vars(ours).items() if name.startswith(("TOPIC_", "FRONTIER_"))}
    return {name: kinds[type(value)] for name, value in mine.items() if type(value) in kinds}


EXPECTED: Mapping[str, Expected] = {**_of_ours(), **_NAMED}
"""The expected kind of value of each setting, by name."""


def check_settings(settings: Settings) -> None:
    """Raise ArgumentError for the first setting with a wrong value; settings without a value are skipped."""
    for name, expected in EXPECTED.items():
        value = settings.get(name)
        if value is not None and not expected.accepts(value):
            default = getattr(ours, name, None)
            example = "" if default is None else f"; the project's is {default}"
            raise ArgumentError(
                f"setting {name}", f"is {shortened(value)}", f"it must be {expected}{example}"
            )


_OURS = re.compile("(?:TOPIC|FRONTIER)_[A-Z_]+")
_NEAR = 0.8  # similarity from which a name counts as misspelt (difflib)
_FROM_COMMAND_LINE = 40  # Scrapy's priority of `-s`


def check_names(settings: Any) -> None:
    """Raise ArgumentError for an unknown name with a prefix of this package, if it resembles a known one or is from the command line.

    Other unknown names, which a project may use for itself, cause a warning.
    """
    known = {*vars(ours), *EXPECTED}
    for name in settings:
        if not isinstance(name, str) or name in known or not _OURS.fullmatch(name):
            continue
        near = get_close_matches(name, known, 1, _NEAR)
        if near or settings.getpriority(name) >= _FROM_COMMAND_LINE:
            remedy = f"did you mean {near[0]}?" if near else "docs/settings.md lists them"
            raise ArgumentError(f"setting {name}", "is not known", remedy)
        logger.warning("setting %s: is not known, changes nothing; docs/settings.md lists them", name)
