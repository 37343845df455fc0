"""`set NAME=VALUE`: what may be changed while a crawl runs, and how the change comes to count.

Queued links stay. Where a change changes scores, the strategy's own refresh scores the queue anew, a slice a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from topiccrawler.crawling.params import STRATEGY_PREFIX
from topiccrawler.crawling.settings_check import Number
from topiccrawler.engine.control.topic_change import change_topic, parts_for, rescore
from topiccrawler.engine.runtime import Runtime
from topiccrawler.errors import ArgumentError
from topiccrawler.model import Link
from topiccrawler.strategies import build, parameters_of

TOPIC, PAGE_THRESHOLD, LINK_THRESHOLD = "topic", "page_threshold", "link_threshold"
LIMITS = ("pages", "targets")
NO_LIMIT = "none"
_SHARE, _COUNT = Number(most=1), Number(1, whole=True)


@dataclass(frozen=True, slots=True)
class Change:
    """One that was found right and not made yet."""

    name: str
    before: Any
    after: Any
    make: Callable[[], None]
    refuses: Callable[[Sequence[Link]], int] | None = (
        None  # of waiting links, how many would be fetched no more
    )
    rescore: Callable[[Sequence[Link]], None] | None = None  # what waits, behind `make`
    names: tuple[str, str] | None = None  # of before and after, where people know them by others


def change_of(runtime: Runtime, name: str, value: str) -> Change:
    """ArgumentError for what cannot be changed, or not to this."""
    if name == TOPIC:
        return _topic(runtime, value)
    if name == PAGE_THRESHOLD:
        return _page_threshold(runtime, _share(name, value))
    if name == LINK_THRESHOLD:
        return _link_threshold(runtime, _share(name, value))
    if name in LIMITS:
        return _limit(runtime, name, value)
    if name.startswith(STRATEGY_PREFIX):
        return _parameter(runtime, name.removeprefix(STRATEGY_PREFIX), value)
    raise ArgumentError(
        f"set {name}={value}", "cannot be changed while the crawl runs", f"these can: {_names(runtime)}"
    )


def _topic(runtime: Runtime, value: str) -> Change:
    parts = parts_for(runtime, value)
    return Change(
        TOPIC,
        runtime.topic.name,
        parts.topic.name,
        partial(change_topic, runtime, parts),
        lambda links: len(links) - len(parts.gate.passing(links)),
        partial(rescore, runtime),
        (runtime.topic.display_name, parts.topic.display_name),
    )


def _page_threshold(runtime: Runtime, value: float) -> Change:
    reader = runtime.reader

    def make() -> None:
        reader.page_threshold = value

    return Change(PAGE_THRESHOLD, reader.page_threshold, value, make)


def _link_threshold(runtime: Runtime, value: float) -> Change:
    gate = runtime.gate
    if gate.scorer is None:
        fault = f"strategy {runtime.params.strategy} asks no link gate"
        raise ArgumentError(f"set {LINK_THRESHOLD}={value:g}", fault, "block what is not wanted")

    def make() -> None:
        gate.threshold = value
        recipe = replace(runtime.parts.record(), link_threshold=value)
        runtime.files.keep_recipe(recipe)  # so that `scrapy explain` asks the same gate

    def refuses(links: Sequence[Link]) -> int:
        return len(links) - len(replace(gate, threshold=value).passing(links))

    return Change(LINK_THRESHOLD, gate.threshold, value, make, refuses)


def _limit(runtime: Runtime, name: str, value: str) -> Change:
    if value != NO_LIMIT and not _COUNT.accepts(value):
        raise ArgumentError(f"set {name}={value}", f"must be {_COUNT}, or {NO_LIMIT}", f"set {name}=1000")
    limit = None if value == NO_LIMIT else int(value)

    def make() -> None:
        runtime.params = runtime.params.model_copy(update={name: limit})

    return Change(name, getattr(runtime.params, name), limit, make)


def _parameter(runtime: Runtime, key: str, value: str) -> Change:
    strategy = runtime.strategy
    kind = type(strategy)
    if key in parameters_of(kind) and key not in kind.changeable:
        what = f"set {STRATEGY_PREFIX}{key}={value}"
        raise ArgumentError(
            what, f"{kind.name} takes it at its beginning only", f"these can be changed: {_names(runtime)}"
        )
    after = getattr(build(kind.name, {key: value}), key)

    def make() -> None:
        setattr(strategy, key, after)
        runtime.ordering.ask_refresh()

    return Change(f"{STRATEGY_PREFIX}{key}", getattr(strategy, key), after, make)


def _share(name: str, value: str) -> float:
    if not _SHARE.accepts(value):
        raise ArgumentError(f"set {name}={value}", f"must be {_SHARE}", f"set {name}=0.2")
    return float(value)


def _names(runtime: Runtime) -> str:
    own = sorted(f"{STRATEGY_PREFIX}{key}" for key in type(runtime.strategy).changeable)
    return ", ".join([TOPIC, PAGE_THRESHOLD, LINK_THRESHOLD, *LIMITS, *own])
