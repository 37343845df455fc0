"""`set topic=NAME`: a running crawl goes on for another topic.

The conflict: page classifier, link model, strategy and gate are all of the topic, and what the strategy has learned is of the old one. So all of
them are made anew, and the queue is scored as if its links were met now: page by page, in the order they came, each page as relevant to the new
topic as its stored text is, and not at all where no text is kept. The queue itself, host clocks, budgets and files go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.linking_pages import begin_anew, linking_pages_of
from topiccrawler.crawling.topic_pages import words_of_record
from topiccrawler.engine.runtime import Runtime
from topiccrawler.errors import ArgumentError
from topiccrawler.model import Link, Page, Score
from topiccrawler.pages.summary import Summariser
from topiccrawler.strategies.base import ROOT


def parts_for(runtime: Runtime, topic: str) -> Parts:
    """Those of the crawl for another topic; ArgumentError for the one it has, TopicError for one there is not."""
    if runtime.shared:
        raise ArgumentError(
            f"set topic={topic}", "the crawl is shared in Redis", "begin another one: -a job=NAME"
        )
    of_old: dict[str, Any] = {"topic_fields": None, "strategy_topic": None, "keywords": (), "off_topic": ()}
    recipe = replace(runtime.parts.recipe, topic=topic, **of_old)
    parts = assemble(recipe)
    if parts.topic.name == runtime.topic.name:
        raise ArgumentError(f"set topic={topic}", "is the topic already", "name another one")
    return parts


def change_topic(runtime: Runtime, parts: Parts) -> None:
    """From now on; what waits is scored by `rescore`."""
    runtime.parts, runtime.topic, runtime.strategy = parts, parts.topic, parts.strategy
    runtime.reader, runtime.summariser = (
        parts.reader(runtime.reader.repeats),
        Summariser(parts.topic.keywords),
    )
    gate = runtime.gate  # middlewares hold it
    gate.scorer, gate.threshold = parts.gate.scorer, parts.gate.threshold
    gate.tunnel_probability, gate.tunnel_depth = parts.gate.tunnel_probability, parts.gate.tunnel_depth
    runtime.hosts.worth = parts.strategy.worth
    runtime.restrictions = replace(runtime.restrictions, sites=parts.topic.sites)
    runtime.params = runtime.params.model_copy(update={"topic": parts.recipe.topic, "keywords": ()})
    runtime.ordering.change_strategy(parts.strategy, parts.expand)
    notes = runtime.frontier.notes
    begin_anew(notes, runtime.clock())
    runtime.ordering.linking_pages = linking_pages_of(parts.recipe, parts.page_classifier, notes, ())
    runtime.files.keep_recipe(parts.record(), parts.topic.name)  # the job is one for this topic from now on


def rescore(runtime: Runtime, links: Sequence[Link]) -> None:
    """Score waiting links by what is known now."""
    runtime.frontier.rescore(_scores(runtime, links))


def _scores(runtime: Runtime, links: Sequence[Link]) -> Iterator[Score]:
    for source, shown in groupby(links, key=lambda link: link.source_url):
        group = list(shown)
        page = _page(runtime, source, group[0].depth - 1) if source else ROOT
        yield from runtime.strategy.visit(page, group)


def _page(runtime: Runtime, url: str, depth: int) -> Page:
    """A page that was fetched, as far as its text is kept."""
    record = runtime.files.store.get(url)
    if record is None:
        return Page(url, depth)
    classifier = runtime.parts.page_classifier
    words = words_of_record(record, in_segments=classifier.reads_segments)
    relevance = classifier.relevance(words)
    return Page(
        url,
        depth,
        record.title,
        similarity=classifier.similarity(words),
        is_target=relevance >= classifier.threshold,
        relevance=relevance,
    )
