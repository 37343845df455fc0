"""Keeps a page whose body ended too early, after all attempts to get the whole of it.

The download handler flags such a body `dataloss`. Browsers show it. A second attempt may bring the rest, so the request is repeated as after
a failed download (RETRY_TIMES); what the last attempt brings is read.
"""

from __future__ import annotations

import logging
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import NotConfigured, ResponseDataLossError
from scrapy.http import Response

from topiccrawler.engine.leases import META

FLAG = "dataloss"  # Scrapy's, in response.flags
logger = logging.getLogger(__name__)


class IncompleteAnswerMiddleware:
    """Downloader middleware (560, behind redirects and decompression on the way back). Without effect if DOWNLOAD_FAIL_ON_DATALOSS is set."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._repeats = crawler.settings.getbool("RETRY_ENABLED")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler.settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS"):
            raise NotConfigured
        return cls(crawler)

    def _may_repeat(self, request: Request) -> bool:
        """Whether the request may be sent again at once. A link that fails waits in the queue; of one whose page came in part, a second
        attempt may bring the rest."""
        return META in request.meta or not request.meta.get("dont_retry")

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if FLAG not in response.flags or not 200 <= response.status < 300:
            return response
        spider = self._crawler.spider
        if not response.body and META in request.meta:
            raise ResponseDataLossError  # as a link that fails, it waits in the queue
        if self._repeats and spider is not None and self._may_repeat(request):
            again = get_retry_request(
                request,
                spider=spider,
                reason=ResponseDataLossError,
                give_up_log_level=logging.DEBUG,
            )
            if again is not None:
                return again
        if not response.body:
            raise ResponseDataLossError
        self._crawler.stats.inc_value("topic/incomplete")
        logger.info("Incomplete: %s: %d bytes came", response.url, len(response.body))
        return response
