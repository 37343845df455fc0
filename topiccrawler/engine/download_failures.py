"""Classifies failed downloads into a few reasons, which the stats, the log and the queue share.

The libraries below raise some twenty kinds of exceptions for failures of a remote server; a person asks whether the host is gone, slow or
broken. An error that the remote side has not caused has no such reason, and keeps its name and its traceback.
"""

from __future__ import annotations

from traceback import walk_tb

from scrapy import Request, exceptions
from scrapy.exceptions import IgnoreRequest
from twisted.internet import error as connections
from twisted.web.client import ResponseFailed

from topiccrawler.crawling.outages import Sign

NO_HOST, REFUSED, UNREACHABLE, TIMEOUT = "no such host", "connection refused", "unreachable", "timeout"
LOST, INCOMPLETE, TLS, BAD_ANSWER = "connection lost", "incomplete answer", "tls failed", "bad answer"
TOO_LARGE, REDIRECTS, NO_PROXY, SCHEME = "too large", "too many redirects", "proxy refused", "unsupported url"
# reasons of failures that may pass, and what each is a sign of; all but the last probably hold for every URL of the host
PASSING = {
    **dict.fromkeys((NO_HOST, REFUSED, UNREACHABLE, NO_PROXY), Sign(network=True, host=True)),
    **dict.fromkeys((TIMEOUT, LOST), Sign(network=True, host=False)),
    TLS: Sign(network=False, host=True),
    INCOMPLETE: Sign(network=False, host=False),
}
OF_HOST = frozenset(PASSING) - {INCOMPLETE}
_TOO_LATE = (connections.TimeoutError, connections.TCPTimedOutError, TimeoutError)
_KINDS = {  # reason -> exceptions; the first match counts
    NO_HOST: (exceptions.CannotResolveHostError, connections.DNSLookupError),
    REFUSED: (exceptions.DownloadConnectionRefusedError, connections.ConnectionRefusedError),
    TIMEOUT: (exceptions.DownloadTimeoutError, *_TOO_LATE),
    TOO_LARGE: (exceptions.DownloadCancelledError,),  # only DOWNLOAD_MAXSIZE cancels a download
    INCOMPLETE: (exceptions.ResponseDataLossError,),
    SCHEME: (exceptions.UnsupportedURLSchemeError, exceptions.NotSupported),
    LOST: (connections.ConnectionDone, connections.ConnectionLost, ConnectionError),
    UNREACHABLE: (connections.ConnectError,),
}
_IGNORED = {"max redirections reached": REDIRECTS, "exceeded DOWNLOAD_MAXSIZE": TOO_LARGE}
_READS_ANSWERS = (
    "scrapy.core.downloader.handlers",
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.downloadermiddlewares.redirect",
    "topiccrawler.engine.decompression",
    "topiccrawler.engine.redirects",
)


def way_of(request: Request) -> str:
    """How a request leaves this machine: the address of its proxy; empty = directly."""
    return str(request.meta.get("proxy") or "")


def reason_of(error: BaseException | None) -> str | None:
    """The reason of a failed download, if the remote side caused it; None for other errors, and for requests that were ignored on
    purpose."""
    if isinstance(error, IgnoreRequest):
        return next((reason for text, reason in _IGNORED.items() if text in str(error)), None)
    for reason, kinds in _KINDS.items():
        if isinstance(error, kinds):
            return reason
    if type(error).__name__ == "TunnelError":  # by name: to import the class loads all of TLS
        return NO_PROXY
    if isinstance(error, exceptions.DownloadFailedError):
        return _reason_of_failed_response(error.__cause__)
    return BAD_ANSWER if error is not None and _was_raised_reading(error) else None


def _reason_of_failed_response(cause: BaseException | None) -> str:
    reasons = cause.reasons if isinstance(cause, ResponseFailed) else []
    for failure in reasons:
        if type(failure.value).__module__.startswith("OpenSSL"):
            return TLS
        if not isinstance(failure.value, (connections.ConnectionDone, connections.ConnectionLost)):
            return BAD_ANSWER
    return LOST


def _was_raised_reading(error: BaseException) -> bool:
    """Whether the error was raised while code parsed a response: an invalid gzip body, an invalid URL in Location."""
    modules = (frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__))
    return any(str(module).startswith(_READS_ANSWERS) for module in modules)
