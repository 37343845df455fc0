"""Why a download failed, in a few words that count, log and queue share.

The libraries below raise some twenty kinds of exceptions for what a stranger's server did; a person asks whether the host is
gone, slow or broken. What is not the other side's fault has no such word and keeps its name and its traceback.
"""

from __future__ import annotations

from types import TracebackType

from scrapy import exceptions
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import IgnoreRequest
from twisted.internet import error as connections
from twisted.web.client import ResponseFailed

NO_HOST, REFUSED, UNREACHABLE, TIMEOUT = "no such host", "connection refused", "unreachable", "timeout"
LOST, INCOMPLETE, TLS, BAD_ANSWER = "connection lost", "incomplete answer", "tls failed", "bad answer"
TOO_LARGE, REDIRECTS, NO_PROXY, SCHEME = "too large", "too many redirects", "proxy refused", "unsupported url"

OF_HOST = frozenset({NO_HOST, REFUSED, UNREACHABLE, TIMEOUT, LOST, TLS, NO_PROXY})
"""What is likely to be so for each URL of a host."""

_KINDS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((exceptions.CannotResolveHostError, connections.DNSLookupError), NO_HOST),
    ((exceptions.DownloadConnectionRefusedError, connections.ConnectionRefusedError), REFUSED),
    (
        (
            exceptions.DownloadTimeoutError,
            connections.TimeoutError,
            connections.TCPTimedOutError,
            TimeoutError,
        ),
        TIMEOUT,
    ),
    ((exceptions.DownloadCancelledError,), TOO_LARGE),  # only DOWNLOAD_MAXSIZE cancels a download
    ((exceptions.ResponseDataLossError,), INCOMPLETE),
    ((exceptions.UnsupportedURLSchemeError, exceptions.NotSupported), SCHEME),
    ((TunnelError,), NO_PROXY),
    ((connections.ConnectionDone, connections.ConnectionLost, ConnectionError), LOST),
    ((connections.ConnectError,), UNREACHABLE),
)
_IGNORED = {"max redirections reached": REDIRECTS, "exceeded DOWNLOAD_MAXSIZE": TOO_LARGE}
_READS_ANSWERS = (
    "scrapy.core.downloader.handlers",
    "scrapy.downloadermiddlewares.httpcompression",
    "scrapy.downloadermiddlewares.redirect",
)


def reason_of(error: BaseException | None) -> str | None:
    """The words for what the other side did; None for other faults, and for what Scrapy was asked to ignore."""
    if isinstance(error, IgnoreRequest):
        return next((reason for text, reason in _IGNORED.items() if text in str(error)), None)
    for kinds, reason in _KINDS:
        if isinstance(error, kinds):
            return reason
    if isinstance(error, exceptions.DownloadFailedError):
        return _reason_of_failed_response(error.__cause__)
    was_read = error is not None and _was_raised_reading(error.__traceback__)
    return BAD_ANSWER if was_read else None


def host_is_to_blame(reason: str) -> bool:
    """The next URL of the host will probably fail alike."""
    return reason in OF_HOST


def _reason_of_failed_response(cause: BaseException | None) -> str:
    reasons = cause.reasons if isinstance(cause, ResponseFailed) else []
    for failure in reasons:
        if type(failure.value).__module__.startswith("OpenSSL"):
            return TLS
        if not isinstance(failure.value, (connections.ConnectionDone, connections.ConnectionLost)):
            return BAD_ANSWER
    return LOST


def _was_raised_reading(traceback: TracebackType | None) -> bool:
    """Somebody's bytes were being read then: a gzip that is none, a Location that is no URL."""
    while traceback is not None:
        if str(traceback.tb_frame.f_globals.get("__name__")).startswith(_READS_ANSWERS):
            return True
        traceback = traceback.tb_next
    return False
