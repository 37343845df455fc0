"""How `scrapy control JOB set NAME=VALUE` changes a running crawl.

Queued links stay. Where a change changes scores, the strategy's own refresh scores the queue anew, a slice a page.

`set topic=NAME`. The conflict: page classifier, link model, strategy and gate are all of the topic, and what the strategy has learned is of the
old one. So all of them are made anew, and the queue is scored as if its links were met now: page by page, in the order they came, each page
as relevant to the new topic as its stored text is, and not at all where no text is kept. The queue itself, host clocks, budgets and
files go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.crawling.recipe import STRATEGY_PREFIX
from topiccrawler.crawling.settings_check import Number
from topiccrawler.crawling.teaching import words_of_record
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies import build, parameters_of
from topiccrawler.strategies.base import ROOT


def parts_for(crawl: Crawl, topic: str) -> Parts:
    """Those of the crawl for another topic; ArgumentError for the one it has, TopicError for one there is not."""
    if crawl.shared is not None:
        raise ArgumentError(
            f"set topic={topic}", "several processes share the crawl", "begin another one: -a job=NAME"
        )
    of_old: dict[str, Any] = {"topic_fields": None, "strategy_topic": None, "keywords": (), "off_topic": ()}
    recipe = replace(crawl.parts.recipe, topic=topic, **of_old)
    parts = assemble(recipe)
    if parts.topic.name == crawl.topic.name:
        raise ArgumentError(f"set topic={topic}", "is the topic already", "name another one")
    return parts


def taught_parts(crawl: Crawl) -> Parts:
    """Those for the crawl's topic as its job was taught; StateError where none was, ArgumentError of a shared crawl."""
    if crawl.shared is not None:
        raise ArgumentError("teach", "several processes share the crawl", "stop them all, teach, go on")
    kept = read_recipe(crawl.files.folder)
    if kept is None or kept.topic != crawl.parts.recipe.topic:
        raise StateError(f"job {crawl.files.folder}", "has another topic by now", "stop the crawl first")
    recipe = replace(
        crawl.parts.recipe,
        topic_fields=kept.topic_fields,
        strategy_topic=kept.strategy_topic,
        link_threshold=kept.link_threshold,  # what was set while it ran stays
    )
    parts = assemble(recipe)
    for key in parts.strategy.changeable:
        setattr(parts.strategy, key, getattr(crawl.strategy, key))
    return parts


def rescore(crawl: Crawl, links: Sequence[Link]) -> None:
    """Score waiting links by what is known now."""
    crawl.frontier.rescore(_scores(crawl, links))


def _scores(crawl: Crawl, links: Sequence[Link]) -> Iterator[Score]:
    for source, shown in groupby(links, key=lambda link: link.source_url):
        group = list(shown)
        page = _page(crawl, source, group[0].depth - 1) if source else ROOT
        yield from crawl.strategy.visit(page, group)


def _page(crawl: Crawl, url: str, depth: int) -> Page:
    """A page that was fetched, as far as its text is kept."""
    record = crawl.files.store.get(url)
    if record is None:
        return Page(url, depth)
    classifier = crawl.parts.page_classifier
    words = words_of_record(record, crawl.parts.segmenter, in_segments=classifier.reads_segments)
    relevance = classifier.relevance(words)
    return Page(
        url,
        depth,
        record.title,
        similarity=classifier.similarity(words),
        is_target=relevance >= classifier.threshold,
        relevance=relevance,
    )


TOPIC, PAGE_THRESHOLD, LINK_THRESHOLD = "topic", "page_threshold", "link_threshold"
UNTIL = "until"
LIMITS = ("pages", "targets", UNTIL)
NO_LIMIT = "none"
_SHARE, _COUNT = Number(most=1), Number(1, whole=True)


@dataclass(frozen=True, slots=True)
class Change:
    """One that was found right and not made yet."""

    name: str
    before: Any
    after: Any
    make: Callable[[], None]
    # of waiting links, how many would be fetched no more
    refuses: Callable[[Sequence[Link]], int] | None = None
    rescore: Callable[[Sequence[Link]], None] | None = None  # what waits, behind `make`
    names: tuple[str, str] | None = None  # of before and after, where people know them by others


def change_of(crawl: Crawl, name: str, value: str) -> Change:
    """ArgumentError for what cannot be changed, or not to this."""
    if name == TOPIC:
        return _topic(crawl, value)
    if name == PAGE_THRESHOLD:
        return _page_threshold(crawl, _share(name, value))
    if name == LINK_THRESHOLD:
        return _link_threshold(crawl, _share(name, value))
    if name in LIMITS:
        return _limit(crawl, name, value)
    if name.startswith(STRATEGY_PREFIX):
        return _parameter(crawl, name.removeprefix(STRATEGY_PREFIX), value)
    raise ArgumentError(
        f"set {name}={value}", "cannot be changed while the crawl runs", f"these can: {_names(crawl)}"
    )


def _topic(crawl: Crawl, value: str) -> Change:
    parts = parts_for(crawl, value)
    return Change(
        TOPIC,
        crawl.topic.name,
        parts.topic.name,
        lambda: crawl.change_topic(parts, crawl.clock()),
        lambda links: len(links) - len(parts.gate.passing(links)),
        partial(rescore, crawl),
        (crawl.topic.display_name, parts.topic.display_name),
    )


def _page_threshold(crawl: Crawl, value: float) -> Change:
    make = partial(setattr, crawl.reader, PAGE_THRESHOLD, value)
    return Change(PAGE_THRESHOLD, crawl.reader.page_threshold, value, make)


def _link_threshold(crawl: Crawl, value: float) -> Change:
    gate = crawl.gate
    if gate.scorer is None:
        fault = f"strategy {crawl.parts.recipe.strategy} asks no link gate"
        raise ArgumentError(f"set {LINK_THRESHOLD}={value:g}", fault, "block what is not wanted")

    def make() -> None:
        gate.threshold = value
        recipe = replace(crawl.parts.record(), link_threshold=value)
        crawl.files.keep_recipe(recipe)  # so that `scrapy explain` asks the same gate

    def refuses(links: Sequence[Link]) -> int:
        return len(links) - len(replace(gate, threshold=value).passing(links))

    return Change(LINK_THRESHOLD, gate.threshold, value, make, refuses)


def _limit(crawl: Crawl, name: str, value: str) -> Change:
    number, example = (_SHARE, "0.05") if name == UNTIL else (_COUNT, "1000")
    if value != NO_LIMIT and not number.accepts(value):
        raise ArgumentError(
            f"set {name}={value}", f"must be {number}, or {NO_LIMIT}", f"set {name}={example}"
        )
    limit: Any = None if value == NO_LIMIT else float(value) if name == UNTIL else int(value)
    make = partial(setattr, crawl, "limits", replace(crawl.limits, **{name: limit}))
    return Change(name, getattr(crawl.limits, name), limit, make)


def _parameter(crawl: Crawl, key: str, value: str) -> Change:
    strategy = crawl.strategy
    kind = type(strategy)
    if key in parameters_of(kind) and key not in kind.changeable:
        what = f"set {STRATEGY_PREFIX}{key}={value}"
        raise ArgumentError(
            what, f"{kind.name} takes it at its beginning only", f"these can be changed: {_names(crawl)}"
        )
    after = getattr(build(kind.name, {key: value}), key)

    def make() -> None:
        setattr(strategy, key, after)
        crawl.ordering.ask_refresh()

    return Change(f"{STRATEGY_PREFIX}{key}", getattr(strategy, key), after, make)


def _share(name: str, value: str) -> float:
    if not _SHARE.accepts(value):
        raise ArgumentError(f"set {name}={value}", f"must be {_SHARE}", f"set {name}=0.2")
    return float(value)


def _names(crawl: Crawl) -> str:
    own = sorted(f"{STRATEGY_PREFIX}{key}" for key in type(crawl.strategy).changeable)
    return ", ".join([TOPIC, PAGE_THRESHOLD, LINK_THRESHOLD, *LIMITS, *own])
