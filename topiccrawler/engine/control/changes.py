"""Changes a running crawl, for `scrapy control JOB set NAME=VALUE` and for teaching its topic.

`change_of` checks a value and returns a `Change`. Queued links stay. When a change affects scores, the strategy's own refresh scores the
queue again, one slice per page.

`parts_for` makes the parts for `set topic=NAME`. The conflict: page classifier, link model, strategy and gate all depend on the topic, and
the strategy has learned for the old one. So all of them are made anew, and `rescore` scores the queue as if its links were found now: page
by page, oldest first. The relevance of each source page to the new topic is that of its stored text, and zero without a stored
text. The queue itself, host clocks, budgets and files stay.

`taught_parts` makes the parts for the same topic after a person's answers have changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_files import read_recipe
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.recipe import STRATEGY_PREFIX
from topiccrawler.crawling.settings_check import A_SHARE, AT_LEAST_ONE, OneOrMore, Share
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies import build, parameters_of
from topiccrawler.strategies.base import ROOT


def parts_for(crawl: Crawl, topic: str) -> Parts:
    """The parts of the crawl made anew for another topic. ArgumentError for the topic that the crawl has, or when processes share the
    crawl; TopicError for an unknown one."""
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
    """The parts of the crawl made anew for its topic as it was taught in the job's folder. StateError when the job has no such recipe or
    another topic, ArgumentError when processes share the crawl."""
    if crawl.shared is not None:
        raise ArgumentError("teach", "several processes share the crawl", "stop them all, teach, go on")
    kept = read_recipe(crawl.files.folder)
    if kept is None or kept.topic != crawl.parts.recipe.topic:
        raise StateError(f"job {crawl.files.folder}", "has another topic by now", "stop the crawl first")
    recipe = replace(
        crawl.parts.recipe,
        topic_fields=kept.topic_fields,
        strategy_topic=kept.strategy_topic,
        link_threshold=kept.link_threshold,  # keeps a change made during the crawl
    )
    parts = assemble(recipe)
    for key in parts.strategy.changeable:
        setattr(parts.strategy, key, getattr(crawl.strategy, key))
    return parts


def rescore(crawl: Crawl, links: Sequence[Link]) -> None:
    """Score waiting links again with the crawl's present strategy, and update the queue."""
    crawl.frontier.rescore(_scores(crawl, links))


def _scores(crawl: Crawl, links: Sequence[Link]) -> Iterator[Score]:
    for source, shown in groupby(links, key=lambda link: link.source_url):
        group = list(shown)
        page = _page(crawl, source, group[0].depth - 1) if source else ROOT
        yield from crawl.strategy.visit(page, group)


def _page(crawl: Crawl, url: str, depth: int) -> Page:
    """A page that was fetched before, classified by its stored text; only URL and depth if no text is stored."""
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
_LATER = ConfigDict(defer_build=True)
_SHARE, _COUNT = TypeAdapter[float](Share, config=_LATER), TypeAdapter[int](OneOrMore, config=_LATER)


@dataclass(frozen=True, slots=True)
class Change:
    """A change that was checked but not applied yet. `make` applies it."""

    name: str
    before: Any
    after: Any
    make: Callable[[], None]
    # counts those of some waiting links that the change would exclude; None = it excludes none
    refuses: Callable[[Sequence[Link]], int] | None = None
    rescore: Callable[[Sequence[Link]], None] | None = None  # scores waiting links again, after `make`
    names: tuple[str, str] | None = None  # display names of `before` and `after`, if they differ from these


def change_of(crawl: Crawl, name: str, value: str) -> Change:
    """The change of a name to a value. ArgumentError when the name cannot be changed during a crawl, or the value is invalid."""
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
    make = partial(setattr, crawl.filter, "threshold", value)
    return Change(PAGE_THRESHOLD, crawl.filter.threshold, value, make)


def _link_threshold(crawl: Crawl, value: float) -> Change:
    gate = crawl.gate
    if gate.scorer is None:
        fault = f"strategy {crawl.parts.recipe.strategy} asks no link gate"
        raise ArgumentError(f"set {LINK_THRESHOLD}={value:g}", fault, "block what is not wanted")

    def make() -> None:
        gate.threshold = value
        recipe = replace(crawl.parts.record(), link_threshold=value)
        crawl.files.keep_recipe(recipe)  # so that `scrapy explain` uses the same gate

    def refuses(links: Sequence[Link]) -> int:
        return len(links) - len(replace(gate, threshold=value).passing(links))

    return Change(LINK_THRESHOLD, gate.threshold, value, make, refuses)


def _limit(crawl: Crawl, name: str, value: str) -> Change:
    kind, expected, example = (_SHARE, A_SHARE, "0.05") if name == UNTIL else (_COUNT, AT_LEAST_ONE, "1000")
    try:
        limit: Any = None if value == NO_LIMIT else kind.validate_python(value)
    except ValidationError:
        raise ArgumentError(
            f"set {name}={value}", f"must be {expected}, or {NO_LIMIT}", f"set {name}={example}"
        ) from None
    found = crawl.harvest if crawl.shared is None else crawl.shared.exchange.harvest()
    counts = {"pages": (found.pages, "pages are fetched"), "targets": (found.articles, "articles are kept")}
    if name in counts and limit is not None and limit <= counts[name][0]:
        fault = "{} {} already".format(*counts[name])
        raise ArgumentError(
            f"set {name}={value}", fault, "give a larger number, or end the crawl with the verb stop"
        )
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
    try:
        return _SHARE.validate_python(value)
    except ValidationError:
        raise ArgumentError(f"set {name}={value}", f"must be {A_SHARE}", f"set {name}=0.2") from None


def _names(crawl: Crawl) -> str:
    own = sorted(f"{STRATEGY_PREFIX}{key}" for key in type(crawl.strategy).changeable)
    return ", ".join([TOPIC, PAGE_THRESHOLD, LINK_THRESHOLD, *LIMITS, *own])
