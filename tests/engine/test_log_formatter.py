import logging
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError
from scrapy.utils.log import logformatter_adapter
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from topiccrawler.engine.download_failures import NO_HOST
from topiccrawler.engine.log_formatter import CrawlLogFormatter, leave_out_traceback, soften

SPIDER = Spider("any")


def entry_of(formatter: CrawlLogFormatter, error: Exception, url: str) -> tuple[Any, ...]:
    """Level and text of what is logged, and whether the traceback is left out."""
    level, message, arguments = logformatter_adapter(
        formatter.download_error(Failure(error), Request(url), SPIDER)
    )
    record = logging.LogRecord(
        "scrapy.core.scraper", level, "", 0, message, (arguments,), (None, error, None)
    )
    assert leave_out_traceback(record)
    return record.levelname, record.getMessage(), record.exc_info is None


def test_a_dead_host_is_logged_once_and_other_failures_each() -> None:
    formatter = CrawlLogFormatter()
    gone, large = CannotResolveHostError("x"), DownloadCancelledError("x")
    level, text, is_quiet = entry_of(formatter, gone, "http://a.cn/1")
    assert (level, f" http://a.cn/1: {NO_HOST} " in text, is_quiet) == ("INFO", True, True)
    assert entry_of(formatter, gone, "http://a.cn/2")[0] == "DEBUG"
    assert entry_of(formatter, gone, "http://b.cn/2")[0] == "INFO"
    for number in range(2):
        line = f"Failed: http://a.cn/{number}: too large"
        assert entry_of(formatter, large, f"http://a.cn/{number}") == ("INFO", line, True)


def test_a_fault_of_the_program_stays_an_error_with_its_traceback() -> None:
    level, line, plain = entry_of(CrawlLogFormatter(), KeyError("x"), "http://a.cn/")
    assert (level, line, plain) == ("ERROR", "Error downloading <GET http://a.cn/>", False)


@pytest.mark.parametrize(
    ("name", "message", "error", "level"),
    [
        ("scrapy.spidermiddlewares.httperror", "Ignoring response <404 …>", None, "DEBUG"),
        ("scrapy.downloadermiddlewares.robotstxt", "Error downloading", CannotResolveHostError("x"), "DEBUG"),
        ("scrapy.downloadermiddlewares.robotstxt", "Error downloading", KeyError("x"), "WARNING"),
        ("scrapy.downloadermiddlewares.robotstxt", "something else", None, "WARNING"),
        ("scrapy.core.engine", "Ignoring response", None, "WARNING"),
    ],
)
def test_what_servers_do_is_no_warning_of_scrapys_either(
    name: str, message: str, error: Exception | None, level: str
) -> None:
    trace = (type(error), error, None) if error is not None else None
    record = logging.LogRecord(name, logging.WARNING, "", 0, message, None, trace)
    assert soften(record)
    assert (record.levelname, record.exc_info is None) == (level, level == "DEBUG" or error is None)


def test_the_filters_stand_on_scrapys_loggers() -> None:
    CrawlLogFormatter.from_crawler(get_crawler())
    CrawlLogFormatter.from_crawler(get_crawler())
    assert logging.getLogger("scrapy.spidermiddlewares.httperror").filters.count(soften) == 1
    assert logging.getLogger("scrapy.core.scraper").filters.count(leave_out_traceback) == 1
