"""Fetches pages of an earlier run again (`-a revisit=true`) with conditional requests, and records whether they have changed.

The conflict: a page that is fetched again is no new row, must not be refused by gate or budget, and must not be counted again in harvest or
budgets. Yet host clocks, retries, redirects and the end of a lease apply as for any page. So it is a lease of its own kind (`Lease.due`),
which the frontier does not know and whose request waits in the request queue.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence, Sized
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncgen import as_async_generator
from twisted.python.failure import Failure

from topiccrawler.crawling.fetch import Fetch
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.revisiting import Due, looked, looked_unchanged, missed
from topiccrawler.engine.leases import META, Leases
from topiccrawler.engine.store_wait import StoreWait, store_wait
from topiccrawler.frontier.base import Leased, Listing, Row, State
from topiccrawler.items import Outlinks, page_of
from topiccrawler.messages import Message
from topiccrawler.model import Link, Via
from topiccrawler.pages.read import ReadItem
from topiccrawler.store.page_checks import Check
from topiccrawler.store.pages import content_hash
from topiccrawler.urls.canonical import host_of

logger = logging.getLogger(__name__)

# requests in the request queue at once: enough that the most valuable go first, without holding all of them
AHEAD = 100
UNCHANGED, GONE = (304,), (404, 410)
CHANGED, SAME, DEAD, FAILED = "changed", "unchanged", "gone", "failed"  # outcomes


@dataclass(slots=True)
class Revisits:
    """The revisits of one run and their outcomes.

    `due`: the pages to revisit, the most valuable first. `listing`: view of the frontier, which has the link that first led to each page.
    `own_text(url, text)`: a stored text without the lines that its site is known by now to repeat (pages.read). `withdraw(url, refusal)`:
    refuses a stored page that asks not to be kept any more.
    """

    due: Sequence[Due]
    files: JobFiles
    listing: Listing
    own_text: Callable[[str, str], str]
    withdraw: Callable[[str, str], None]
    outcomes: Counter[str] = field(default_factory=Counter)
    _stats: StatsCollector | None = None  # set by `requests`, as Scrapy makes it after the spider
    _wait: StoreWait | None = None  # set if the pages are in a database

    @property
    def left(self) -> int:
        """The number of pages whose revisit has not ended."""
        return len(self.due) - self.outcomes.total()

    def lines(self) -> list[str]:
        """The summary's line on revisits: the number of pages by outcome."""
        return [
            Message(
                "{count} pages looked at again: {changed} changed, {same} unchanged, {gone} gone, {failed} failed",
                count=self.outcomes.total(),
                changed=self.outcomes[CHANGED],
                same=self.outcomes[SAME],
                gone=self.outcomes[DEAD],
                failed=self.outcomes[FAILED],
            )
        ]

    async def requests(
        self, spider: Spider, leases: Leases, failed: Callable[[Failure], Any], waiting: Sized
    ) -> AsyncIterator[Request]:
        """Yield one request for each page, at most AHEAD of them waiting at once. `failed`: errback of the requests; `waiting`: the request
        queue."""
        self._stats, self._wait = spider.crawler.stats, store_wait(spider.crawler, self.files)
        for place, due in enumerate(self.due):
            while len(waiting) >= AHEAD:
                await spider.crawler.signals.wait_for(signals.scheduler_empty)
            yield self._request(spider, leases, failed, due, place)

    def _request(
        self, spider: Spider, leases: Leases, failed: Callable[[Failure], Any], due: Due, place: int
    ) -> Request:
        row = self.listing.row(due.check.url) or _unlisted(due.check)
        lease = leases.begin(Fetch(Leased(row.link, row.score, row.carry, row.tunnel, b"", inf), due=due))

        async def parse(response: Response) -> AsyncIterator[Any]:
            if response.status not in UNCHANGED + GONE:
                async for output in self._compared(due, as_async_generator(spider.parse(response))):
                    yield output

        headers = {"If-None-Match": due.check.etag, "If-Modified-Since": due.check.modified}
        return Request(
            due.check.url,
            parse,
            errback=failed,
            headers={name: value for name, value in headers.items() if value},
            priority=-place,
            dont_filter=True,
            meta={
                META: lease.number,
                "via": Via(row.link, row.score, row.carry, row.tunnel),
                "depth": row.link.depth,
                "handle_httpstatus_list": [*UNCHANGED, *GONE],
                "dont_cache": True,
            },
        )

    async def _compared(self, due: Due, outputs: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield the spider's output for the page, and compute its digest."""
        async for output in outputs:
            page = page_of(output)
            if isinstance(output, ReadItem) and (refusal := output.wishes.tags.no_index):
                self.withdraw(output.url, refusal)
            is_list = isinstance(output, ReadItem) and output.reading and not output.reading.page.is_target
            if page is not None and not is_list:
                due.digest = content_hash(page.text)
                await self._compare(due, page.url)
            elif isinstance(output, Outlinks) and not due.digest:
                due.digest = content_hash("\n".join(sorted({link.url for link in output.links})))
            yield output

    async def _compare(self, due: Due, url: str) -> None:
        """Set the digest of the text before to that of the stored text, if that is known better by now."""
        if self._wait is None:
            record = self.files.store.get(url)
        else:
            record = await self._wait.result(self._wait.pages.get(url))
        if record is None or record.alias_of:  # a copy has no text of its own
            return
        # The stored text may have lines that were not known then to be repeated on the site: those are no change.
        before = content_hash(self.own_text(url, record.text))
        if due.check.digest in {"", record.content_hash}:
            due.check = replace(due.check, digest=before)
        if before == due.digest:
            self.files.html.is_same(url)

    def ended(self, fetch: Fetch, due: Due, now: float) -> None:
        """Record the outcome of the revisit of a page in the checks, the counts and the stats. The caller commits the files."""
        before, checks = due.check, self.files.checks
        outcome = FAILED
        if fetch.status in UNCHANGED:
            outcome, after = SAME, looked_unchanged(before, now, fetch.etag, fetch.modified)
        elif fetch.status in GONE:
            outcome, after = DEAD, missed(before, now)
        elif fetch.page is not None and not fetch.error:
            after = looked(before, now, digest=due.digest, etag=fetch.etag, modified=fetch.modified)
            outcome = CHANGED if after.changes > before.changes else SAME
        if outcome != FAILED:
            checks.put(after)
        self.outcomes[outcome] += 1
        if self._stats is not None:
            self._stats.inc_value(f"topic/revisits/{outcome}")
        logger.log(
            logging.INFO if outcome in {CHANGED, DEAD} else logging.DEBUG,
            "%s: %s",
            outcome.capitalize(),
            before.url,
        )


def _unlisted(check: Check) -> Row:
    """A row for a page that the queue does not have, because a redirect led to it or the queue is another one."""
    link = Link(check.url, host_of(check.url))
    return Row(link, 0.0, b"", 0.0, 0, State.COMPLETED, "", check.looked, check.looked)
