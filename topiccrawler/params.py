"""Spider arguments as a typed model: whatever is wrong is said in one line before the first request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from topiccrawler.errors import ArgumentError

STRATEGY_PREFIX = "strategy_"


class CrawlParams(BaseModel):
    """Arguments of `scrapy crawl topic`, each given with `-a name=value`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str = Field(min_length=1, description="topic name (English or Chinese) or path of a topic file")
    seeds: str | None = Field(
        default=None, description="file, or URLs separated by commas; default: seeds/TOPIC.txt"
    )
    strategy: str = Field(description="ordering; see topiccrawler.strategies")
    pages: int | None = Field(default=None, ge=1, description="stop after so many fetched pages")
    targets: int | None = Field(default=None, ge=1, description="stop after so many kept pages")
    keywords: tuple[str, ...] = Field(
        default=(), description="more keywords for the topic, separated by commas"
    )
    parameters: dict[str, str] = Field(default_factory=dict, description="-a strategy_NAME=value")

    @field_validator("keywords", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(word.strip() for word in value.replace("，", ",").split(",") if word.strip())
        return value


def parse_arguments(arguments: Mapping[str, Any], *, topic: str | None, strategy: str) -> CrawlParams:
    """Check `-a` arguments. `topic` and `strategy` are the settings' values where none is given.

    Raises ArgumentError naming the argument, its fault and what is allowed.
    """
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
        return CrawlParams.model_validate(plain)
    except ValidationError as error:
        raise _argument_error(error) from None


def _argument_error(error: ValidationError) -> ArgumentError:
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    known = (
        ", ".join(field for field in CrawlParams.model_fields if field != "parameters")
        + f", {STRATEGY_PREFIX}…"
    )
    if first["type"] == "extra_forbidden":
        return ArgumentError(
            f"argument -a {name}={first['input']}", "is unknown", f"known arguments: {known}"
        )
    if first["type"] == "missing":
        return ArgumentError(
            f"argument {name!r}", "is missing", f"for example: scrapy crawl topic -a {name}=finance"
        )
    allowed = CrawlParams.model_fields[name].description
    return ArgumentError(
        f"argument -a {name}={first['input']}", first["msg"].lower(), f"{name} is: {allowed}"
    )
