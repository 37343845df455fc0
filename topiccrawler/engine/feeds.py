"""Extends Scrapy's feed export (`-o out.jsonl`): a feed that cannot be written ends the crawl with one line and exit code 1.

Scrapy logs a traceback for each item that a full disk refuses, or leaves the feed out, and reports success. What can be checked in advance
is checked before the first request.

`XmlFeed` writes well-formed XML, whatever characters a page has.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlparse
from xml.sax.saxutils import XMLGenerator

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.exporters import XmlItemExporter
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.settings import BaseSettings
from w3lib.url import file_uri_to_path

from topiccrawler.engine.faults import reported_by_scrapy
from topiccrawler.engine.opening import crawl_of, faults_of, needed_crawl
from topiccrawler.errors import ArgumentError, StateError, file_faults

FEED_FAILED = "feed_failed"  # finish_reason
_FAILED_COUNT = "feedexport/failed_count/"  # Scrapy's stats key
_FILLED_IN = re.compile(r"%\(\w+\)")  # %(time)s and the like
_REMEDY = "name another file"


def check_feeds(settings: BaseSettings) -> None:
    """Raise ArgumentError for a feed whose storage Scrapy does not know, or whose file cannot be written."""
    kinds = {kind for kind, storage in settings.getwithbase("FEED_STORAGES").items() if storage is not None}
    for feed in settings.getdict("FEEDS"):
        uri = str(feed.absolute()) if isinstance(feed, Path) else str(feed)
        scheme = urlparse(uri).scheme
        if scheme not in kinds:
            known = ", ".join(sorted(kinds - {""}))
            raise ArgumentError(f"feed {uri}", f"{scheme}: is no storage Scrapy knows", f"it knows {known}")
        if scheme in {"", "file"} and not _FILLED_IN.search(uri):
            _check_file(Path(file_uri_to_path(uri) if scheme else uri))


def _check_file(path: Path) -> None:
    with file_faults(ArgumentError, f"feed {path}", "cannot be written", _REMEDY):
        is_new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
        if is_new:
            path.unlink()


class FatalFeedExporter(FeedExporter):
    """Scrapy extension that replaces FeedExporter: an error in a feed ends the crawl. For spiders that are not ours it behaves as
    Scrapy's."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        try:
            return super().from_crawler(crawler)
        except NotConfigured:
            feeds = ", ".join(map(str, crawler.settings.getdict("FEEDS")))
            if not feeds or crawl_of(crawler) is None:
                raise
        with reported_by_scrapy(crawler.settings):
            raise ArgumentError(
                f"feed {feeds}", "cannot be stored, the log says why", "install it or use a file"
            )

    def item_scraped(self, item: Any, spider: Spider) -> None:
        keep = super().item_scraped
        self._of_each(lambda _: keep(item, spider))

    async def close_spider(self, spider: Spider) -> None:
        try:
            self._of_each(FeedSlot.finish_exporting)
        finally:
            await super().close_spider(spider)
        crawl = crawl_of(self.crawler)
        if crawl is not None and any(key.startswith(_FAILED_COUNT) for key in self.crawler.stats.get_stats()):
            faults_of(self.crawler).note("a feed could not be stored")  # Scrapy has logged why

    def _of_each(self, work: Callable[[FeedSlot], None]) -> None:
        """Call `work` for each feed separately; feeds that fail are left out from now on. An item that a feed cannot export (any error but
        OSError) leaves all feeds as they are; the first such error is raised at the end."""
        sound: list[FeedSlot] = []
        refused: Exception | None = None
        for slot in self.slots:
            self.slots = [slot]
            try:
                work(slot)
            except Exception as error:  # noqa: BLE001 raised below
                if isinstance(error, OSError) and crawl_of(self.crawler) is not None:
                    self._fail(slot, error)
                    continue
                refused = refused or error
            sound += self.slots
        self.slots = sound
        if refused is not None:
            raise refused

    def _fail(self, slot: FeedSlot, error: OSError) -> None:
        """End the crawl with the error, and close the feed's file: what is still to be written would fail again."""
        if slot.file is not None:
            with contextlib.suppress(OSError):
                slot.file.close()
        store = f"the pages so far are in {needed_crawl(self.crawler).files.folder}"
        fault = f"cannot be written: {error.strerror or error}"
        faults_of(self.crawler).end(
            StateError(f"feed {slot.uri}", fault, f"{store}; make room or {_REMEDY}"), FEED_FAILED
        )


@cache
def _not_xml() -> re.Pattern[str]:
    """What is no character of XML 1.0 (production 2). Compiled for the first XML feed: that takes 5 ms."""
    return re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlFeed(XmlItemExporter):
    """Item exporter for `-o FILE.xml`: leaves out characters that XML does not have. Scrapy writes them, and no parser reads the file."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.xg = _XmlWriter(self.stream, encoding=self.encoding or "utf-8")


class _XmlWriter(XMLGenerator):
    def characters(self, content: str) -> None:
        super().characters(_not_xml().sub("", content))
