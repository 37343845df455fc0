"""Asks a language model for second opinions beside the crawl, and applies them (TOPIC_JUDGE_URL).

`SecondOpinions` is the last item pipeline. The crawl never waits for it: pages pass at once by the verdict of the words, and one request
after the other is under way in the background. An opinion that comes later refuses a page that is stored, or sends the item of a page that
was dropped through the pipelines again. Only when the crawl ends are the last questions waited for, at most END_SECONDS.

A server that fails is given up for this run after MOST_FAILURES requests in a row; then the words decide.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from dataclasses import replace
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available

from topiccrawler.crawling.crawl import MOST_COPIES, Crawl
from topiccrawler.crawling.opinions import OPINIONS, Opinions, Question, judged, opinion_in, wish_of
from topiccrawler.crawling.page_filter import OFF_TOPIC
from topiccrawler.engine.chat_server import ChatServer, NoAnswerError
from topiccrawler.engine.faults import FatalFaults, reported_by_scrapy
from topiccrawler.engine.opening import faults_of, needed_crawl
from topiccrawler.engine.scheduler import focused_scheduler
from topiccrawler.errors import ArgumentError
from topiccrawler.items import NO, YES, PageItem, page_of
from topiccrawler.pages.read import ReadItem
from topiccrawler.relevance.second_opinion import UnusableAnswerError
from topiccrawler.store.opinions import OpinionLog, StoredOpinion
from topiccrawler.store.pages import PageRecord, record_of

logger = logging.getLogger(__name__)

KEY = "TOPIC_JUDGE_KEY"  # in the environment alone: settings are logged and stored
AT_ONCE = 5  # pages of a request: together some 3 000 tokens
END_SECONDS = 600.0  # that the last questions of a crawl may take
MOST_FAILURES = 3  # requests in a row
MOST_BODY = 500_000  # bytes of the HTML of a page that waits for its opinion


class SecondOpinions:
    """The second opinions of one crawl."""

    def __init__(
        self, crawler: Crawler, crawl: Crawl, opinions: Opinions, server: ChatServer, faults: FatalFaults
    ) -> None:
        self.crawl, self.opinions, self.server = crawl, opinions, server
        self._crawler, self._faults = crawler, faults
        self._working: asyncio.Future[None] | None = None
        self._failures = 0
        self._is_given_up = False
        self._is_judging_due = (
            False  # stored pages and the sample: the topic was taught, or a sampled page found
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not (address := settings.get("TOPIC_JUDGE_URL")):
            raise NotConfigured
        crawl = needed_crawl(crawler)
        if crawler.spidercls.start.__module__.startswith("scrapy.commands"):
            raise NotConfigured  # `fetch`, `parse`, `check`: one page, no job
        with reported_by_scrapy(settings):
            if settings.getbool("TWISTED_REACTOR_ENABLED", True) and not is_asyncio_available():
                raise ArgumentError(
                    "TOPIC_JUDGE_URL", "needs asyncio", "leave TWISTED_REACTOR as Scrapy has it"
                )
            model = str(settings["TOPIC_JUDGE_MODEL"])
            server = ChatServer(str(address), model, os.environ.get(KEY, "").strip())
            wish = wish_of(crawl.topic, crawl.parts.recipe.about)
            log = OpinionLog(crawl.files.folder / OPINIONS)
        opinions = Opinions(wish, server.model, log, crawl.filter, crawl.limits.opinions)
        crawl.opinions = opinions
        asking = cls(crawler, crawl, opinions, server, faults_of(crawler))
        crawler.signals.connect(asking.dropped, signals.item_dropped)
        return asking

    def open_spider(self) -> None:
        for record in self.opinions.unapplied(self.crawl.files.store):
            self._store(record)

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is None or page.opinion:
            return item
        if not page.alias_of:
            self.opinions.offer(page, page.relevance, is_kept=True)
            self._work()
            return item
        first = self.crawl.files.store.get(page.alias_of)
        if first is not None and first.opinion == NO:
            self._store(replace(record_of(page), **opinion_in(first)))
        return item

    def dropped(self, item: Any, response: Response | None, exception: BaseException) -> None:
        """Let a page wait that the words have refused, unless it asks not to be kept; signal handler."""
        if isinstance(item, ReadItem) and item.wishes.tags.no_index:
            return
        if isinstance(item, PageItem) and not item.opinion and str(exception) == OFF_TOPIC:
            if response is not None and len(response.body) > MOST_BODY:
                response = None  # the page is then kept without its HTML
            self.opinions.offer(item, item.relevance, is_kept=False, means=(item, response))
            self._work()

    async def close_spider(self) -> None:
        """Ask the last questions, and wait for their answers, unless a person ended the crawl or its files are broken."""
        try:
            async with asyncio.timeout(END_SECONDS):
                if self._working is not None and not self._goes_on(ending=True):
                    self._working.cancel()
                elif self._working is not None:
                    await self._working
                if self._goes_on(ending=True) and focused_scheduler(self._crawler) is not None:
                    await self._ask_last()
        except TimeoutError:
            logger.warning(
                "Second opinions: the last ones did not come within %g seconds; the words decide", END_SECONDS
            )
        finally:
            await self.server.close()
            await self._judge_again()
            self._show()
            self._report()

    async def _ask_last(self) -> None:
        files = self.crawl.files
        files.commit()
        self.opinions.offer_stored(files.store)
        await self._ask_all()
        if self.crawl.shared is None:
            await self._judge_again()
            files.commit()
            self.opinions.offer_sampled(files.store, files.discarded)
            await self._ask_all()

    async def _ask_all(self) -> None:
        if self.opinions.waiting:
            logger.info("Second opinions: asking about up to %d pages", len(self.opinions.waiting))
        while self._goes_on(ending=True) and (batch := self.opinions.next(AT_ONCE, ending=True)):
            await self._ask(batch)

    async def _judge_again(self) -> None:
        """Judge the stored pages by what opinions have taught, when the crawl has ended by itself."""
        if self._is_judging_due and not self._faults.broken and not self.opinions.is_stopped:
            from topiccrawler.engine.control.relearning import judge_stored  # most crawls never teach

            await judge_stored(self.crawl)
            self._is_judging_due = False

    def _goes_on(self, *, ending: bool = False) -> bool:
        """Whether more is asked. `ending`: after the crawl has ended by itself."""
        if self._is_given_up or self._faults.broken or not self._crawler.crawling or self.opinions.is_stopped:
            return False
        return ending or (self._crawler.engine.running and not self._crawler.engine.paused)

    def _work(self) -> None:
        """Ask in the background, if enough pages wait and nothing is under way."""
        is_working = self._working is not None and not self._working.done()
        if not is_working and len(self.opinions.waiting) >= AT_ONCE and self._goes_on():
            self._working = asyncio.ensure_future(self._ask_waiting())

    async def _ask_waiting(self) -> None:
        while len(self.opinions.waiting) >= AT_ONCE and self._goes_on():
            if not (batch := self.opinions.next(AT_ONCE)):
                return
            await self._ask(batch)

    async def _ask(self, batch: list[Question]) -> None:
        """Ask about a batch of pages and apply the answers. Never raises, except when it is cancelled."""
        before = self.opinions.given
        try:
            found = await self.server.ask(self.opinions.wish, [question.shown for question in batch])
        except UnusableAnswerError as fault:
            self.opinions.count("unusable_answers")
            logger.info("Second opinions: an answer %s; the words decide about %d pages", fault, len(batch))
            found = {}
        except NoAnswerError as fault:
            self.opinions.unanswered(batch)
            self._failed(fault)
            return
        self._failures = 0
        try:
            for question, opinion in self.opinions.answered(batch, found, time.time()):
                await self._apply(question, opinion)
            if self.opinions.teaching_due(before) and self.crawl.shared is None:
                from topiccrawler.engine.control.relearning import (
                    teach_by_opinions,  # most crawls never teach
                )

                self._is_judging_due |= await teach_by_opinions(self.crawl, self.opinions.answers())
        except Exception as error:  # noqa: BLE001 reported by break_off
            self._faults.break_off(error)
        self._show()

    async def _apply(self, question: Question, opinion: StoredOpinion) -> None:
        """Let an opinion decide about its page: stored, or dropped and waiting."""
        is_about = opinion.about == YES
        if question.is_kept:
            record = self.crawl.files.store.get(opinion.url)
            if record is not None and not record.alias_of:
                self._store(judged(record, opinion))
                if not is_about:
                    self._count(record, is_kept=False)
                    self._refuse_copies(judged(record, opinion))
        elif is_about and question.means is None:  # a page of the sample
            self._is_judging_due = True
        elif is_about:
            item, response = question.means
            await self._crawler.engine.scraper.start_itemproc_async(item, response=response)
            record = self.crawl.files.store.get(opinion.url)
            if record is not None:
                self.crawl.files.discarded.delete(record.url)
            if record is not None and not record.alias_of:
                self._count(record, is_kept=True)

    def _refuse_copies(self, first: PageRecord) -> None:
        for url in self.crawl.files.store.copies(first.url, MOST_COPIES):
            if (copy := self.crawl.files.store.get(url)) is not None:
                self._store(replace(copy, **opinion_in(first)))
                if copy.stored:
                    self.crawl.correct_counts(-1, -1, {copy.kind: -1}, {copy.format: -1})

    def _count(self, record: PageRecord, *, is_kept: bool) -> None:
        self.opinions.count("kept" if is_kept else "refused")
        change = 1 if is_kept else -1
        self.crawl.correct_counts(change, 0, {record.kind: change}, {record.format: change})

    def _store(self, record: PageRecord) -> None:
        self.crawl.keep(record)

    def _failed(self, fault: NoAnswerError) -> None:
        self._failures += 1
        self.opinions.count("failed_requests")
        if fault.is_final or self._failures >= MOST_FAILURES:
            self._is_given_up = True
            self.opinions.waiting.clear()
            logger.warning(
                "Second opinions: %s gives none (%s); the words decide", self.server.address, fault
            )
        self._show()

    def _report(self) -> None:
        names = ("yes", "no", "unanswered", "refused", "kept")
        if counts := self.opinions.counts:
            logger.info(
                "Second opinions: %d yes, %d no, %d pages without one; %d pages are refused and %d kept against the words",
                *(counts.get(name, 0) for name in names),
            )

    def _show(self) -> None:
        for name, count in self.opinions.counts.items():
            self._crawler.stats.set_value(f"topic/opinions/{name}", count)
