"""`scrapy topics learn NAME`: a topic from example pages, by the MySpider thesis."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError, TopicError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.relevance.training.example_topic import LearnedTopic, Method, Statistics
    from topiccrawler.seeding.example_pages import Sources
    from topiccrawler.topics.meaning import Kindred

USAGE = "learn NAME --positive FILES|URLS|JOB... [--negative FILES|URLS|JOB...] [--top N] [--near N] [--thesis] [--label LABEL] [--zh 名] [--out FILE] [--force]"
SECONDS = 20.0  # for one answer of a site
SHOWN = 12


def add_options(add: Callable[..., argparse.Action]) -> None:
    """The step's own options."""
    what = "files (HTML, text, JSON lines), folders, jobs, http(s) addresses"
    add("--positive", nargs="+", action="extend", default=[], metavar="PAGES", help=f"about it: {what}")
    add("--negative", nargs="+", action="extend", default=[], metavar="PAGES", help="not about it: the same")
    add("--label", action="append", default=[], metavar="LABEL", help="what documents about it are labelled")
    add("--top", type=int, metavar="N", help="words learned, 30 to 1000 (default 300)")
    near = "near words proposed for them (default 600; 0: none, nor the catalogue's)"
    add("--near", type=int, metavar="N", help=near)
    thesis = "the thesis alone: no near words, no words against, information gain of occurrences"
    add("--thesis", action="store_true", help=thesis)


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
    command.report(opts, told, "\n".join(_lines(found, sources, counts, place)))


def _method(opts: argparse.Namespace) -> Method:
    from topiccrawler.relevance.training.example_topic import THESIS, Method

    method = THESIS if opts.thesis else Method()
    if opts.top is not None:
        method = replace(method, words=opts.top)
    if opts.near is not None:
        method = replace(method, near_words=opts.near)
    for name, number, least, most in (
        ("top", method.words, 30, 1_000),
        ("near", method.near_words, 0, 2_000),
    ):
        if not least <= number <= most:
            raise ArgumentError(f"--{name} {number}", "is out of range", f"give {least} to {most}")
    return method


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


def _lines(found: LearnedTopic, sources: Sources, counts: tuple[int, int], place: Path) -> list[str]:
    topic = found.topic
    first = ", ".join(f"{word} {weight:g}" for word, weight in list(topic.keywords.items())[:SHOWN])
    lines = [
        f"{len(topic.keywords)} words of {counts[0]} positive and {counts[1]} negative pages: {first}, …"
    ]
    if found.kin:
        lines.append(_of_kin(found.kin))
    lines += [f"left out: {name} ({fault})" for name, fault in list(sources.faults.items())[:SHOWN]]
    if found.statistics is None:
        lines.append(
            f"page threshold {topic.page_threshold}: ten pages of each side would give one of its own"
        )
    else:
        lines += _statistics(found.statistics)
    return [*lines, f"{place}: scrapy topics show {place} says why each word; crawl with -a topic={place}"]


def _of_kin(kin: Kindred) -> str:
    if not kin.share:
        return f"the pages are about a part of the catalogue's topic {kin.name}: its words are left out"
    return f"the pages are about the catalogue's topic {kin.name}: its words count {kin.share:.2f} (--near 0 leaves them out)"


def _kin_as_json(kin: Kindred | None) -> dict[str, Any] | None:
    return None if kin is None else {"topic": kin.name, "share": round(kin.share, 3)}


def _statistics(own: Statistics) -> list[str]:
    right = own.titled_positive / max(1, own.titled)
    quality = f"precision {own.vsm.precision:.3f}, recall {own.vsm.recall:.3f}"
    thesis = f"the thesis' cosine F1 {own.cosine.f1:.3f} at {own.cosine_threshold:.3f}"
    titled = f"of {own.titled} pages with one of the first 30 words in the title {right:.1%} are about it"
    found = f"{own.titled_positive} of {own.positive} positive pages have one"
    weight = f"{own.first_words:.1%} of the weight, {own.first_occurrences:.1%} of the occurrences"
    return [
        f"held out: F1 {own.vsm.f1:.3f} at the page threshold ({quality}); {thesis}",
        f"{titled} (thesis: 97.8 %); {found}",
        f"the first 30 of 100 words have {weight} (thesis: 85 %)",
    ]


def _as_json(own: Statistics | None) -> dict[str, Any] | None:
    return None if own is None else asdict(own)
