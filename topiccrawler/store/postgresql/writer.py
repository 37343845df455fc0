"""A thread of its own that does a crawl's work on the server, in order, so that the reactor never waits for it.

Whoever hands work over gets a Future. While the server is away the work is held and tried again, and all behind it waits, so that nothing is lost
and nothing comes twice; after `outage_seconds` it fails with one line. What the caller then does not acknowledge is done again later.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

from topiccrawler.errors import StateError
from topiccrawler.store.postgresql.session import AwayError, Session

logger = logging.getLogger(__name__)

KNOCK_SECONDS = 0.5
CLOSE_SECONDS = 10.0  # that a closing crawl waits for a server that is away
Result = TypeVar("Result")


class Writer:
    """For one crawl. The session is the thread's from the first `submit` on."""

    def __init__(self, session: Session, outage_seconds: float = 600.0) -> None:
        self._session = session
        self._outage_seconds = outage_seconds
        self._calls: SimpleQueue[tuple[Callable[[Any], Any], Future[Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._away_since: float | None = None
        self._knock = threading.Event()  # ends a wait between two knocks
        self._given_up = self._ended = False
        self.calls = self.outages = 0
        self.busy_seconds = 0.0

    def submit(self, work: Callable[[Any], Result]) -> Future[Result]:
        """Hand over `work(connection)`, to be done in a transaction. The Future fails with StateError for what will not pass."""
        handed: Future[Result] = Future()
        if self._ended:
            handed.set_exception(self._let_go())
            return handed
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="postgresql", daemon=True)
            self._thread.start()
        self._calls.put((work, handed))
        return handed

    def hurry(self) -> None:
        """The crawl closes: a server that is away is waited for ten seconds more at most."""
        self._outage_seconds = min(self._outage_seconds, self._seconds_away() + CLOSE_SECONDS)

    def figures(self) -> Mapping[str, float]:
        """Since the start."""
        return {"calls": self.calls, "busy_seconds": round(self.busy_seconds, 3), "outages": self.outages}

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Do what was handed over, and let go. StateError when that takes longer."""
        self.hurry()
        if not self._end(seconds + CLOSE_SECONDS):
            raise StateError(self._session.name, "does not answer", "give the command again when it does")

    def abandon(self) -> None:
        """Let go at once; what was handed over and not begun is not done."""
        self._given_up = True
        self._knock.set()
        self._end(1.0)

    def _end(self, seconds: float) -> bool:
        self._ended = True
        if self._thread is None:
            self._session.close()
            return True
        self._calls.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    # -- the thread's side -----------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            work, handed = call
            if not handed.set_running_or_notify_cancel():
                continue
            try:
                handed.set_result(self._done(work))
            except BaseException as error:  # noqa: BLE001 it is the caller's
                handed.set_exception(error)
        self._session.close()

    def _done(self, work: Callable[[Any], Result]) -> Result:
        while not self._given_up:
            begun = time.monotonic()
            try:
                result = self._session.run(work)
            except AwayError as error:
                self._wait(error)
            else:
                self.calls += 1
                self.busy_seconds += time.monotonic() - begun
                if self._away_since is not None:
                    logger.warning("%s is back after %.0f s", self._session.name, self._seconds_away())
                    self._away_since = None
                return result
        raise self._let_go()

    def _let_go(self) -> StateError:
        return StateError(self._session.name, "is let go", "give the command again")

    def _wait(self, error: AwayError) -> None:
        if self._away_since is None:
            self._away_since = time.monotonic()
            self.outages += 1
            logger.warning("%s is away (%s): pages are held until it is back", self._session.name, error)
        elif self._seconds_away() >= self._outage_seconds:
            fault = f"was away for {self._seconds_away():.0f} s ({error})"
            raise StateError(self._session.name, fault, "give the same command when it is back")
        self._knock.wait(KNOCK_SECONDS)

    def _seconds_away(self) -> float:
        return 0.0 if self._away_since is None else time.monotonic() - self._away_since
