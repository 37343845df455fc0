"""What seeding needs of a downloader: a function that fetches one URL. The engine's is Scrapy's own (engine.fetching)."""

from __future__ import annotations

from typing import Any, Protocol


class NoAnswerError(Exception):
    """There is no response; the message is the reason in one line."""


class BadAnswerError(NoAnswerError):
    """The response violates the HTTP protocol."""


class Answer(Protocol):
    """A response, after redirects."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...


class Fetch(Protocol):
    """Fetches one URL. `head_only`: the body is not wanted. `meta`: as in Scrapy's Request.meta. Raises NoAnswerError."""

    async def __call__(
        self, url: str, method: str = "GET", *, head_only: bool = False, **meta: Any
    ) -> Answer: ...
