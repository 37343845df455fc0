"""Sends questions to a server that speaks OpenAI's chat completions, beside the crawl.

The requests are the crawler's own, not a page's: they have a client of their own, without robots.txt, delays, the crawl's guard of private
networks (a model mostly runs on this machine), its proxies or its count of pages. So a page cannot cause a request here; all that it
determines is text in the body.

Answers are limited in time and size, redirects are not followed (the key would go with them), and the key is in no message.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from topiccrawler.errors import ArgumentError, one_line
from topiccrawler.relevance.second_opinion import (
    Opinion,
    Shown,
    UnusableAnswerError,
    opinions_of,
    request_of,
)

if TYPE_CHECKING:
    from aiohttp import ClientSession

logger = logging.getLogger(__name__)

PATH = "/chat/completions"
ANSWER_SECONDS = 180.0  # of a small model without a graphics card: 3 000 tokens to read, 300 to write
MOST_BYTES = 1 << 20  # of an answer
RETRY_SECONDS = (1.0, 4.0)  # before the second try and the third
MOST_RETRY_SECONDS = 30.0  # that a server may ask for
PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
UNKNOWN_FIELD = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
MOST_SHOWN = 200  # characters of a server's error


class NoAnswerError(Exception):
    """The server gave no answer. `is_final`: it will give none to other questions either."""

    def __init__(self, why: str, *, is_final: bool = False) -> None:
        super().__init__(why)
        self.is_final = is_final


class _PassingError(NoAnswerError):
    """A failure that may be over in a moment; `seconds`: the wait that the server asks for."""

    def __init__(self, why: str, seconds: float = 0.0) -> None:
        super().__init__(why)
        self.seconds = seconds


class ChatServer:
    """One server, with the model that it is asked for. `key`: sent as a bearer token; empty = none. ArgumentError for a wrong address."""

    def __init__(
        self,
        address: str,
        model: str,
        key: str = "",
        *,
        answer_seconds: float = ANSWER_SECONDS,
        retry_seconds: Sequence[float] = RETRY_SECONDS,
    ) -> None:
        self.address, self.model = _endpoint(address), model
        self._key, self._answer_seconds, self._retry_seconds = key, answer_seconds, retry_seconds
        self._session: ClientSession | None = None
        self._json_mode = True

    async def ask(self, wish: str, pages: Sequence[Shown]) -> Mapping[int, Opinion]:
        """The opinions on the pages, by their index. NoAnswerError after the last try; UnusableAnswerError when the answer says nothing."""
        waits = list(self._retry_seconds)
        while True:
            try:
                body = await self._post(request_of(wish, self.model, pages, json_mode=self._json_mode))
            except _PassingError as fault:
                if not waits:
                    raise NoAnswerError(str(fault)) from None
                await asyncio.sleep(min(MOST_RETRY_SECONDS, max(waits.pop(0), fault.seconds)))
                continue
            if body is None:  # the server does not know the field that asks for JSON
                self._json_mode = False
                continue
            return opinions_of(body, len(pages))

    async def close(self) -> None:
        """Close the connections; open requests end."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _post(self, body: bytes) -> bytes | None:
        """The body of the answer to one request; None when the same may work without `response_format`."""
        from aiohttp import ClientError, ClientSession, ClientTimeout

        if self._session is None:
            key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            headers = {"Content-Type": "application/json", "Accept": "application/json", **key}
            self._session = ClientSession(headers=headers, timeout=ClientTimeout(self._answer_seconds))
        try:
            async with self._session.post(self.address, data=body, allow_redirects=False) as response:
                status, answer = response.status, b""
                async for part in response.content.iter_any():
                    answer += part
                    if len(answer) > MOST_BYTES:
                        raise UnusableAnswerError(f"is longer than {MOST_BYTES} bytes")
                if status == HTTPStatus.OK:
                    return answer
                after = response.headers.get("Retry-After", "")
        except TimeoutError:
            raise _PassingError(f"no answer within {self._answer_seconds:g} seconds") from None
        except (ClientError, OSError) as fault:
            raise _PassingError(self._safe(str(fault) or type(fault).__name__)) from None
        if status in UNKNOWN_FIELD and self._json_mode:
            return None
        why = f"status {status}: {self._safe(answer.decode('utf-8', 'replace'))}"
        if status in PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _PassingError(why, float(after) if after.isascii() and after.isdecimal() else 0.0)
        raise NoAnswerError(why, is_final=True)

    def _safe(self, text: str) -> str:
        """A text of the server for a message: one line, without the key."""
        return one_line(text.replace(self._key, "…") if self._key else text)[:MOST_SHOWN]


def check_judge(address: str, model: object) -> None:
    """Raise ArgumentError for a wrong TOPIC_JUDGE_URL, or one without TOPIC_JUDGE_MODEL."""
    _endpoint(address)
    if not model:
        raise ArgumentError(
            "setting TOPIC_JUDGE_URL", "needs the name of a model", "set TOPIC_JUDGE_MODEL too"
        )


def _endpoint(address: str) -> str:
    """The URL to which questions are posted, of the base address that servers name (http://127.0.0.1:8080/v1), or of that URL."""
    what, remedy = f"setting TOPIC_JUDGE_URL {address!r}", "write it as http://127.0.0.1:8080/v1"
    try:
        parts = urlsplit(address)
        is_http = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port is not False
    except ValueError:
        is_http = False
    if not is_http:
        raise ArgumentError(what, "is no http(s) URL", remedy)
    if parts.username is not None or parts.query or parts.fragment:
        fault = "has more than host and path"
        raise ArgumentError(
            f"setting TOPIC_JUDGE_URL of {parts.hostname}", fault, "give a key as TOPIC_JUDGE_KEY"
        )
    path = parts.path.rstrip("/")
    return parts._replace(path=path if path.endswith(PATH) else path + PATH).geturl()
