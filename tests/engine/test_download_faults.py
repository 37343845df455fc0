import gzip

import pytest
from scrapy import Request, exceptions
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from twisted.internet import error as connections
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from topiccrawler.engine.download_failures import NO_HOST, reason_of


def failed(*reasons: Exception) -> Exception:
    """As Scrapy wraps what Twisted says of a response."""
    error = exceptions.DownloadFailedError("failed")
    error.__cause__ = ResponseFailed([Failure(reason) for reason in reasons])
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (exceptions.CannotResolveHostError("x"), NO_HOST),
        (connections.ConnectionRefusedError(), "connection refused"),
        (connections.NoRouteError(), "unreachable"),
        (connections.TCPTimedOutError(), "timeout"),
        (exceptions.ResponseDataLossError(), "incomplete answer"),
        (failed(connections.ConnectionLost()), "connection lost"),
        (failed(ValueError("no header"), connections.ConnectionDone()), "bad answer"),
        (exceptions.IgnoreRequest("max redirections reached"), "too many redirects"),
        (exceptions.IgnoreRequest("Forbidden by robots.txt"), None),
        (KeyError("in a middleware of the user's"), None),
    ],
)
def test_an_exception_is_put_in_a_few_words_unless_it_is_a_fault_of_the_program(
    error: Exception, reason: str | None
) -> None:
    assert reason_of(error) == reason


def test_what_is_raised_while_an_answer_is_read_is_the_answers_fault() -> None:
    reader = HttpCompressionMiddleware.from_crawler(get_crawler())
    response = Response("http://a.cn/", headers={"Content-Encoding": "gzip"}, body=b"plain")
    with pytest.raises(gzip.BadGzipFile) as caught:
        reader.process_response(Request("http://a.cn/"), response)
    assert reason_of(caught.value) == "bad answer"
