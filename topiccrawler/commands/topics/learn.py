"""`scrapy topics learn NAME`: a topic from example pages, by the MySpider thesis."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError, TopicError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.relevance.training.example_topic import Method, Statistics
    from topiccrawler.seeding.example_pages import Sources
    from topiccrawler.topics.meaning import Kindred

SECONDS = 20.0  # for one answer of a site


def work(command: ReportingCommand, name: str, opts: argparse.Namespace) -> None:
    """Learn, write, tell."""
    from topiccrawler.crawling.assemble import as_toml
    from topiccrawler.relevance.training.example_topic import Examples, learn

    method = _method(opts)
    if not opts.positive:
        raise ArgumentError("learn", "has no pages about it", "name some by --positive")
    place = command.new_file(user_path(opts.out or f"{name}.toml"), opts)
    sources = _sources(command, name, opts)
    positive = [one.words for one in sources.examples(opts.positive, positive=True)]
    negative = [one.words for one in sources.examples(opts.negative, positive=False)]
    if not positive and sources.other_labels:
        labels = ", ".join(sorted(filter(None, sources.other_labels))[:20])
        remedy = f"labels are {labels}; name one by --label"
        raise ArgumentError("--positive", f"no document is labelled {name}", remedy)
    found = learn(name, Examples(positive, negative), method, zh=opts.zh or "")
    command.write(place, as_toml(found.topic))
    counts = len(positive), len(negative)
    told = {"file": str(place), "positive": counts[0], "negative": counts[1], "faults": sources.faults}
    told |= {"keywords": len(found.topic.keywords), "threshold": found.topic.page_threshold}
    told |= {"statistics": _as_json(found.statistics), "kindred": _kin_as_json(found.kin)}
    of_both = {"topic": found.topic, "kin": found.kin, "own": found.statistics, "place": place}
    command.report(opts, told, command.text("learn", told | of_both))


def _method(opts: argparse.Namespace) -> Method:
    from topiccrawler.relevance.training.example_topic import THESIS, Method

    given = {"words": opts.top, "near_words": opts.near}
    method = THESIS if opts.thesis else Method()
    return replace(method, **{name: number for name, number in given.items() if number is not None})


def _sources(command: ReportingCommand, name: str, opts: argparse.Namespace) -> Sources:
    from topiccrawler.addon import introduce
    from topiccrawler.seeding.example_pages import PoliteFetcher, Sources
    from topiccrawler.seeding.http_client import HttpClient
    from topiccrawler.topics.catalogue import load_topic
    from topiccrawler.topics.labelled_texts import names_of

    settings = command.project
    introduce(settings)
    labels = {label.lower() for label in (name, opts.zh, *opts.label) if label}
    with suppress(TopicError):  # a name of its own
        labels |= names_of(load_topic(name))
    agent = command.setting("USER_AGENT") or ""
    guarded = not settings.getbool("TOPIC_PRIVATE_NETWORK")
    fetcher = PoliteFetcher(
        HttpClient(agent, seconds=SECONDS, guarded=guarded),
        agent,
        seconds=settings.getfloat("DOWNLOAD_DELAY"),
        obey=settings.getbool("ROBOTSTXT_OBEY"),
    )
    return Sources(frozenset(labels), fetcher.fetch)


def _kin_as_json(kin: Kindred | None) -> dict[str, Any] | None:
    return None if kin is None else {"topic": kin.name, "share": round(kin.share, 3)}


def _as_json(own: Statistics | None) -> dict[str, Any] | None:
    return None if own is None else asdict(own)
