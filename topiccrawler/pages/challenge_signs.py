"""Recognises pages that are no pages: challenges of firewalls, login walls, and what a site answers for URLs that are not there.

The conflict: such pages come with status 200, and each product words them in its own way; but articles about captchas, contact forms with a
captcha, login pages and notices of redirects use the same words and scripts. So a page must be short, and several signs must agree:

    mark      a known product's name in tags or scripts, outside the visible text
    says      the wording of a known product in the text
    title     the whole title is one of a challenge (安全验证, Just a moment...)
    sentence  a sentence that addresses the visitor (请完成验证, verify you are human)
    talk      such sentences, and words that go with them, make up half of the text
    script    a script sets a cookie and loads the page again; a captcha; a form without fields; a refresh
    empty     there is hardly any text

The words are in challenge_signs.toml. One page alone never shows that a text is given for many URLs; crawling.challenges counts these.
Cost: .011 ms a page in the mean, since most pages are too long or hold none of the hints (benchmarks/challenges.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from topiccrawler.pages.document import BOUNDARY, Document
from topiccrawler.patterns import lazy_pattern
from topiccrawler.resources import package_table
from topiccrawler.text.segmenter import fold

CHALLENGE, LOGIN_WALL, SOFT_404 = "challenge", "login wall", "soft 404"  # kinds
UNKNOWN = "unknown product"  # name of a challenge that no known form matches

MOST_TEXT = 1_500  # bytes in UTF-8 of all text of a challenge: 500 Chinese characters, or 250 English words
MOST_LINKS = 12  # links of a challenge
MOST_MAIN = 250  # characters of the main text of a login wall or a soft 404; menus may stand around it
MOST_AROUND = 3_000  # characters of their whole text
BARE = 20  # characters; a shorter text does not speak against its title
EMPTY = 80  # characters; a shorter text says nothing
BRIEF = 150  # characters; a shorter text needs no script to be a challenge
TALK = 0.5  # share of the text that talks of the challenge
MOST_MARKUP, MOST_MARKUP_END = 40_000, 4_000  # characters at a page's begin and end, for marks


@dataclass(frozen=True, slots=True)
class Challenge:
    """A page that is no page. `name`: the product, for challenges. `signs`: what it was recognised by."""

    kind: str  # CHALLENGE, LOGIN_WALL or SOFT_404
    name: str = ""
    signs: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The reason for which its URL is discarded."""
        return f"{self.kind}: {self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True)
class Signs:
    """What a short page shows of a challenge.

    `found`: what the page is by itself; None = it is not decided. `text`: digest of title and text, without digits, for comparison with
    other pages of the host; 0 if there is nothing to compare.
    """

    found: Challenge | None
    text: int
    is_gone: bool = False  # it says that something is not there
    is_suspect: bool = False  # some signs of a challenge, but too few


class _Form(NamedTuple):
    name: str
    marks: tuple[re.Pattern[str], ...]
    says: re.Pattern[str] | None


@cache
def _table() -> Mapping[str, Any]:
    return package_table("pages/challenge_signs.toml")


@cache
def _forms() -> list[_Form]:
    """The known products."""
    return [
        _Form(one["name"], tuple(map(re.compile, one["marks"])), _any(one["says"]) if "says" in one else None)
        for one in _table()["forms"]
    ]


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """The expressions of a list, `SECTION.LIST`, as one."""
    section, _, key = name.partition(".")
    return _any(_table()[section][key])


def _has(name: str, text: str) -> bool:
    """Whether a text matches an expression of this list."""
    return _pattern(name).search(text) is not None


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    whole = "|".join(f"(?:{pattern})" for pattern in patterns)
    whole = whole.replace("……", r"[^|.!?;。]{0,40}?").replace("…", r"[^|.!?;。]{0,12}?")
    return re.compile(re.sub(r"(?<=\w) (?=[\w(])", r"\\s+", whole))


_TITLE_SEPARATOR = lazy_pattern(r"\s+[-–—|·:»]+\s+|[_|]|\s*--+\s*|-(?=[^-]*$)|: ")
_AROUND_TITLES = " \t\r\n!?.。…~"
_PIECE = lazy_pattern(r"[^|。.!?;\n]+")
_MARKUP = lazy_pattern(r"<script\b[^<>]*>.*?(?:</script|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
_SCRIPT = lazy_pattern(r"<script\b[^<>]*>.*?(?:</script|\Z)", re.DOTALL)
_NOSCRIPT = lazy_pattern(r"<noscript\b[^<>]*>([^<]*(?:<(?!/noscript)[^<]*)*)", re.IGNORECASE)
_TAG = lazy_pattern(r"<[^<>]*>")
_COOKIE = lazy_pattern(r"cookie['\"]?\]?\s*=[^=]|set_?cookie\s*\(|createcookie\s*\(|cookiestore\.set")
_RELOAD = lazy_pattern(
    r"location(?:\.href|\[['\"]href['\"]\])?\s*=\s*(?:window\.|document\.|self\.)?location|\.reload\s*\(|history\.go\(0\)"
    r"|location\.replace\((?:window\.|document\.)?location|location(?:\.href)?\s*=\s*(?:url|href|self|cururl|window\.name)\b"
)
_REFRESH = lazy_pattern(r"<meta\b(?=[^<>]*http-equiv=['\"]?refresh)[^<>]*content=['\"]?\s*\d+\s*['\"]?\s*/?>")
_REDIRECT = lazy_pattern(
    r"location(?:\.href)?\s*=\s*['\"`]([^'\"`]{1,400})|location\.(?:replace|assign)\(\s*['\"`]([^'\"`]{1,400})"
)
_HIDDEN_CODE = lazy_pattern(r"\beval\s*\(|_0x[0-9a-f]{4,}|fromcharcode|unescape\(|\batob\(")
_TEXT_FIELD = lazy_pattern(
    r"<textarea\b|<input\b(?![^<>]*type=['\"]?(?:hidden|submit|button|image|checkbox|radio|reset))[^<>]*>"
)
_PASSWORD = lazy_pattern(r"<input\b[^<>]*type=['\"]?password")
_DIGITS = lazy_pattern(r"[\d\s]+")
FEW_FIELDS = 1  # text fields of the form of a captcha: the code


def challenge_of(signs: Signs | None, headers: Iterable[tuple[str, str]] = ()) -> Challenge | None:
    """What a page is by itself and by the headers of its response (lower-case name, value); None = a page, or undecided."""
    if signs is None or signs.found is not None:
        return None if signs is None else signs.found
    given = dict(headers)
    for one in _table()["verdicts"]:
        if re.search(one["value"], given.get(one["header"], ""), re.IGNORECASE):
            return Challenge(CHALLENGE, one["form"], (one["header"],))
    return None


def verdict_headers() -> list[str]:
    """The names of the headers that `challenge_of` reads."""
    return [one["header"] for one in _table()["verdicts"]]


def signs_of(html: str, document: Document, title: str, main: str, url: str) -> Signs | None:
    """What a page shows of a challenge; None = nothing, or its text is too long.

    `html`: the page as text; `title`, `main`: its title and main text, as far as they were found.
    """
    length = len(document.text)
    is_small = (
        length <= MOST_TEXT and len(document.anchors) <= MOST_LINKS and _bytes(document.text) <= MOST_TEXT
    )
    if not is_small and not (0 < len(main) <= MOST_MAIN and length <= MOST_AROUND):
        return None
    words, login, gone = (_table()[section]["hints"] for section in ("words", "login", "gone"))
    seen = f"{document.title_tag}{BOUNDARY}{document.text if is_small else main}".lower()
    is_empty, is_short = is_small and length <= EMPTY, len(main or document.text) <= MOST_MAIN
    is_challenge = is_empty or (is_small and any(hint in seen for hint in words))
    is_login = is_empty or (is_short and any(hint in seen for hint in login))
    is_lost = is_short and any(hint in seen for hint in gone)
    if not is_challenge and not is_login and not is_lost:
        return None
    page = _Page(html, document, title, main, url, is_small=is_small)
    found = (page.challenge() if is_challenge else None) or (page.login_wall() if is_login else None)
    is_suspect = found is None and is_challenge and page.is_suspect()
    is_gone = found is None and is_lost and page.is_gone()
    return Signs(found, page.digest() if is_gone or is_suspect else 0, is_gone, is_suspect)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


class _Page:
    """A short page with one of the hints. `is_small`: all of the page is short, not only its main text."""

    def __init__(
        self, html: str, document: Document, title: str, main: str, url: str, *, is_small: bool
    ) -> None:
        self.url, self.document, self.is_small = url, document, is_small
        self.html = html if len(html) <= MOST_MARKUP else html[:MOST_MARKUP] + html[-MOST_MARKUP_END:]
        self.title = fold(document.title_tag or title).strip()
        self.text = fold(document.text)
        self.main = fold(main) if main else self.text
        # what a visitor without scripts reads is part of the text of a small page
        unscripted = [_TAG.sub(BOUNDARY, text) for text in _NOSCRIPT.findall(self.html)] if is_small else []
        self.said = f"{self.text}{fold(BOUNDARY.join(unscripted))}"
        self.all_said = f"{self.title}{BOUNDARY}{self.said}"

    @cached_property
    def markup(self) -> str:
        """All tags and scripts, in small letters."""
        return BOUNDARY.join(_MARKUP.findall(self.html)).lower()

    @cached_property
    def sentence(self) -> bool:
        """Whether the page addresses the visitor of a challenge."""
        return _has("words.sentences", self.all_said)

    @cached_property
    def is_of_a_text(self) -> bool:
        """Whether title or bylines are those of an article."""
        return _has("words.about", self.title) or _has("words.bylines", self.said)

    def digest(self) -> int:
        """A digest of title and text, without digits."""
        text = _DIGITS.sub("", f"{self.title}{BOUNDARY}{self.text}").encode("utf-8", "replace")
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")

    def is_gone(self) -> bool:
        """Whether the page says that something is not there."""
        return _has("gone.sentences", f"{self.title}{BOUNDARY}{self.main[:MOST_MAIN]}")

    def challenge(self) -> Challenge | None:
        """The challenge that the page is."""
        if self.is_of_a_text or self._has_fields:  # first: the other words take 30 ms to compile
            return None
        length = len(self.said) - self.said.count(BOUNDARY)
        is_empty, is_titled = len(self.text) <= EMPTY, self._is_titled("words.titles")
        if not (is_empty or is_titled or self.sentence):
            return None
        said = next((form.name for form in _forms() if form.says and form.says.search(self.all_said)), "")
        marked = next((form.name for form in _forms() if self._has_mark(form)), "")
        is_scripted = self._asks() or _HIDDEN_CODE.search(self.markup)
        seen = {
            "mark": marked,
            "says": said,
            "title": is_titled,
            "sentence": self.sentence,
            "script": is_scripted,
            "empty": is_empty,
        }
        signs = [name for name, is_seen in seen.items() if is_seen]
        has_links = bool(self.document.anchors)
        talks = (self.sentence or said != "") and self._talk() >= TALK
        is_challenge = (
            (marked and len(signs) > 1)
            or (said and is_titled)
            or (talks and (is_titled or self._asks()))
            or (talks and length <= BRIEF and len(self.document.anchors) <= 2 and self._title_agrees())
            or (is_empty and not has_links and (said or self._loads_again))
            or (is_titled and not has_links and not _has("words.waits", self.title) and self._is_bare())
        )
        name = marked or said or UNKNOWN
        return Challenge(CHALLENGE, name, (*signs, *(["talk"] if talks else []))) if is_challenge else None

    def _has_mark(self, form: _Form) -> bool:
        """Whether tags or scripts have a mark of a product that the visible text has not: an article may quote it."""
        for mark in form.marks:
            if (found := mark.search(self.markup)) is not None and found[0] not in self.text:
                return True
        return False

    def _is_titled(self, titles: str) -> bool:
        parts = (part.strip(_AROUND_TITLES) for part in (self.title, *_TITLE_SEPARATOR.split(self.title)))
        return any(part and _pattern(titles).fullmatch(part) for part in parts)

    def _title_agrees(self) -> bool:
        """Whether the title is no title of a text."""
        return not self.title or self._is_titled("words.titles") or self._is_titled("words.plain_titles")

    def _talk(self) -> float:
        """The share of the text, 0..1, in sentences that talk of the challenge."""
        pieces = [piece.strip() for piece in _PIECE.findall(self.said)]
        whole = sum(map(len, pieces))
        of_it = [piece for piece in pieces if _has("words.sentences", piece) or _has("words.terms", piece)]
        return sum(map(len, of_it)) / max(1, whole)

    def _asks(self) -> bool:
        """Whether the page loads another by itself, or asks for a captcha."""
        return (
            self._loads_again
            or bool(self.document.refresh)
            or _has("widgets.names", self.markup)
            or "<form" in self.markup
        )

    def _is_bare(self) -> bool:
        """Whether the page has nothing but its title, or little more and a captcha."""
        return len(self.text) <= BARE or (len(self.text) <= EMPTY and self._asks())

    @cached_property
    def _loads_again(self) -> bool:
        """Whether scripts set a cookie and load the page again."""
        scripts = BOUNDARY.join(_SCRIPT.findall(self.markup))
        loads = _RELOAD.search(scripts) is not None or _REFRESH.search(self.markup) is not None
        return loads and _COOKIE.search(scripts) is not None

    @cached_property
    def _has_password(self) -> bool:
        return _PASSWORD.search(self.markup) is not None

    @cached_property
    def _has_fields(self) -> bool:
        """Whether the page has more fields than that of a captcha."""
        return len(_TEXT_FIELD.findall(self.markup)) > FEW_FIELDS or self._has_password

    def is_suspect(self) -> bool:
        """Whether there are some signs of a challenge, which count if other URLs have the same text."""
        is_empty = len(self.said) <= EMPTY and not self.document.anchors and not self.document.refresh
        if self.is_of_a_text or self._has_fields or not (is_empty or self.sentence):
            return False
        is_hidden = _HIDDEN_CODE.search(self.markup) is not None or _COOKIE.search(self.markup) is not None
        return (is_empty and is_hidden) or (self.sentence and self._talk() >= TALK)

    def login_wall(self) -> Challenge | None:
        """The login wall that the page is."""
        main = self.main if 0 < len(self.main) <= MOST_MAIN or not self.is_small else self.text
        is_short = len(main) <= MOST_MAIN
        is_asked = is_short and _has("login.sentences", main)
        is_sent_back = _has("login.back", self.url.lower())
        if not (is_asked or is_sent_back or len(main) <= BRIEF) or self.is_of_a_text:
            return None
        leads = self._leads_to_login()
        is_titled = self._is_titled("login.titles") or _has("login.sentences", self.title)
        is_wall = (
            (is_asked and (is_titled or leads or self._has_password))
            or (is_asked and self.is_small and not self.title and len(main) <= BRIEF)
            or (leads and self.is_small and len(self.title) + len(main) <= BRIEF)
            or (is_sent_back and is_short and self._has_password and (is_titled or is_asked))
        )
        if not is_wall:
            return None
        signs = {"sentence": is_asked, "title": is_titled, "redirect": leads, "back": is_sent_back}
        return Challenge(LOGIN_WALL, "", tuple(name for name, is_seen in signs.items() if is_seen))

    def _leads_to_login(self) -> bool:
        """Whether a refresh or a script leads to a login page."""
        targets = [self.document.refresh.href] if self.document.refresh else []
        if self.is_small:
            targets += [one or two for one, two in _REDIRECT.findall(self.markup)]
        return any(_has("login.targets", target.lower()) for target in targets)
