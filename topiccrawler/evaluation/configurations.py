"""The strategies of a comparison: from what a user writes to a strategy that is ready to crawl.

The conflict: one strategy may run several times with other parameters, some need a link model or more that a topic lacks, and
`all` must not fail for one of them. So each is written NAME or NAME:key=value:key=value, and what cannot be built says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from topiccrawler.crawl.options import thesaurus_of
from topiccrawler.errors import CrawlerError, ModelError, StrategyError
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.link_model.from_keywords import link_model
from topiccrawler.relevance.base import VSM
from topiccrawler.relevance.choose import make_page_classifier
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Expand, Knowledge, Strategy
from topiccrawler.topics.catalogue import load_topic

ALL = "all"
PLAIN_CONTEXT = "window"  # for strategies that ask no link model


@dataclass(frozen=True, slots=True)
class RunConfiguration:
    """What all strategies of one topic are given alike."""

    topic: str
    models: Path | None = None  # folder of link models; None = those shipped
    page_classifier: str = VSM
    page_classifier_models: Path | None = None  # folder of trained page classifiers; None = those shipped
    thesaurus: str | None = None  # as TOPIC_THESAURUS
    expand: Expand | None = None  # whose links are followed; None = as each strategy's paper has it
    off_topic: tuple[str, ...] = ()
    prune: bool = False  # the link gate and the topic's threshold apply to strategies that prune
    link_threshold: float | None = None  # None = the topic's own


@dataclass(slots=True)
class Configurations:
    """Who runs, and who cannot and why."""

    specs: list[str] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)


def named(text: str) -> list[str]:
    """The strategies a user wrote, separated by commas; `all` stands for every registered one."""
    specs: list[str] = []
    for spec in filter(None, (part.strip() for part in text.split(","))):
        specs += list(STRATEGIES) if spec == ALL else [spec]
    if not specs:
        raise StrategyError("--strategies", "names none", f"give {ALL}, or some of: {', '.join(STRATEGIES)}")
    return list(dict.fromkeys(specs))


def strategy_of(spec: str) -> Strategy:
    """Build from NAME or NAME:key=value:…"""
    return build(name_of(spec), parameters_of(spec))


def name_of(spec: str) -> str:
    """The registered name."""
    return spec.split(":", maxsplit=1)[0]


def parameters_of(spec: str) -> dict[str, str]:
    """The parameters, as text."""
    parameters: dict[str, str] = {}
    for part in spec.split(":")[1:]:
        key, equals, value = part.partition("=")
        if not equals:
            raise StrategyError(f"strategy {spec!r}", f"{part!r} is no parameter", "write NAME:key=value")
        parameters[key.strip()] = value.strip()
    return parameters


def build_all(
    configuration: RunConfiguration, specs: Sequence[str], *, forgiving: Sequence[str] = ()
) -> Configurations:
    """Build and prepare each once. One among `forgiving` that cannot be built is absent; another one's error goes up."""
    found = Configurations()
    for spec in specs:
        strategy = strategy_of(spec)
        try:
            prepare(strategy, configuration, seed=0)
        except CrawlerError as fault:
            if spec not in forgiving:
                raise
            found.absent[spec] = str(fault)
        else:
            found.specs.append(spec)
    return found


def prepare(strategy: Strategy, configuration: RunConfiguration, seed: int) -> None:
    """Give a strategy what a crawl's own runtime would."""
    topic = load_topic(configuration.topic)
    strategy.prepare(
        Knowledge(
            page_threshold=make_page_classifier(
                topic, configuration.page_classifier, configuration.page_classifier_models
            ).threshold,
            link_scorer=scorer_of(configuration) if strategy.needs_link_scorer else None,
            seed=seed,
            topic=topic,
            thesaurus=thesaurus_of(configuration.thesaurus),
            off_topic=configuration.off_topic,
        )
    )


@lru_cache(maxsize=4)
def _model(topic: str, folder: Path | None) -> LinkClassifier:
    return link_model(load_topic(topic), str(folder) if folder is not None else None)


def scorer_of(configuration: RunConfiguration) -> LinkClassifier:
    """The topic's link model."""
    return _model(configuration.topic, configuration.models)


def context_of(configuration: RunConfiguration, strategy: Strategy) -> str:
    """The context maker whose links the strategy is shown: its model's, as in a crawl."""
    return (
        scorer_of(configuration).context
        if strategy.needs_link_scorer or prunes(configuration, strategy)
        else PLAIN_CONTEXT
    )


def contexts_of(configuration: RunConfiguration) -> list[str]:
    """All context makers a topic may need."""
    try:
        return list(dict.fromkeys((PLAIN_CONTEXT, scorer_of(configuration).context)))
    except ModelError:
        return [PLAIN_CONTEXT]


def prunes(configuration: RunConfiguration, strategy: Strategy) -> bool:
    """Whether the gate looks at this strategy's links."""
    return configuration.prune and strategy.prunes and threshold_of(configuration) > 0


def threshold_of(configuration: RunConfiguration) -> float:
    """0..1, from which probability a link passes the gate."""
    topic = load_topic(configuration.topic)
    return topic.link_threshold if configuration.link_threshold is None else configuration.link_threshold
