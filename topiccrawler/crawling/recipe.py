"""Checks the arguments of a crawl and combines them with the settings to a recipe, as plain data.

`CrawlParams` is a typed model of the spider arguments: a wrong argument is reported in one line before the first request. Together with the
settings they become a `Recipe`. It is stored with the job (crawling.job_files) and sent to worker processes; crawling.assemble makes the
same parts from it each time.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from difflib import get_close_matches
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from topiccrawler.crawling.options import DEFAULT_OPINIONS
from topiccrawler.crawling.settings_check import check_settings
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.files import user_path
from topiccrawler.pages.languages import wanted_languages
from topiccrawler.pages.title import TITLE_TAG
from topiccrawler.relevance.base import EVIDENCE
from topiccrawler.resources import package_table
from topiccrawler.strategies.base import Expand
from topiccrawler.text.engines import AUTO, SETTING
from topiccrawler.text.segmenter import choose_engine
from topiccrawler.text.thesaurus import Thesaurus, load_thesaurus, shipped
from topiccrawler.topics.catalogue import split_keywords
from topiccrawler.topics.topic import Format
from topiccrawler.urls.canonical import canonical, host_of

logger = logging.getLogger(__name__)


def thesaurus_of(text: str | None) -> Thesaurus:
    """The thesaurus of TOPIC_THESAURUS: a file in Cilin format; None = the one in this package; "none" = only equal words are near."""
    if not text:
        return shipped()
    if text == "none":
        logger.info("No thesaurus: only equal words count as near")
        return Thesaurus()
    return load_thesaurus(user_path(text))


STRATEGY_PREFIX = "strategy_"
_TOPIC_REMEDY = "for example: -a topic=finance"
GENERAL_STRATEGIES = ("breadth_first", "random_order")  # of `scrapy crawl links`


class CrawlParams(BaseModel):
    """Arguments of `scrapy crawl topic`, each set by `-a name=value`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str = Field(default="", min_length=1)
    seeds: str | None = None
    strategy: str
    page_classifier: str | None = None
    job: str | None = Field(default=None, min_length=1)
    pages: int | None = Field(default=None, ge=1)
    targets: int | None = Field(default=None, ge=1)
    until: float | None = Field(default=None, gt=0, lt=1)
    objective: Literal["time", "fetches"] | None = None
    keywords: tuple[str, ...] = ()
    sites: str | None = None
    allowed_domains: tuple[str, ...] = ()
    formats: tuple[Format, ...] = ()
    since: date | None = None
    language: tuple[str, ...] = ()
    known: str | None = Field(default=None, min_length=1)
    revisit: bool = False
    about: str = Field(default="", max_length=1000)
    opinions: int = Field(default=DEFAULT_OPINIONS, ge=0)
    parameters: dict[str, str] = Field(default_factory=dict)

    @field_validator("allowed_domains", "formats", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value

    @field_validator("language", mode="before")
    @classmethod
    def _tags(cls, value: Any) -> Any:
        return wanted_languages(value, "argument -a language=") if isinstance(value, str) else value

    @field_validator("allowed_domains")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """The hosts in canonical form, to be compared with hosts of links; each may also be written as a URL."""
        return tuple(map(_host_named, value))

    @field_validator("keywords", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(split_keywords(value))
        return value


def _host_named(text: str) -> str:
    """The canonical host of a text. Raises ValueError if the text is no host, or more than a host."""
    name = text.removeprefix(".")
    url = canonical(name if "://" in name else f"http://{name}")
    if url is None or urlsplit(url).path != "/" or urlsplit(url).query:
        raise ValueError(f"{text!r} is no host or domain")
    return host_of(url).partition(":")[0] if url.count("[") == 0 else host_of(url)


class LinksParams(CrawlParams):
    """Arguments of `scrapy crawl links`."""

    topic: str = Field(min_length=1)
    strategy: str
    out: str | None = None
    context: Literal["window", "neighbour", "dom"] = "window"
    links_per_page: int = Field(default=50, ge=1)
    links_per_host: int = Field(default=1000, ge=1)
    links_per_site: int = Field(default=5000, ge=1)
    unlabelled: bool = False

    @field_validator("strategy")
    @classmethod
    def _general(cls, value: str) -> str:
        if value not in GENERAL_STRATEGIES:
            raise ValueError("a general crawl must not prefer the topic")
        return value


def described(model: type[CrawlParams]) -> dict[str, str]:
    """The description of each argument, by name."""
    texts = package_table("crawling/arguments.toml")
    return {**texts["topic"], **(texts["links"] if issubclass(model, LinksParams) else {})}


Params = TypeVar("Params", bound=CrawlParams)


def parse_arguments(arguments: Mapping[str, Any], *, topic: str | None, strategy: str) -> CrawlParams:
    """Check the `-a` arguments of a topic crawl. `topic` and `strategy`: values of the settings, for arguments that are not set.

    Raises an ArgumentError that names the argument, its fault and what is allowed.
    """
    return _parse(arguments, topic, strategy, CrawlParams)


def parse_links_arguments(
    arguments: Mapping[str, Any], *, topic: str | None, strategy: str = GENERAL_STRATEGIES[0]
) -> LinksParams:
    """Check the `-a` arguments of `scrapy crawl links`; see `parse_arguments`."""
    return _parse(arguments, topic, strategy, LinksParams)


def _parse(arguments: Mapping[str, Any], topic: str | None, strategy: str, model: type[Params]) -> Params:
    plain = {key: value for key, value in arguments.items() if not key.startswith(STRATEGY_PREFIX)}
    plain["parameters"] = {
        key.removeprefix(STRATEGY_PREFIX): str(value)
        for key, value in arguments.items()
        if key.startswith(STRATEGY_PREFIX)
    }
    plain.setdefault("strategy", strategy)
    if topic is not None:
        plain.setdefault("topic", topic)
    try:
        params = model.model_validate(plain)
    except ValidationError as error:
        raise _argument_error(error, model) from None
    if not params.topic and not params.keywords:
        raise ArgumentError("argument 'topic'", "is missing", _TOPIC_REMEDY)
    return params


def _argument_error(error: ValidationError, model: type[CrawlParams]) -> ArgumentError:
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    known = (
        ", ".join(field for field in model.model_fields if field != "parameters") + f", {STRATEGY_PREFIX}…"
    )
    if first["type"] == "extra_forbidden":
        near = get_close_matches(name, model.model_fields, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        return ArgumentError(
            f"argument -a {name}={first['input']}", "is unknown", f"{hint}known arguments: {known}"
        )
    if first["type"] == "missing":
        return ArgumentError(f"argument {name!r}", "is missing", _TOPIC_REMEDY)
    allowed = described(model)[name]
    return ArgumentError(
        f"argument -a {name}={first['input']}", first["msg"].lower(), f"{name} is: {allowed}"
    )


DEFAULT_STRATEGY = "adaptive"


@dataclass(frozen=True, slots=True)
class Recipe:
    """All arguments and settings from which a crawl is made; each field has the value of the argument or setting of its name."""

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid"}

    topic: str  # name, or path of a topic file
    strategy: str = DEFAULT_STRATEGY
    parameters: Mapping[str, str] = field(default_factory=dict)  # parameters of the strategy, as text
    keywords: tuple[str, ...] = ()  # additional keywords
    sites: str | None = None  # file of reading rules
    title_reader: str = TITLE_TAG
    page_classifier: str = EVIDENCE
    page_classifier_models: str | None = None  # folder; None = the models in this package
    link_models: str | None = None  # folder; "none" = the topic's keywords; None = the models in this package
    link_threshold: float | None = None  # 0..1; None = the topic's own, else the link model's
    prune: bool = True  # whether the gate applies to strategies that prune
    thesaurus: str | None = None
    expand: Expand | None = None  # pages whose links are followed; None = as in the paper of the strategy
    off_topic: tuple[str, ...] = ()  # URLs known to be off topic
    seed: int = 0
    dropped_parameters: tuple[str, ...] = ()  # query parameters to remove besides the known tracking ones
    listings: bool = False  # whether feeds and sitemaps of sites with relevant pages are fetched
    topic_fields: Mapping[str, Any] | None = None  # the user's own topic, as it was when the job began
    about: str = ""  # what the user wants, in a sentence, for second opinions
    since: str = ""  # YYYY-MM-DD: the first day of pages to keep
    language: tuple[str, ...] = ()  # of pages to keep; empty = all
    known: str = ""  # path of what has texts that are not kept again
    # the topic from whose relevance the strategy learns, if feedback has changed the topic of the job
    strategy_topic: Mapping[str, Any] | None = None
    # address of the database with the pages, without password; empty = they are in the job's folder
    store: str = ""
    store_job: str = ""  # name of the job in that database
    # setting and address of the server with the queue, without password; empty = it is in the job's folder
    queue: str = ""
    queue_job: str = ""  # name of the job on that server

    def as_json(self) -> dict[str, Any]:
        """The fields as plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any], what: str) -> Self:
        """A recipe from the result of `as_json`. Raises StateError for anything else; `what` names the file in its message."""
        try:
            recipe: Self = _adapter().validate_python(kept)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or "all"
            raise StateError(what, f"is damaged ({field}: {first['msg']})", "use a copy") from None
        return recipe


@cache
def _adapter() -> TypeAdapter[Any]:
    return TypeAdapter(Recipe)  # takes as long as reading several recipes


class Settings(Protocol):
    """The methods of Scrapy's settings that are used here."""

    def get(self, name: Any, default: Any = None) -> Any: ...

    def getint(self, name: Any, default: int = 0) -> int: ...

    def getfloat(self, name: Any, default: float = 0.0) -> float: ...

    def getbool(self, name: Any, default: bool = False) -> bool: ...

    def getlist(self, name: Any, default: Any = None) -> list[Any]: ...


def recipe_of(settings: Settings, topic: str, strategy: str | None = None, **given: Any) -> Recipe:
    """The recipe of a topic under these settings; `given` (fields of Recipe) overrides the settings."""
    check_settings(settings)
    choose_engine(settings.get(SETTING) or AUTO)
    threshold = settings.get("TOPIC_LINK_THRESHOLD")
    of_settings: dict[str, Any] = {
        "title_reader": settings.get("TOPIC_TITLE_READER"),
        "page_classifier": settings.get("TOPIC_PAGE_CLASSIFIER"),
        "page_classifier_models": settings.get("TOPIC_PAGE_CLASSIFIER_MODELS"),
        "link_models": settings.get("TOPIC_LINK_MODELS"),
        "link_threshold": None if threshold is None else float(threshold),
        "sites": settings.get("TOPIC_SITES_FILE"),
        "thesaurus": settings.get("TOPIC_THESAURUS"),
        "expand": settings.get("TOPIC_EXPAND") or None,
        "seed": settings.getint("TOPIC_SEED"),
        "listings": settings.getbool("TOPIC_LISTINGS"),
        "dropped_parameters": tuple(settings.getlist("TOPIC_URL_PARAMETERS_DROPPED")),
    }
    known: dict[str, Any] = {name: value for name, value in of_settings.items() if value is not None}
    known |= {name: value for name, value in given.items() if value is not None}
    return Recipe(topic, strategy or settings.get("TOPIC_STRATEGY") or DEFAULT_STRATEGY, **known)
