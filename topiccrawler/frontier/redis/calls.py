"""A call of the server on its way between two threads, and what calls cost."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from topiccrawler.frontier.redis.batch import Argument


@dataclass(slots=True)
class Call:
    """Of a script."""

    name: str
    arguments: Sequence[Argument]
    batch: int = 0  # of changes; 0 = a question
    answer: Future[None] | None = None  # done with the call, for who does not stand and wait
    done: threading.Event = field(default_factory=threading.Event)
    reply: Any = None
    error: Exception | None = None
    late: bool = False  # nobody waits for the reply any more
    after: int = 0  # batches handed over before it
    asked_at: float = 0.0  # by time.monotonic; then it goes to the server
    sent_at: float = 0.0
    back_at: float = 0.0

    def end(self) -> None:
        """There is a reply or an error."""
        self.back_at = monotonic()
        self.done.set()
        if self.answer is not None and self.answer.set_running_or_notify_cancel():
            self.answer.set_result(None)

    @property
    def age(self) -> float:
        """Seconds since the server answered, more or less."""
        return monotonic() - (self.sent_at + self.back_at) / 2


@dataclass(slots=True)
class Figures:
    """Since the start."""

    calls: int = 0
    wait_seconds: float = 0.0  # of the reactor
    busy_seconds: float = 0.0  # of the thread
    outages: int = 0
    sent: int = 0  # batches of changes
    applied: int = 0  # of those
    fenced: int = 0  # changes refused because their host has another owner
