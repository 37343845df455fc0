"""Item pipelines that classify pages, detect near-duplicates and store pages. Items that are no pages pass unchanged.

`RelevancePipeline` classifies pages and drops those below the page threshold, or excluded by a restriction.

`KnownTextPipeline` drops pages whose text an earlier job or corpus has (`-a known=`).

`NearDuplicatePipeline` drops pages whose text is known already, or turns them into aliases.

`StoragePipeline` writes pages to the page store of the job.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.known_texts import KnownTexts
from topiccrawler.crawling.page_filter import OFF_TOPIC, PageFilter, Restrictions
from topiccrawler.engine.faults import reported_by_scrapy
from topiccrawler.engine.opening import crawl_of, needed_crawl, parts_of_project
from topiccrawler.engine.scheduler import FocusedScheduler, focused_scheduler
from topiccrawler.engine.store_wait import StoreWait, store_wait
from topiccrawler.errors import ArgumentError
from topiccrawler.items import PageItem, alias, page_of
from topiccrawler.pages.formats.registry import HTML
from topiccrawler.pages.kinds import ARTICLE, kind_of_text
from topiccrawler.pages.languages import is_in, language_of
from topiccrawler.pages.page_evidence import packed
from topiccrawler.pages.read import PageWords, ReadItem
from topiccrawler.pages.site_repeats import fingerprint, may_be_same
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import Earlier, record_of
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.urls.canonical import host_of, site_of

TOO_OLD, FOREIGN = "older than wanted", "in another language"  # drop reasons
KNOWN_TEXTS, OTHER_LANGUAGES = "topic/skipped/known", "topic/skipped/language"  # stats keys
SHORT = 500  # characters; a shorter text is a copy only if the titles agree
AGREEING = 0.97  # share of the characters of two texts of one site, whose titles differ, from which they are one report
MOST_COMPARED = 20_000  # characters: 25 ms at worst


class RelevancePipeline:
    """Decides whether a page is kept: its relevance, the page threshold and the restrictions of date are applied here and nowhere else.

    The relevance is that of the page classifier: the number that the page was read with, where it has one, else it is computed here from
    the item's title and text, as for the items of any other spider. A page that is dropped may be stored in the sample of dropped pages, but
    not one that asks not to be kept (pages.robots_tags).

    `filter`: the filter of the crawl, or of the project's TOPIC for a spider that is not ours. `segmenter`: returns the one of its topic.
    `discarded`: returns the sample; it is called at the first dropped page. None = no sample is kept.
    """

    def __init__(
        self,
        filter: PageFilter,  # noqa: A002
        segmenter: Callable[[], Segmenter],
        stats: StatsCollector,
        *,
        crawl: Crawl | None = None,
        discarded: Callable[[], PageSample] | None = None,
    ) -> None:
        self.filter, self.stats = filter, stats
        self._segmenter, self._crawl, self._discarded = segmenter, crawl, discarded

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl, settings = crawl_of(crawler), crawler.settings
        if crawl is not None:
            return cls(
                crawl.filter,
                lambda: crawl.parts.segmenter,
                crawler.stats,
                crawl=crawl,
                discarded=lambda: crawl.files.discarded,
            )
        if not settings.get("TOPIC"):  # also of our own project, whose other spiders have no topic
            raise NotConfigured
        parts = parts_of_project(crawler, cls.__name__)
        kept = PageFilter.of(parts.page_classifier, Restrictions(sites=parts.topic.sites))
        return cls(kept, lambda: parts.segmenter, crawler.stats)

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is None:
            return item
        if not self._is_kept(item, page):
            raise DropItem(OFF_TOPIC)
        page, last_modified = (item, item.last_modified) if isinstance(item, ReadItem) else (page, "")
        if refusal := _no_index(item):
            self.stats.inc_value("topic/robots_tags/noindex")
            raise DropItem(refusal)
        if not page.kind:  # the item of another spider: its text is all that is known
            _set(item, "kind", kind_of_text(page.text))
        if self.filter.restrictions.is_old(page.url, page.published, last_modified):
            self.stats.inc_value("topic/skipped/older")
            raise DropItem(TOO_OLD)
        wanted = self.filter.restrictions.languages
        if wanted and not is_in(page.language or language_of(page.text or page.title), wanted):
            self.stats.inc_value(OTHER_LANGUAGES)
            raise DropItem(FOREIGN)
        return item

    def _is_kept(self, item: Any, page: PageItem) -> bool:
        """Classify an item; describe it if it is kept and was not expected to be. `page`: the item as a PageItem.

        The item's reading ends here: what a DropItem is raised with stays in memory until the next search for garbage.
        """
        reading, words = item.reading if isinstance(item, ReadItem) else None, None
        is_known = isinstance(page.relevance, int | float) and 0.0 <= page.relevance <= 1.0
        known = page.relevance if is_known else None
        if known is None:
            words = reading.words if reading is not None else self._words(page)
        opinions = None if self._crawl is None else self._crawl.opinions
        opinion = None if opinions is None else opinions.known(page)
        if opinion is not None:
            _set(item, "opinion", opinion.about)
            _set(item, "opinion_reason", opinion.reason)
        verdict = self.filter.verdict(words, known, page.url, "" if opinion is None else opinion.about)
        _set(item, "relevance", verdict.relevance)
        is_sampled = not verdict.is_kept and self._discarded is not None and self._discarded().takes(page.url)
        if isinstance(item, ReadItem):
            item.reading = None
        is_asked_about = opinions is not None and opinion is None and opinions.wants(verdict.relevance)
        may_be_kept = (verdict.is_kept or is_asked_about) and not _no_index(item)
        is_sampled = is_sampled and not _no_index(item)
        if reading is not None and isinstance(item, ReadItem) and (may_be_kept or is_sampled):
            item.evidence = packed(reading)
        if may_be_kept and self._crawl is not None and reading is not None and not reading.page.is_target:
            # the threshold is lower than the strategy's, or an opinion may keep the page
            self._crawl.items.describe(item, reading)
        if is_sampled and self._discarded is not None:
            sampled = replace(record_of(page), relevance=verdict.relevance, kind="", stored=False)
            self._discarded().add(sampled)
        return verdict.is_kept

    def _words(self, page: PageItem) -> PageWords:
        """The words of an item that no reader of ours has read."""
        in_segments = self.filter.classifier.reads_segments
        return words_of_record(record_of(page), self._segmenter(), in_segments=in_segments)


def _no_index(item: Any) -> str:
    """Why a page asks not to be kept, by the robots tags to obey; empty when it does not."""
    return item.wishes.tags.no_index if isinstance(item, ReadItem) else ""


def _set(item: Any, name: str, value: object) -> None:
    """Set a field of an item, if its type may have one."""
    if isinstance(item, ReadItem):
        setattr(item, name, value)
        return
    adapter = ItemAdapter(item)
    if isinstance(item, dict) or name in adapter.field_names():
        adapter[name] = value


class KnownTextPipeline:
    """Drops a page whose text is known (crawling.known_texts)."""

    def __init__(self, known: KnownTexts, stats: StatsCollector) -> None:
        self.known, self.stats = known, stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        crawl = crawl_of(crawler)
        if crawl is None or crawl.known is None:
            raise NotConfigured
        return cls(crawl.known, crawler.stats)

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is not None and self.known.has(page.text):
            self.stats.inc_value(KNOWN_TEXTS)
            raise DropItem(f"text is in {self.known.source}")
        return item


class NearDuplicatePipeline:
    """Drops a page whose main text equals or nearly equals that of an earlier page, or passes it on as an alias without text.

    `choice`: alias | drop | keep (no pages are compared). A page without main text is never a copy. Two pages of one site, or with a
    short text, are no copies when their titles differ: they share the boilerplate of a theme, or one quotes the other; but long articles whose
    texts agree are one report under two headlines.
    `across_sites`: whether pages of different sites are compared.
    """

    CHOICES = ("alias", "drop", "keep")

    def __init__(
        self, files: JobFiles, stats: StatsCollector, *, choice: str = "alias", across_sites: bool = True
    ) -> None:
        self.files, self.stats = files, stats
        self.choice, self.across_sites = choice, across_sites
        self.wait: StoreWait | None = None  # for fingerprints in a database

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        choice = str(crawler.settings.get("TOPIC_DUPLICATES", "alias"))
        if choice not in cls.CHOICES:
            remedy = f"use {', '.join(cls.CHOICES)}"
            with reported_by_scrapy(crawler.settings):
                raise ArgumentError(f"TOPIC_DUPLICATES={choice!r}", "is no choice", remedy)
        if choice == "keep":
            raise NotConfigured
        across = crawler.settings.getbool("TOPIC_DUPLICATES_ACROSS_SITES", True)
        pipeline = cls(needed_crawl(crawler).files, crawler.stats, choice=choice, across_sites=across)
        pipeline.wait = store_wait(crawler, pipeline.files)
        return pipeline

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is None:
            return item
        print_ = fingerprint(page.text, self.files.segmenter)
        if print_ is None:
            return item
        if self.wait is not None:
            index, may_be = self.wait.pages, partial(may_be_copy, page)
            handed = index.first_of(page.url, print_, across_sites=self.across_sites, may_be=may_be)
            return self._resolved_later(item, self.wait.result(handed))

        def may_be_copy_of(first: str) -> bool:
            other = self.files.store.get(first)
            earlier = None if other is None else Earlier(other.title, other.kind, other.text)
            return may_be_copy(page, first, earlier)

        first = self.files.duplicates.first_of(
            page.url, print_, across_sites=self.across_sites, may_be=may_be_copy_of
        )
        if first is not None and (original := self.files.store.get(first)) is not None and original.refused:
            raise DropItem(OFF_TOPIC)  # as its original by now (crawling.judging)
        return self._resolved(item, first)

    async def _resolved_later(self, item: Any, first: Awaitable[str | None]) -> Any:
        """Resolve the item when the database has answered; other items are processed meanwhile."""
        return self._resolved(item, await first)

    def _resolved(self, item: Any, first: str | None) -> Any:
        """The item itself when `first` is None; else its alias, or DropItem, because it is a copy of the page at `first`."""
        if first is None:
            return item
        self.stats.inc_value(f"topic/duplicates/{self.choice}")
        if self.choice == "drop":
            raise DropItem(f"copy of {first}")
        return alias(item, first)


def may_be_copy(page: PageItem, first: str, earlier: Earlier | None) -> bool:
    """Whether a page with a similar text may be a copy of the page at the URL `first`. `earlier`: that page; None = it is not stored yet.

    Between pages of one site, and for short texts, the titles must agree, or both are articles whose long texts do: equal lists of two tags
    are two pages.
    """
    if earlier is None or may_be_same(page.title, earlier.title):
        return True
    if len(page.text) < SHORT:
        return False
    is_far = site_of(host_of(page.url)) != site_of(host_of(first))
    return is_far or (page.kind == earlier.kind == ARTICLE and is_one_report(page.text, earlier.text))


def is_one_report(text: str, other: str) -> bool:
    """Whether two long texts have the share AGREEING of their characters in common, in order."""
    from rapidfuzz.distance import Indel  # here: few crawls find two pages so alike

    texts = (text[:MOST_COMPARED], other[:MOST_COMPARED])
    return Indel.normalized_similarity(*texts, score_cutoff=AGREEING) > 0.0


class StoragePipeline:
    """Writes pages to the job's page store.

    Our scheduler commits them before it ends their lease; under another scheduler each page is committed here. With a database, an item
    leaves this pipeline when its page is durable there, so the lease ends after that. With TOPIC_KEEP_HTML, the HTML of an item that has
    passed all pipelines is stored in the job too.

    `scheduler`: returns the crawl's scheduler when it is ours, else None. It is a function because Scrapy makes the scheduler after the
    pipelines.
    """

    def __init__(
        self, files: JobFiles, scheduler: Callable[[], FocusedScheduler | None] = lambda: None
    ) -> None:
        self.files = files
        self.wait: StoreWait | None = None  # for a database
        self._scheduler = scheduler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        pipeline = cls(needed_crawl(crawler).files, partial(focused_scheduler, crawler))
        pipeline.wait = store_wait(crawler, pipeline.files)
        if crawler.settings.getbool("TOPIC_KEEP_HTML"):
            crawler.signals.connect(pipeline.keep_html, signals.item_scraped)
        return pipeline

    def keep_html(self, item: Any, response: Response | None) -> None:
        """Store the HTML of a page that was stored with its text: not of an alias."""
        page = page_of(item)
        if page is not None and response is not None and page.format == HTML and page.text:
            declared = (response.headers.get("Content-Type") or b"text/html").decode("latin-1")
            self.files.html.put(page.url, response.body, page.fetched, response.status, declared)

    def process_item(self, item: Any) -> Any:
        page = page_of(item)
        if page is not None and self.wait is not None:
            handed = self.wait.pages.keep(record_of(page), self.files.segmenter)
            return self._stored(item, self.wait.result(handed))
        if page is not None:
            self.files.keep(record_of(page))
            if self._scheduler() is None:
                self.files.commit()
        return item

    async def _stored(self, item: Any, row: Awaitable[int]) -> Any:
        await row
        return item

    def close_spider(self) -> None:
        if self._scheduler() is None:
            self.files.close()
