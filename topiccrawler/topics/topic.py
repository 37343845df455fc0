"""Defines what a topic is, and checks it when it is read; a wrong topic file is reported in one line.

`Topic` is checked once, down to the last weight, and frozen: people write topic files by hand, and every part of the crawler relies on
them.

`own_id`, `joined_words` and `display_name` name the topics made of a user's words: an id for programs and files, the words for people.

`token_weights` converts the keywords of a topic to the form that the segmenter gives.
"""

from __future__ import annotations

import hashlib
import logging
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from topiccrawler.entry_points import named
from topiccrawler.errors import TopicError, shortened
from topiccrawler.resources import package_table, table
from topiccrawler.text.folding import spelled_out
from topiccrawler.text.segmenter import Segmenter, is_whole
from topiccrawler.text.stemmer import ENGLISH
from topiccrawler.urls.canonical import canonical

SEPARATOR, LATIN_SEPARATOR = "、", ", "
MOST_CHARACTERS = 60  # of a topic's `zh` that is made of words

_LATIN = re.compile("[a-z][a-z0-9]*")
_ID = re.compile(r"[a-z][a-z0-9-]*-[0-9a-f]{6}")


def own_id(words: Sequence[str]) -> str:
    """The id of a topic made of these words. Equal words give equal ids: a job resumes only with its own topic."""
    latin = "-".join(_LATIN.findall(" ".join(words).lower()))[:30].strip("-") or "keywords"
    return f"{latin}-{hashlib.sha256(chr(10).join(words).encode()).hexdigest()[:6]}"


def joined_words(words: Sequence[str]) -> str:
    """The words joined as the `zh` of their topic, cut to MOST_CHARACTERS."""
    separator = LATIN_SEPARATOR if all(map(str.isascii, words)) else SEPARATOR
    return separator.join(words)[:MOST_CHARACTERS]


def display_name(name: str, zh: str) -> str:
    """The name of a topic for people: its name, which they type; for a topic made of their words, the words.

    `name` may be the names of several topics, joined by + (topics.catalogue); so may `zh`.
    """
    if not zh or not any(_ID.fullmatch(part) for part in name.split("+")):
        return name
    if len(zh) < MOST_CHARACTERS or "+" in name:
        return zh
    separator = SEPARATOR if SEPARATOR in zh else LATIN_SEPARATOR
    return f"{zh.rpartition(separator)[0] or zh}…"  # the last word may have been cut


logger = logging.getLogger(__name__)


def _selector(value: str) -> str:
    """Return a CSS selector if the parser accepts it; else ValueError."""
    if value:
        try:
            LexborHTMLParser("<p>").css(value)
        except SelectolaxError as failure:
            raise ValueError("is no CSS selector") from failure
    return value


def _word(value: str) -> str:
    """Return a word with usual letters (text.folding); ValueError where nothing of it is seen."""
    if not (word := spelled_out(value).strip()):
        raise ValueError("has no character that is seen")
    return word


def _place(value: str) -> str:
    """A host or host/path prefix as canonical URLs have it, in lower case; ValueError where the host is none."""
    if value.isascii():
        return value
    url = canonical(f"http://{value}")
    if url is None:
        raise ValueError("is no host")
    found = url.removeprefix("http://").lower()
    return found if "/" in value else found.rstrip("/")


FORMATS = ("html", "text", "feed", "sitemap", "pdf", "docx", "xlsx", "pptx")


def _format(value: str) -> str:
    """Return the name of a format if there is a reader for it, also in another package; else ValueError."""
    if value not in FORMATS and value not in named("topiccrawler.formats"):
        raise ValueError("is no format that is read")
    return value


Breadth = Literal["broad", "normal", "specific"]
Word = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), AfterValidator(_word)
]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
Place = Annotated[
    str,
    StringConstraints(strip_whitespace=True, to_lower=True, pattern=r"^[^\s/:]+\.[^\s/:]+(:\d+)?(/\S*)?$"),
    AfterValidator(_place),
]
Address = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^-?https?://[^\s/]+\S*$")]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

Proxy = Annotated[str, StringConstraints(pattern=r"^(https?://[^\s/@]+/?|\$\w+)?$")]
Secret = Annotated[str, StringConstraints(pattern=r"^(\$\w+)?$")]
Format = Annotated[str, AfterValidator(_format)]
Selector = Annotated[str, StringConstraints(max_length=500), AfterValidator(_selector)]

PAGE_THRESHOLDS: Mapping[str, float] = {"broad": 0.10, "normal": 0.15, "specific": 0.22}
ALLOWED: Mapping[str, str] = package_table("topics/fields.toml")


PROPOSED_WORDS = 600  # number of words that a topic of a few words requests
SEGMENTED = frozenset({"keywords", "lexicon", "language"})  # fields that the segmenter depends on


class SiteRule(BaseModel):
    """How to fetch and read the pages of one site. Fields that are not set are handled as for any page."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    title: Selector = ""
    text: Selector = ""
    links: Selector = ""  # only the links in or below these elements are followed
    proxy: Proxy = ""  # for requests to the site; $NAME = the environment variable of that name
    user: Annotated[str, StringConstraints(max_length=200)] = ""  # for HTTP authentication
    password: Secret = ""  # $NAME only: a password is never written into a file
    formats: tuple[Format, ...] = ()  # formats that are read and stored: html, pdf …; empty = all
    since: date | None = None  # pages older than that day are not stored
    only: bool = False  # the crawl is restricted to the sites with this flag


class _SiteRules(BaseModel):
    """A file that holds only reading rules."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sites: dict[Place, SiteRule]


class Topic(BaseModel):
    """A topic: its words, its URL prefixes, and the thresholds for pages and links."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,59}$")]
    zh: Annotated[str, StringConstraints(max_length=60)] = ""
    also: list[Word] = []  # other names
    keywords: dict[Word, Weight] = Field(min_length=1, max_length=5_000)
    examples: list[Text] = []
    positive: list[Place] = []
    negative: list[Place] = []
    seeds: list[Address] = []
    # how many words to add when a crawl begins (topics.proposed_words)
    proposed_words: Annotated[int, Field(ge=0, le=2_000)] = 0
    given: list[Word] = []  # the keywords that the user typed; the others were proposed for them
    within: str = ""  # the topic of the catalogue that the words in `given` belong to
    # only the words in `given` classify pages, the others only guide to them; None = not decided (topics.meaning)
    narrow: bool | None = None
    against: dict[Word, Weight] = Field(default={}, max_length=5_000)  # words of pages that are off topic
    # narrow topics only: the reliability of a word in `given` or near one, 0..1; default 1 (relevance.evidence)
    trust: dict[Word, Share] = Field(default={}, max_length=5_000)
    # narrow topics only: further words near those in `given`, with their likeness
    near: dict[Word, Share] = Field(default={}, max_length=5_000)
    # narrow topics only: added to the log-odds of every page; below 0 = stricter
    intercept: Annotated[float, Field(ge=-10, le=10, allow_inf_nan=False)] = 0.0
    contrast: bool = False  # a page nearer to another topic of the catalogue is off topic (relevance.vsm)
    reasons: dict[Word, Reason] = {}  # why a word has its weight, if a program set the weight
    lexicon: list[Word] = []  # the dictionary for links; by default the keywords
    # language of Latin words, also in the pages: "und" = not English; None = decided by the words (topics.meaning), else English
    language: Literal["en", "und"] | None = None
    page_threshold: Share = PAGE_THRESHOLDS["normal"]  # when not set: by breadth
    link_threshold: Share | None = None  # None: the threshold of the link model
    breadth: Breadth = "normal"
    tunnel_probability: Share = 0.1  # that a link below the threshold is followed all the same
    tunnel_depth: Annotated[int, Field(ge=0, le=20)] = 2  # most such links in a row
    sites: dict[Place, SiteRule] = {}  # host or host/path prefix -> how to read its pages

    @property
    def display_name(self) -> str:
        """The name for people: the topic's name, or the words of a topic made of a user's words."""
        return display_name(self.name, self.zh)

    @property
    def full_name(self) -> str:
        """The display name, with the Chinese name in brackets if it has one of its own: `finance (财经)`."""
        shown = self.display_name
        return f"{shown} ({self.zh})" if self.zh and shown == self.name else shown

    @cached_property
    def segmenter(self) -> Segmenter:
        """The segmenter for texts that are read for this topic: keywords and lexicon stay whole. Not a field: not written, not compared."""
        return Segmenter([*self.keywords, *self.lexicon], self.language or ENGLISH)

    def cut_by(self, segmenter: Segmenter) -> Self:
        """A copy of the topic with this segmenter."""
        copied = self.model_copy()
        copied.__dict__["segmenter"] = segmenter
        return copied

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy of the topic. If the update changes a field of SEGMENTED, the copy gets a new segmenter."""
        copied = super().model_copy(update=update, deep=deep)
        if update and not SEGMENTED.isdisjoint(update):
            copied.__dict__.pop("segmenter", None)
        return copied

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, value: Any) -> Any:
        return cls.filled_in(value) if isinstance(value, dict) else value

    @staticmethod
    def filled_in(fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields with those that follow from others."""
        filled = dict(fields)
        words = filled.get("keywords")
        if not words and _is_texts(filled.get("examples")):
            from topiccrawler.topics.keywords import keywords_of_texts

            filled["keywords"] = words = keywords_of_texts(filled["examples"])
        if isinstance(words, list):
            filled["keywords"] = words = {word: 1.0 for word in words if isinstance(word, str)}
        if not filled.get("lexicon") and isinstance(words, dict):
            filled["lexicon"] = list(words)
        breadth = filled.get("breadth", "normal")
        if "page_threshold" not in filled and isinstance(breadth, str) and breadth in PAGE_THRESHOLDS:
            filled["page_threshold"] = PAGE_THRESHOLDS[breadth]
        return filled


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


def make_topic(fields: Mapping[str, object], what: str) -> Topic:
    """A checked topic with these fields; else TopicError. `what` names their source in the error (a file, an argument)."""
    try:
        return Topic.model_validate(fields)
    except ValidationError as failure:
        raise _topic_error(failure, what) from None


def topic_of_catalogue(toml: str) -> Topic:
    """A topic from one of our own files, whose fields are not checked again: that would take five times as long."""
    fields = table(toml)
    fields["keywords"] = dict(zip(fields["keywords"], map(float, fields["keywords"].values()), strict=True))
    return Topic.model_construct(**Topic.filled_in(fields))


def read_topic(toml: str, what: str) -> Topic:
    """A checked topic from a TOML text; else TopicError. `what` names the file in the error."""
    return make_topic(_fields(toml, what), what)


def read_site_rules(toml: str, what: str) -> dict[str, SiteRule]:
    """Checked reading rules from a TOML text that holds only those, written as in a topic file; else TopicError."""
    fields = _fields(toml, what)
    try:
        return _SiteRules.model_validate(fields).sites
    except ValidationError as failure:
        raise _topic_error(failure, what, "a file of reading rules") from None


def _fields(toml: str, what: str) -> dict[str, Any]:
    try:
        return tomllib.loads(toml)
    except (ValueError, RecursionError) as failure:  # a number of thousands of digits is a ValueError
        raise TopicError(what, f"is not valid TOML: {failure}", "correct that place") from None


def _topic_error(failure: ValidationError, what: str, whole: str = "a topic") -> TopicError:
    first = failure.errors()[0]
    path = [str(part) for part in first["loc"] if part != "[key]"]
    field = path[0] if path else "topic"
    in_rule = field == "sites" and len(path) > 2
    place = ".".join(path[: 3 if in_rule else 2]) or "topic"
    if first["type"] == "missing":
        return TopicError(what, f"{place} is missing", ALLOWED.get(field, "add it"))
    if first["type"] == "extra_forbidden":
        if in_rule:
            return TopicError(what, f"{place} is no field of a reading rule", ALLOWED[field])
        fields = ", ".join(Topic.model_fields) if whole == "a topic" else "sites"
        return TopicError(what, f"{place} is no field of {whole}", f"the fields are {fields}")
    fault = f"{place} = {shortened(first['input'])}: {first['msg']}"
    return TopicError(what, fault, ALLOWED.get(field, "correct it"))


SHORTENED_WEIGHT = 0.5


def token_weights(keywords: Mapping[str, float], segmenter: Segmenter) -> tuple[dict[str, float], list[str]]:
    """Keywords as the segmenter gives them, with their weights; and the keywords that can never match.

    The pieces of a keyword that the segmenter cuts are joined, as are those of a phrase of Latin words. A keyword that loses single
    characters (vitamin c -> vitamin; Han words of the topic stay whole) is replaced by what remains, at half weight. If nothing remains,
    the keyword cannot match.
    """
    weights: dict[str, float] = {}
    unmatched: list[str] = []
    for (keyword, weight), tokens in zip(keywords.items(), segmenter.words_of(list(keywords)), strict=True):
        key = "".join(tokens)
        if not key:
            unmatched.append(keyword)
            continue
        kept = weight if is_whole(keyword, tokens) else weight * SHORTENED_WEIGHT
        weights[key] = max(kept, weights.get(key, 0.0))
    return weights, unmatched
