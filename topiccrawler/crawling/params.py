"""Spider arguments as a typed model: whatever is wrong is said in one line before the first request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from topiccrawler.errors import ArgumentError
from topiccrawler.topics.catalogue import split_keywords
from topiccrawler.topics.topic import Format

STRATEGY_PREFIX = "strategy_"
_TOPIC_REMEDY = "for example: scrapy crawl topic -a topic=finance"
GENERAL_STRATEGIES = ("breadth_first", "random_order")  # of `scrapy crawl links`


class CrawlParams(BaseModel):
    """Arguments of `scrapy crawl topic`, each given with `-a name=value`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str = Field(
        default="",
        min_length=1,
        description="topic name (English or Chinese) or path of a topic file, or several with commas between; without one, keywords make a topic",
    )
    seeds: str | None = Field(
        default=None,
        description="file (list, sitemap, feed, OPML, bookmarks), or URLs separated by commas; default: seeds/TOPIC.txt",
    )
    strategy: str = Field(description="what to fetch next; see topiccrawler.strategies")
    page_classifier: str | None = Field(
        default=None,
        description="page classifier: vsm, centroid, naive_bayes or svm; default: TOPIC_PAGE_CLASSIFIER",
    )
    job: str | None = Field(
        default=None,
        min_length=1,
        description="name of a crawl that several processes share (with REDIS_URL)",
    )
    pages: int | None = Field(default=None, ge=1, description="stop after so many fetched pages")
    targets: int | None = Field(default=None, ge=1, description="stop after so many kept pages")
    objective: Literal["time", "fetches"] | None = Field(
        default=None,
        description="time (most relevant pages an hour) or fetches (most relevant pages per page fetched); "
        "default: TOPIC_OBJECTIVE, else fetches when `pages` is given, time otherwise",
    )
    keywords: tuple[str, ...] = Field(
        default=(),
        description="more keywords for the topic, separated by commas; without -a topic= all of it, word:weight",
    )
    sites: str | None = Field(
        default=None, description="TOML file of reading rules by site; default: TOPIC_SITES_FILE"
    )
    allowed_domains: tuple[str, ...] = Field(
        default=(), description="hosts or domains, separated by commas, that the crawl stays on"
    )
    formats: tuple[Format, ...] = Field(
        default=(),
        description="kinds of documents that are read, separated by commas: html, pdf, docx, xlsx, pptx, text, feed, sitemap",
    )
    since: date | None = Field(default=None, description="YYYY-MM-DD; older pages are not kept")
    revisit: bool = Field(
        default=False,
        description="true: look again at the job's pages, those first that have probably changed (docs/revisiting.md)",
    )
    parameters: dict[str, str] = Field(default_factory=dict, description="-a strategy_NAME=value")

    @field_validator("allowed_domains", "formats", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value

    @field_validator("keywords", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(split_keywords(value))
        return value


class LinksParams(CrawlParams):
    """Arguments of `scrapy crawl links`."""

    topic: str = Field(min_length=1, description="topic name (English or Chinese) or path of a topic file")
    strategy: str = Field(description="breadth_first or random_order")
    out: str | None = Field(
        default=None, description="file of labelled links; default: links.jsonl of the job"
    )
    context: Literal["window", "neighbour", "dom"] = Field(
        default="window", description="context maker of the links: window, neighbour or dom"
    )
    links_per_page: int = Field(default=50, ge=1, description="labelled links taken from a page at most")
    links_per_host: int = Field(default=1000, ge=1, description="labelled links taken from a host at most")
    links_per_site: int = Field(
        default=5000, ge=1, description="labelled links taken from a registered domain at most"
    )
    unlabelled: bool = Field(default=False, description="true: also write links to URLs without a label")

    @field_validator("strategy")
    @classmethod
    def _general(cls, value: str) -> str:
        if value not in GENERAL_STRATEGIES:
            raise ValueError("a general crawl must not prefer the topic")
        return value


Params = TypeVar("Params", bound=CrawlParams)


def parse_arguments(arguments: Mapping[str, Any], *, topic: str | None, strategy: str) -> CrawlParams:
    """Check the `-a` arguments of a topic crawl. `topic` and `strategy`: the settings' values where none is given.

    Raises ArgumentError naming the argument, its fault and what is allowed.
    """
    return _parse(arguments, topic, strategy, CrawlParams)


def parse_links_arguments(
    arguments: Mapping[str, Any], *, topic: str | None, strategy: str = GENERAL_STRATEGIES[0]
) -> LinksParams:
    """The same for `scrapy crawl links`."""
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
        return ArgumentError(
            f"argument -a {name}={first['input']}", "is unknown", f"known arguments: {known}"
        )
    if first["type"] == "missing":
        return ArgumentError(f"argument {name!r}", "is missing", _TOPIC_REMEDY)
    allowed = model.model_fields[name].description
    return ArgumentError(
        f"argument -a {name}={first['input']}", first["msg"].lower(), f"{name} is: {allowed}"
    )
