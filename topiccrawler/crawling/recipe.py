"""What a crawl is made from, as plain data: arguments and settings together.

It is kept with the job (crawl.job_files), goes to worker processes, and crawl.assemble makes the same parts of it each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, Self

from pydantic import TypeAdapter, ValidationError

from topiccrawler.crawling.settings_check import check_settings
from topiccrawler.crawling.site_listings import AFTER
from topiccrawler.errors import StateError
from topiccrawler.links.extract import WINDOW_CHARACTERS
from topiccrawler.pages.formats.formats import SECONDS
from topiccrawler.pages.title_readers import TITLE_TAG
from topiccrawler.relevance.base import VSM
from topiccrawler.strategies import STRATEGIES, parameters_of
from topiccrawler.topics.topic import without_removed_fields

DEFAULT_STRATEGY = "adaptive"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a crawl is made from; each field as the argument or setting of its name."""

    topic: str  # name, or path of a topic file
    strategy: str = DEFAULT_STRATEGY
    parameters: Mapping[str, str] = field(default_factory=dict)  # of the strategy, as text
    keywords: tuple[str, ...] = ()  # more keywords
    sites: str | None = None  # file of reading rules
    title_reader: str = TITLE_TAG
    page_classifier: str = VSM
    page_classifier_models: str | None = None  # folder; None = those shipped
    link_models: str | None = None  # folder; "none" = the topic's keywords; None = those shipped
    link_threshold: float | None = None  # 0..1; None = the topic's own, else the link model's
    prune: bool = True  # whether the gate applies to strategies that prune
    thesaurus: str | None = None
    expand: str | None = None  # whose links are followed; None = as the strategy's paper has it
    off_topic: tuple[str, ...] = ()  # URLs known to be off topic
    seed: int = 0
    context_characters: int = WINDOW_CHARACTERS
    file_seconds: float = SECONDS  # for reading one PDF or Office file
    dropped_parameters: tuple[str, ...] = ()  # of URLs, besides the known tracking ones
    listings_after: int = 0  # relevant pages of a host before it is asked for feeds and sitemaps; 0 = never
    linking_page: float = 0.5  # 0..1: how much the relevance of the linking page counts in what is kept
    topic_fields: Mapping[str, Any] | None = None  # a user's topic as it was when the job began
    strategy_topic: Mapping[str, Any] | None = (
        None  # by which pages are judged for the strategy, where answers taught another topic
    )
    store: str = ""  # address of the PostgreSQL database that has the pages, without password; empty = they are in the job's folder
    store_job: str = ""  # the job's name there
    relevance_since: float | None = (
        0.0  # seconds since the epoch from which on relevances of the job are probabilities; None = they are similarities (earlier_jobs)
    )

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any], what: str) -> Self:
        """What `as_json` gave; `what` names its file in the StateError for anything else."""
        try:
            recipe: Self = TypeAdapter(cls).validate_python(kept)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"]))
            raise StateError(what, f"is damaged ({field}: {first['msg']})", "use a copy") from None
        if "relevance_since" not in kept:
            recipe = replace(recipe, relevance_since=None)
        of_job, of_strategy = (
            None if one is None else without_removed_fields(one, what)
            for one in (recipe.topic_fields, recipe.strategy_topic)
        )
        return replace(recipe, topic_fields=of_job, strategy_topic=of_strategy)


class Settings(Protocol):
    """What is read of Scrapy's settings."""

    def get(self, name: Any, default: Any = None) -> Any: ...

    def getint(self, name: Any, default: int = 0) -> int: ...

    def getfloat(self, name: Any, default: float = 0.0) -> float: ...

    def getbool(self, name: Any, default: bool = False) -> bool: ...

    def getlist(self, name: Any, default: Any = None) -> list[Any]: ...


def recipe_of(settings: Settings, topic: str, strategy: str | None = None, **given: Any) -> Recipe:
    """The recipe of a topic under these settings; `given` (fields of Recipe) goes before what the settings say."""
    check_settings(settings)
    threshold = settings.get("TOPIC_LINK_THRESHOLD")
    of_settings: dict[str, Any] = {
        "title_reader": settings.get("TOPIC_TITLE_READER"),
        "page_classifier": settings.get("TOPIC_PAGE_CLASSIFIER"),
        "page_classifier_models": settings.get("TOPIC_PAGE_CLASSIFIER_MODELS"),
        "link_models": settings.get("TOPIC_LINK_MODELS"),
        "link_threshold": None if threshold is None else float(threshold),
        "linking_page": settings.getfloat("TOPIC_LINKING_PAGE", 0.5),
        "sites": settings.get("TOPIC_SITES_FILE"),
        "thesaurus": settings.get("TOPIC_THESAURUS"),
        "expand": settings.get("TOPIC_EXPAND"),
        "seed": settings.getint("TOPIC_SEED"),
        "context_characters": settings.getint("TOPIC_CONTEXT_CHARACTERS", WINDOW_CHARACTERS),
        "file_seconds": settings.getfloat("TOPIC_FILE_SECONDS", SECONDS),
        "dropped_parameters": tuple(settings.getlist("TOPIC_URL_PARAMETERS_DROPPED")),
    }
    if settings.getbool("TOPIC_LISTINGS"):
        of_settings["listings_after"] = settings.getint("TOPIC_LISTINGS_AFTER", AFTER)
    known: dict[str, Any] = {name: value for name, value in of_settings.items() if value is not None}
    known |= {name: value for name, value in given.items() if value is not None}
    name = strategy or settings.get("TOPIC_STRATEGY") or DEFAULT_STRATEGY
    known["parameters"] = _with_learn(name, known.get("parameters", {}), settings)
    return Recipe(topic, name, **known)


def _with_learn(strategy: str, given: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """TOPIC_LEARN is the default of `-a strategy_learn=`, for strategies that have it."""
    parameters = dict(given)
    known = STRATEGIES.get(strategy)
    if settings.get("TOPIC_LEARN") is not None and known is not None and "learn" in parameters_of(known):
        parameters.setdefault("learn", str(settings.getbool("TOPIC_LEARN")))
    return parameters
