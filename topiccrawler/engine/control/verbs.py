"""The requests that a running crawl accepts, and how `set` applies a change while it runs.

`set NAME=VALUE`: queued links stay. Where a change changes scores, the strategy's own refresh scores the queue anew, a slice a page.

`set topic=NAME`. The conflict: page classifier, link model, strategy and gate are all of the topic, and what the strategy has learned is of the
old one. So all of them are made anew, and the queue is scored as if its links were met now: page by page, in the order they came, each page
as relevant to the new topic as its stored text is, and not at all where no text is kept. The queue itself, host clocks, budgets and
files go on.

What a running crawl knows of its queue: the best URLs that wait, the hosts with most of them, and all of one URL.

All that waits is read a slice at a time, so that the crawl goes on between two of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from heapq import nlargest
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro

from topiccrawler.crawling.assemble import Parts, assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.explanation import (
    LONGEST_PATH,
    History,
    Step,
    crawl_as_json,
    explain,
    explained,
    heaviest_shares,
)
from topiccrawler.crawling.job_files import VISITS, read_recipe
from topiccrawler.crawling.recipe import STRATEGY_PREFIX
from topiccrawler.crawling.settings_check import Number
from topiccrawler.crawling.teaching import answered, words_of_record
from topiccrawler.engine.control import client
from topiccrawler.engine.control.status import CLOSING, PAUSED, RUNNING, metrics_text, status_of
from topiccrawler.engine.politeness import WAKE, Pause
from topiccrawler.engine.scheduler import focused_scheduler
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import State
from topiccrawler.model import Link, Page, Score, Visit
from topiccrawler.results.summary import link_as_json, wait_of
from topiccrawler.store.visits import read_visits
from topiccrawler.strategies import build, parameters_of
from topiccrawler.strategies.base import ROOT
from topiccrawler.urls.canonical import canonical
from topiccrawler.urls.unwanted import Block, block_of

SLICE_URLS = 500  # some 10 ms


async def slices(crawl: Crawl) -> AsyncIterator[tuple[Link, ...]]:
    """The waiting links, oldest first."""
    waiting = crawl.frontier.look().queued()
    while links := tuple(islice(waiting, SLICE_URLS)):
        yield links
        await asyncio.sleep(0)


async def count(crawl: Crawl, block: Block) -> int:
    """How many of the waiting URLs it would drop."""
    return sum([sum(block.matches(link.url) for link in links) async for links in slices(crawl)])


async def drop(crawl: Crawl, block: Block) -> int:
    """Discard what waits and matches; what is met from now on stays out. Returns how many were dropped."""
    frontier, dropped = crawl.frontier, 0
    crawl.blocks.add(block)
    async for links in slices(crawl):
        for link in links:
            if block.matches(link.url) and frontier.lease(crawl.clock(), target=(link, Score(link.url, 0.0))):
                frontier.end(link.url, State.DISCARDED, block.reason, crawl.clock())
                dropped += 1
    frontier.commit()
    return dropped


def top(crawl: Crawl, count: int) -> list[dict[str, Any]]:
    """The best that wait, with what their scores are made of, the path from the seed and why their hosts wait; as `scrapy frontier --json`
    has them."""
    now = crawl.clock()
    waits = {host: (reason, until) for host, reason, until in crawl.hosts.waiting(now)}
    return [
        {
            **link_as_json(row.link),
            "score": row.score,
            "shares": heaviest_shares(crawl.parts, row),
            "path": [
                {"url": step.link.url, "anchor": step.link.anchor} for step in _path(crawl, row.link.url)
            ],
            **wait_of(waits.get(row.link.host), now),
        }
        for row in crawl.frontier.look().best(count)
    ]


def sites(crawl: Crawl, count: int) -> list[dict[str, Any]]:
    """The hosts with most waiting URLs: how many, and why they wait. O(URLs)."""
    now = crawl.clock()
    waits = {host: (reason, until) for host, reason, until in crawl.hosts.waiting(now)}
    waiting = crawl.frontier.look().waiting_by_host()
    first = nlargest(count, waiting, key=lambda host: (waiting[host], host))
    return [{"host": host, "waiting": waiting[host], **wait_of(waits.get(host), now)} for host in first]


async def why(crawl: Crawl, url: str) -> dict[str, Any]:
    """What `scrapy explain --json` says of a URL, by the crawl's own parts as they are now. ArgumentError for no URL, StateError
    for one that the crawl never met."""
    clean = canonical(url, extra_parameters=crawl.parts.dropped_parameters)
    if clean is None:
        raise ArgumentError(f"URL {url!r}", "is no http(s) URL", "write it as http://host/path")
    row = crawl.frontier.look().row(clean)
    if row is None:
        fault = "was never met, or the link gate refused every link to it"
        raise StateError(f"URL {clean}", fault, "check its spelling")
    steps = _path(crawl, clean)
    visits = await asyncio.to_thread(_visits, crawl, clean)
    record = crawl.files.store.get(clean) if crawl.files.has_pages else None
    history = History(row, visits, record, steps, not steps[0].link.source_url)
    explanation, strategy = explain(crawl.parts, history), crawl.parts.recipe.strategy
    found = explained(crawl.parts, row.link, explanation, strategy, crawl.admission, row.tunnel)
    return {
        **found,
        "crawl": crawl_as_json(history, crawl.files.folder, crawl.parts, crawl.reader.page_threshold),
    }


def _path(crawl: Crawl, url: str) -> tuple[Step, ...]:
    """From the seed, as far as the queue has it."""
    steps: dict[str, Step] = {}
    while url not in steps and len(steps) < LONGEST_PATH:
        row = crawl.frontier.look().row(url)
        if row is None:
            break
        steps[url] = Step(row.link, row.score, row.state.value)
        url = row.link.source_url
    return tuple(reversed(steps.values()))


def _visits(crawl: Crawl, url: str) -> tuple[Visit, ...]:
    path = crawl.files.folder / VISITS
    return tuple(visit for visit in read_visits(path) if visit.url == url) if path.is_file() else ()


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


if TYPE_CHECKING:
    from topiccrawler.engine.control.server import Values, Verb

STOPPED = "stopped"  # finish_reason
MOST_SHOWN, MOST_TOP = 10, 1000  # URLs, without a number and with one


class Verbs:
    """Of one crawl."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler, self._crawl = crawler, crawl
        self._engine, self._scheduler = crawler.engine, focused_scheduler(crawler)
        self._pause = Pause(self._engine, wakes=self._scheduler is not None)
        self._began, self._paused_at, self._pauses = crawl.clock(), 0.0, 0.0
        self._stopped = False

    @property
    def asks(self) -> Mapping[str, Verb]:
        """Verbs that change nothing."""
        return {name: getattr(self, name) for name in ("status", "top", "sites", "why", "metrics")}

    @property
    def orders(self) -> Mapping[str, Verb]:
        """Verbs that change something."""
        return {name: getattr(self, name) for name in ("pause", "resume", "stop", "set", "block", "teach")}

    async def status(self, _: Values) -> Values:
        """The state of the crawl."""
        return self._status()

    async def top(self, values: Values) -> Values:
        """The best that wait; `n`: how many."""
        return {"top": top(self._crawl, self._number("top", values))}

    async def sites(self, values: Values) -> Values:
        """The hosts with most waiting URLs; `n`: how many."""
        return {"sites": sites(self._crawl, self._number("sites", values))}

    async def why(self, values: Values) -> Values:
        """Why a `url` has its score, what the gate says, what became of it."""
        self._check_open()
        return await why(self._crawl, str(values.get("url", "")))

    async def metrics(self, _: Values) -> str:
        """The figures for Prometheus."""
        shared = self._crawl.shared
        families = [] if shared is None else [shared.stats_family]
        return metrics_text(self._crawler.stats.get_stats(), self._status(), families)

    async def pause(self, _: Values) -> Values:
        """No request leaves from now on."""
        self._check_open()
        if not self._engine.paused:
            self._note("pause")
            self._pause.pause()
            self._paused_at = self._crawl.clock()
        return self._status()

    async def resume(self, _: Values) -> Values:
        """Go on."""
        self._check_open()
        if self._engine.paused:
            self._note("resume")
            self._pauses += self._crawl.clock() - self._paused_at
            self._pause.resume()
        return self._status()

    async def stop(self, _: Values) -> Values:
        """End as after Ctrl-C: what is under way is read and kept."""
        self._check_open()
        self._note("stop")
        self._stopped = True
        deferred_from_coro(self._engine.close_spider_async(reason=STOPPED))
        return self._status()

    async def set(self, values: Values) -> Values:
        """Change `name` to `value`; with `preview` only say what that would do."""
        self._check_open()
        name, value = str(values.get("name", "")), values.get("value", "")
        change = change_of(self._crawl, name, str(value))
        refused = None
        if change.refuses is not None:
            refused = sum([change.refuses(links) async for links in slices(self._crawl)])
        answer = {"name": name, "before": change.before, "after": change.after}
        names = change.names or (change.before, change.after)
        if not values.get("preview"):
            change.make()
            self._note("set", name=name, before=names[0], after=names[1])
            if change.rescore is not None:
                async for links in slices(self._crawl):
                    change.rescore(links)
                self._crawl.checkpoint()
            if self._scheduler is not None:
                self._scheduler.end_if_enough()
                self._engine.crawl(WAKE)
        return {
            **answer,
            **({} if change.names is None else {"before_name": names[0], "after_name": names[1]}),
            "refused": refused,
            "queued": self._crawl.frontier.look().waiting(),
            "preview": bool(values.get("preview")),
        }

    async def block(self, values: Values) -> Values:
        """Drop and keep out the URLs of a `pattern` or a `site`; with `preview` only count them."""
        self._check_open()
        block = block_of(str(values.get("pattern") or ""), str(values.get("site") or ""))
        queued, preview = self._crawl.frontier.look().waiting(), bool(values.get("preview"))
        if preview:
            dropped = await count(self._crawl, block)
        else:
            dropped = await drop(self._crawl, block)
            self._note("block", **asdict(block), dropped=dropped, queued=queued)
        return {"dropped": dropped, "queued": queued, "preview": preview}

    async def teach(self, values: Values) -> Values:
        """Go on for the topic that the job was taught (job.json); with `keep` the strategy keeps what it has learned."""
        self._check_open()
        crawl, keep = self._crawl, bool(values.get("keep"))
        parts = taught_parts(crawl)
        if keep:
            parts.strategy.load(dict(crawl.strategy.save()))
        crawl.change_topic(parts, crawl.clock(), is_same=True)
        self._note("teach", answers=len(answered(crawl.files.folder)))
        if keep:
            crawl.ordering.ask_refresh()
        else:
            async for links in slices(crawl):
                rescore(crawl, links)
        crawl.checkpoint()
        return {"queued": crawl.frontier.look().waiting()}

    def _number(self, verb: str, values: Values) -> int:
        self._check_open()
        value = str(values.get("n", MOST_SHOWN))
        if not value.isdecimal() or not 0 < int(value) <= MOST_TOP:
            raise ArgumentError(f"{verb} {value}", "is no such number", f"give one from 1 to {MOST_TOP}")
        return int(value)

    def _note(self, verb: str, **what: Any) -> None:
        client.note(self._crawl.files.folder, self._crawl.clock(), verb, what)

    def _status(self) -> dict[str, Any]:
        until = self._paused_at if self._engine.paused else self._crawl.clock()
        state = CLOSING if self._is_closing() else PAUSED if self._engine.paused else RUNNING
        seconds = until - self._began - self._pauses
        return status_of(self._crawl, self._scheduler, state=state, held=self._pause.held, seconds=seconds)

    def _is_closing(self) -> bool:
        return self._stopped or not self._engine.running or self._engine.scheduler is None

    def _check_open(self) -> None:
        if self._is_closing():
            raise StateError("the crawl", "is closing", "give its command again to go on with it")
