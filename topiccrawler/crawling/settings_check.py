"""Checks the names and values of settings before they are used, and reports a wrong one in one line with its name.

`CheckedSettings` has all settings of this package and those of Scrapy that a crawl reads. Texts are read as Scrapy's settings read them.
"""

from __future__ import annotations

import logging
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, get_args

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from topiccrawler import settings as ours
from topiccrawler.errors import ArgumentError, shortened

logger = logging.getLogger(__name__)


class Settings(Protocol):
    """The method of Scrapy's settings, and of a dict, that is used here."""

    def get(self, name: Any, default: Any = None) -> Any: ...


def _whole(value: object) -> object:
    return int(value) if isinstance(value, str) else value  # Scrapy reads no "5.0" and no "1e3"


UNSET = Field(None)
A_SHARE, AT_LEAST_ONE = "a number from 0 to 1", "a whole number of 1 or more"
Share = Annotated[float, Field(None, ge=0, le=1, allow_inf_nan=False, description=A_SHARE)]
OneOrMore = Annotated[int, BeforeValidator(_whole), Field(None, ge=1, description=AT_LEAST_ONE)]
Count = Annotated[int, BeforeValidator(_whole), Field(None, ge=0, description="a whole number of 0 or more")]
Integer = Annotated[int, BeforeValidator(_whole), Field(None, description="a whole number")]
Amount = Annotated[float, Field(None, ge=0, allow_inf_nan=False, description="a number of 0 or more")]
Switch = Annotated[
    Literal["True", "true", "1", "False", "false", "0"],
    BeforeValidator(str),
    Field(None, description="True or False"),
]
Text = Annotated[str | Path, Field(None, description="a text")]
Texts = Annotated[
    list[str | Path] | str | Path, Field(None, description="a list of texts, or a text with commas")
]


class Slot(BaseModel):
    """What is set for one host in DOWNLOAD_SLOTS."""

    delay: Amount
    concurrency: OneOrMore


Slots = Annotated[
    dict[str, Slot], Field(None, description="hosts, each with a delay, a concurrency, or both")
]


class CheckedSettings(BaseModel):
    """The settings with their types and ranges; those without a value are None."""

    TOPIC: Text
    TOPIC_STRATEGY: Text
    TOPIC_SEARCH_URL: Text
    TOPIC_LINK_MODELS: Text
    TOPIC_LINK_THRESHOLD: Share
    TOPIC_PROPOSED_WORDS: Annotated[Count, Field(le=2000, description="a whole number from 0 to 2000")]
    TOPIC_PAGE_CLASSIFIER: Text
    TOPIC_PAGE_CLASSIFIER_MODELS: Text
    TOPIC_TITLE_READER: Annotated[Literal["title_tag", "skyreach"], UNSET]
    TOPIC_SITES_FILE: Text
    TOPIC_EXPAND: Annotated[Literal["all", "relevant", ""], UNSET]
    TOPIC_LISTINGS: Switch
    TOPIC_SEGMENTER: Annotated[Literal["auto", "jieba", "rjieba"], UNSET]
    TOPIC_THESAURUS: Text
    TOPIC_SEED: Integer
    TOPIC_URL_PARAMETERS_DROPPED: Texts
    TOPIC_DATA_DIR: Text
    TOPIC_JOB: Text
    TOPIC_DUPLICATES: Annotated[Literal["alias", "drop", "keep"], UNSET]
    STORE_URL: Text
    TOPIC_KEEP_HTML: Switch
    TOPIC_DUPLICATES_ACROSS_SITES: Switch
    TOPIC_LINK_GRAPH: Switch
    WARC_OUT: Text
    TOPIC_CONTACT: Text
    TOPIC_ROBOTS_TAGS_OBEY: Switch
    FRONTIER_BACKOFF_SECONDS: Amount
    FRONTIER_BACKOFF_MAX_SECONDS: Amount
    FRONTIER_URL_TRIES: OneOrMore
    REDIS_URL: Text
    FRONTIER_HOST_PAGES: Count
    FRONTIER_DOMAIN_PAGES: Count
    FRONTIER_HOST_UNPRODUCTIVE_PAGES: Count
    FRONTIER_SHAPE_UNPRODUCTIVE_PAGES: Count
    FRONTIER_UNPROVEN_PAGES: Count
    FRONTIER_FAIR_SHARES: Switch
    TOPIC_JUDGE_URL: Text
    TOPIC_JUDGE_MODEL: Text
    TOPIC_CONTROL: Switch
    TOPIC_RENDERED_HOSTS: Texts
    TOPIC_RENDER_EMPTY_PAGES: Switch
    TOPIC_BROWSER: Text
    TOPIC_PRIVATE_NETWORK: Switch
    REPLAY_WARC: Texts
    REPLAY_PACED: Switch
    # Scrapy's
    AUTOTHROTTLE_ENABLED: Switch
    AUTOTHROTTLE_MAX_DELAY: Amount
    AUTOTHROTTLE_START_DELAY: Amount
    CLOSESPIDER_ERRORCOUNT: Count
    CLOSESPIDER_ITEMCOUNT: Count
    CLOSESPIDER_PAGECOUNT: Count
    CLOSESPIDER_TIMEOUT: Amount
    CONCURRENT_ITEMS: OneOrMore
    CONCURRENT_REQUESTS: Count  # 0 = no limit
    CONCURRENT_REQUESTS_PER_DOMAIN: OneOrMore
    COOKIES_ENABLED: Switch
    DEPTH_LIMIT: Count
    DOWNLOAD_DELAY: Amount
    DOWNLOAD_MAXSIZE: Count
    DOWNLOAD_SLOTS: Slots
    DOWNLOAD_TIMEOUT: Amount
    LOGSTATS_INTERVAL: Amount
    REDIRECT_MAX_TIMES: Count
    RETRY_TIMES: Count
    ROBOTSTXT_OBEY: Switch


def check_settings(settings: Settings) -> None:
    """Raise ArgumentError for the first setting with a wrong value; settings without a value are skipped."""
    values = {name: settings.get(name) for name in CheckedSettings.model_fields}
    try:
        CheckedSettings.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        raise _fault(error) from None


def _fault(error: ValidationError) -> ArgumentError:
    first = error.errors(include_url=False)[0]
    name, *inside = map(str, first["loc"])
    field, value, default = CheckedSettings.model_fields[name], first["input"], getattr(ours, name, None)
    if name == "DOWNLOAD_SLOTS" and inside:
        name = ": ".join([name, *inside])
        if len(inside) > 1:
            field = Slot.model_fields[inside[1]]
    expected = field.description or f"one of {', '.join(filter(None, get_args(field.annotation)))}"
    example = "" if default is None else f"; the project's is {default}"
    return ArgumentError(f"setting {name}", f"is {shortened(value)}", f"it must be {expected}{example}")


_OURS = re.compile("(?:TOPIC|FRONTIER)_[A-Z_]+")
_NEAR = 0.8  # similarity from which a name counts as misspelt (difflib)
_FROM_COMMAND_LINE = 40  # Scrapy's priority of `-s`


def check_names(settings: Any) -> None:
    """Raise ArgumentError for an unknown name with a prefix of this package, if it resembles a known one or is from the command line.

    Other unknown names, which a project may use for itself, cause a warning.
    """
    known = CheckedSettings.model_fields
    for name in settings:
        if not isinstance(name, str) or name in known or not _OURS.fullmatch(name):
            continue
        near = get_close_matches(name, known, 1, _NEAR)
        if near or settings.getpriority(name) >= _FROM_COMMAND_LINE:
            remedy = f"did you mean {near[0]}?" if near else "docs/settings.md lists them"
            raise ArgumentError(f"setting {name}", "is not known", remedy)
        logger.warning("setting %s: is not known, changes nothing; docs/settings.md lists them", name)
