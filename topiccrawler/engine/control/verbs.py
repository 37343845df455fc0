"""Implements the control requests that a running crawl accepts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.judging import Changes, queue_again
from topiccrawler.crawling.teaching import answered
from topiccrawler.engine.control import client
from topiccrawler.engine.control.changes import change_of
from topiccrawler.engine.control.metrics import metrics_text
from topiccrawler.engine.control.relearning import go_on_taught
from topiccrawler.engine.control.status import CLOSING, PAUSED, RUNNING, status_of
from topiccrawler.engine.control.waiting import count, drop, slices
from topiccrawler.engine.pausing import Pause
from topiccrawler.engine.scheduler import focused_scheduler
from topiccrawler.engine.waking import WAKE
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.urls.unwanted import block_of

if TYPE_CHECKING:
    from topiccrawler.engine.control.server import Values, Verb

STOPPED = "stopped"  # finish_reason
logger = logging.getLogger(__name__)


@cache
def _changes() -> TypeAdapter[Changes]:
    return TypeAdapter(Changes)


class Verbs:
    """The control requests (verbs) of one crawl, each a method from the request's values to a JSON object or a text."""

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._crawler, self._crawl = crawler, crawl
        self._engine, self._scheduler = crawler.engine, focused_scheduler(crawler)
        self._pause = Pause(self._engine, wakes=self._scheduler is not None)
        self._began, self._paused_at, self._pauses = crawl.clock(), 0.0, 0.0
        self._stopped = False

    @property
    def asks(self) -> Mapping[str, Verb]:
        """The verbs that change nothing, by name."""
        return {name: getattr(self, name) for name in ("status", "metrics")}

    @property
    def orders(self) -> Mapping[str, Verb]:
        """The verbs that change something, by name."""
        return {
            name: getattr(self, name)
            for name in ("pause", "resume", "stop", "set", "block", "teach", "judge", "judged")
        }

    async def status(self, _: Values) -> Values:
        """The status of the crawl (status_of)."""
        return self._status()

    async def metrics(self, _: Values) -> str:
        """The metrics for Prometheus, as text."""
        shared = self._crawl.shared
        families = [] if shared is None else [shared.stats_family]
        return metrics_text(self._crawler.stats.get_stats(), self._status(), families)

    async def pause(self, _: Values) -> Values:
        """Pause the crawl, and return the status."""
        self._check_open()
        if not self._engine.paused:
            self._note("pause")
            self._pause.pause()
            self._paused_at = self._crawl.clock()
        return self._status()

    async def resume(self, _: Values) -> Values:
        """Resume the crawl, and return the status."""
        self._check_open()
        if self._engine.paused:
            self._note("resume")
            self._pauses += self._crawl.clock() - self._paused_at
            self._pause.resume()
        return self._status()

    async def stop(self, _: Values) -> Values:
        """Close the spider as Ctrl-C does, and return the status: pages under way are still read and stored."""
        self._check_open()
        self._note("stop")
        if self._crawl.opinions is not None:
            self._crawl.opinions.is_stopped = True
        self._stopped = True
        deferred_from_coro(self._engine.close_spider_async(reason=STOPPED))
        return self._status()

    async def set(self, values: Values) -> Values:
        """Change `name` to `value`; with `preview` only return what that would do."""
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
            self._crawl.files.commit()  # the caller judges all pages that were stored before
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
        """Drop, and refuse from now on, the URLs of a `pattern` or a `site`; with `preview` only count the waiting ones."""
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
        """Continue the crawl with the topic that its job was taught (job.json); with `keep` the strategy keeps what it has learned."""
        self._check_open()
        crawl = self._crawl
        await go_on_taught(crawl, keep=bool(values.get("keep")))
        crawl.files.commit()  # the caller judges all pages that were stored before
        self._note("teach", answers=len(answered(crawl.files.folder)))
        return {"queued": crawl.frontier.look().waiting()}

    async def judge(self, values: Values) -> Values:
        """Write what judging stored pages again has changed: see crawling.judging.Changes."""
        self._check_open()
        try:
            changes = _changes().validate_python(dict(values))
        except ValidationError:
            raise ArgumentError("judge", "has no judgements of pages", "see crawling/judging.py") from None
        files = self._crawl.files
        changes.write(files.store, files.discarded, self._crawl.keep, self._crawl.clock())
        return {"pages": len(changes.pages)}

    async def judged(self, values: Values) -> Values:
        """Correct the counts of kept pages by what judging the stored pages again has changed, fetch the pages `again` that were off topic,
        and return how many of these are `queued`."""
        self._check_open()
        crawl, again = self._crawl, values.get("again", [])
        try:
            kinds, formats = (dict[str, int](values.get(name) or {}) for name in ("kinds", "formats"))
            counts = int(values.get("gained", 0)), int(values.get("copies", 0))
            crawl.correct_counts(*counts, kinds, formats)
            changes = [f"{int(values.get(name, 0))} {name}" for name in ("refused", "restored", "found")]
        except (TypeError, ValueError):
            raise ArgumentError("judged", "has no counts", "see docs/control.md") from None
        if not isinstance(again, list) or not all(isinstance(url, str) for url in again):
            raise ArgumentError("judged", "has no list of URLs", 'send {"again": [...]}')
        queued = queue_again(crawl.frontier, again, crawl.clock())
        crawl.files.commit()
        crawl.frontier.commit()
        if self._scheduler is not None:
            self._engine.crawl(WAKE)
        logger.info("Stored pages were judged again: %s; %d are fetched again", ", ".join(changes), queued)
        return {"queued": queued}

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
