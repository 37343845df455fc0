"""Connects the reactor's thread to Redis: a separate thread calls the server, in order, and waits for its replies.

The conflict: the contract of the frontier is synchronous, and the reactor must not block. So changes are passed on without waiting
(`send`). A reply needed at once (`ask`) is awaited for two seconds at most; then the server counts as away. While it is away no request is
sent, changes are kept in order, and the thread tries to reconnect. Most requests are sent before their reply is needed (`begin`).

Changes are numbered. The latest are kept for a while after the server has confirmed them: a server that was killed before it had written
them to disk gets them again (`resume`).
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from topiccrawler.cluster.redis.client import (
    AwayError,
    Client,
)
from topiccrawler.cluster.redis.records import (
    Argument,
)
from topiccrawler.errors import CrawlerError


@dataclass(slots=True)
class Call:
    """A call of a script, and its reply."""

    name: str
    arguments: Sequence[Argument]
    batch: int = 0  # number of the batch of changes; 0 = a request without changes
    answer: Future[None] | None = None  # done with the call, for a caller that does not block
    done: threading.Event = field(default_factory=threading.Event)
    reply: Any = None
    error: Exception | None = None
    after: int = 0  # number of the last batch sent before it
    asked_at: float = 0.0  # when it was queued, by time.monotonic
    sent_at: float = 0.0  # when it was sent to the server
    back_at: float = 0.0  # when it ended

    def end(self) -> None:
        """Mark the call as done: it has a reply or an error."""
        self.back_at = monotonic()
        self.done.set()
        if self.answer is not None and self.answer.set_running_or_notify_cancel():
            self.answer.set_result(None)

    @property
    def age(self) -> float:
        """About the seconds since the server executed the call."""
        return monotonic() - (self.sent_at + self.back_at) / 2


@dataclass(slots=True)
class Figures:
    """The counters of a connection since its start."""

    calls: int = 0
    wait_seconds: float = 0.0  # of the reactor
    busy_seconds: float = 0.0  # of the thread
    outages: int = 0
    sent: int = 0  # batches of changes
    applied: int = 0  # batches that the server has confirmed
    fenced: int = 0  # changes refused because their host has another owner


KEPT_SECONDS = 10.0  # for confirmed batches; with appendfsync everysec a server loses two seconds at most


logger = logging.getLogger(__name__)

CALL_SECONDS = 2.0  # that the reactor waits for a reply
KNOCK_SECONDS = 0.5
BEAT = "beat"
LOST = -1  # the reply of scripts/apply.lua when the server has lost earlier batches
STARTED_ANEW = "was started anew, or was away"
UP, AWAY, BACK = "up", "away", "back"


class Connection:
    """The thread that calls the server (see the module), and its queue of calls. `session` and `slot` sign the changes of the worker;
    after `lease_seconds` without a sign of life the worker is declared dead."""

    def __init__(
        self,
        client: Client,
        session: str,
        slot: str,
        lease_seconds: float,
        call_seconds: float = CALL_SECONDS,
    ) -> None:
        self.figures = Figures()
        self.state = UP
        self.away_since: float | None = None  # by time.monotonic
        self._client = client
        self._session, self._slot = session, slot
        self._lease_seconds, self._call_seconds = lease_seconds, call_seconds
        self._batches = 0
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._held: deque[Call] = deque()  # changes that wait until the server is back
        # batches confirmed lately: time, number, arguments
        self._kept: deque[tuple[float, int, Sequence[Argument]]] = deque()
        self._resume: Call | None = None
        self._fault: CrawlerError | None = None
        self._alive = monotonic()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="redis", daemon=True)
        self._thread.start()

    def send(self, arguments: Sequence[Argument]) -> None:
        """Queue a batch of changes, to be made after all earlier calls."""
        self._check()
        self._batches += 1
        self.figures.sent += 1
        signed = [self._session, self._batches, self._slot, *arguments]
        self.hand(Call("apply", signed, self._batches))

    def ask(
        self,
        name: str,
        arguments: Sequence[Argument] = (),
        seconds: float | None = None,
        *,
        patient: bool = False,
    ) -> Any:
        """Run a script after all earlier calls, and wait for its reply. AwayError at once while the server is away; with `patient`, a
        server that is only slow is waited for."""
        self._check()
        self._alive = monotonic()
        if self.state != UP or (self.away_since is not None and not patient):
            raise AwayError(self.state)
        call = Call(name, arguments)
        self.hand(call)
        return self.reply_to(call, seconds)

    def reply_to(self, call: Call, seconds: float | None = None) -> Any:
        """Wait for the reply to a call. AwayError when none comes in time, `seconds` or the usual limit; also raises the call's error."""
        began = monotonic()
        call.done.wait(seconds or self._call_seconds)
        self.figures.wait_seconds += monotonic() - began
        if not call.done.is_set():
            self._report_silence(began)
            raise AwayError("no answer yet")
        if call.error is not None:
            raise call.error
        return call.reply

    def begin(self, call: Call) -> None:
        """Send a request without waiting for its reply. AwayError while the server is away."""
        self._check()
        self._alive = monotonic()
        if self.state != UP or self.away_since is not None or self.is_closed:
            raise AwayError(self.state)
        self.hand(call)

    def miss(self, call: Call) -> None:
        """Note that a call has no reply yet: after the usual limit the server counts as away."""
        if monotonic() - call.asked_at > self._call_seconds and not call.done.is_set():
            self._report_silence(call.asked_at)

    def resume(self, hosts: Sequence[str]) -> list[str] | None:
        """Send the owned hosts, and the changes that it has lost, to a server that is back. Returns the hosts that have another owner now;
        None when this worker was declared dead. AwayError when no reply comes."""
        call = self._resume = Call("resume", [self._session, self._lease_seconds, self._slot, *hosts])
        call.done.wait(self._call_seconds)
        if call.error is not None or not call.done.is_set():
            raise AwayError(str(call.error))
        if call.reply is None:
            return None
        return [host.decode() for host in call.reply[1]]

    def is_whole(self, batch: int, call: Call) -> bool:
        """False when the server has lost changes. `batch`: the last one that it had at this call; all sent before must be there."""
        if batch < call.after and self.state == UP:
            self._lost_writes("has lost its last changes")
        return self.state == UP

    def sign(self, session: str, slot: str) -> None:
        """Continue with a new session. Changes not made yet have the old one, and are refused for hosts that others own."""
        self._session, self._slot, self._batches = session, slot, 0
        self._kept.clear()

    @property
    def is_closed(self) -> bool:
        """True when the thread has ended, so that no call is made."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Close at once; queued calls are not made."""
        self._closing = True
        self._calls.put(None)
        self._thread.join(CALL_SECONDS)

    def hand(self, call: Call) -> None:
        """Queue a call, to be made after all earlier ones, without waiting."""
        call.after, call.asked_at = self._batches, monotonic()
        self._calls.put(call)

    def _check(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _report_silence(self, since: float) -> None:
        """Count the server as away, because it gives neither a reply nor a fault."""
        if self.away_since is None:
            logger.warning("Redis %s does not answer; the crawl waits", self._client.server)
            self.figures.outages += 1
            self.away_since = since

    # -- the thread's side -----------------------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._closing:
            if self.state == UP:
                self._next()
            elif self.state == AWAY:
                self._knock()
            else:
                self._begin_again()
        self._client.close()
        while not self._calls.empty():  # nobody shall wait for calls that are not made any more
            if (call := self._calls.get()) is not None:
                call.error = AwayError("closed")
                call.end()

    def _next(self) -> None:
        if self._held:
            call: Call | None = self._held.popleft()
        else:
            try:
                call = self._calls.get(timeout=self._lease_seconds / 6)
            except Empty:
                if monotonic() - self._alive > self._lease_seconds * 20:
                    return  # the reactor is blocked: send no sign of life, so that others get the hosts
                call = Call(BEAT, [self._session, self._lease_seconds])
        if call is not None:
            self._do(call)

    def _do(self, call: Call) -> None:
        began, before = monotonic(), self._client.connects
        call.sent_at = began
        try:
            call.reply = self._client.run(call.name, call.arguments)
        except AwayError as error:
            self._lost(call, error)
            return
        except CrawlerError as error:
            self._fault = call.error = error
        self.figures.calls += 1
        self.figures.busy_seconds += monotonic() - began
        if call.batch and call.reply == LOST:
            self._held.appendleft(call)
            self._lost_writes("has lost its last changes")
            return
        if monotonic() - call.asked_at <= self._call_seconds or self._calls.empty():  # else it lags behind
            self.away_since = None
        if 0 < before < self._client.connects:
            self._lost_writes(STARTED_ANEW)
            call.error = call.error or (None if call.batch else AwayError(self.state))
        if call.batch and call.error is None:
            self.figures.fenced += int(call.reply or 0)
            self.figures.applied += 1
            self._kept.append((monotonic(), call.batch, call.arguments))
            while self._kept[0][0] < monotonic() - KEPT_SECONDS:
                self._kept.popleft()
        call.end()

    def _lost(self, call: Call, error: AwayError) -> None:
        self._report_outage(error)
        if call.batch:
            self._held.appendleft(call)
        else:
            call.error = error
            call.end()

    def _lost_writes(self, fault: str) -> None:
        """The server may have lost changes: use none of its replies until it has them again."""
        logger.warning("Redis %s %s; changes that it lacks are made again", self._client.server, fault)
        self.figures.outages += self.away_since is None
        self.away_since = monotonic()
        self.state = BACK

    def _report_outage(self, error: AwayError) -> None:
        if self.state == UP:
            logger.warning("Redis %s is away (%s); the crawl waits", self._client.server, error)
            self.figures.outages += self.away_since is None
        self.away_since = self.away_since or monotonic()
        self.state = AWAY

    def _knock(self) -> None:
        try:
            self._client.read("EXISTS", "recipe")
        except AwayError:
            self._pause()
        except CrawlerError as error:
            self._fault = error
            self._pause()
        else:
            self.state = BACK

    def _begin_again(self) -> None:
        """Once the reactor has sent the hosts it owns (`resume`), send the changes again that the server has lost."""
        call, self._resume = self._resume, None
        if call is None:
            self._pause(0.02)
            return
        try:
            held = self._held[0].batch if self._held else self._batches + 1
            oldest = self._kept[0][1] if self._kept else held
            session, seconds, slot, *hosts = call.arguments
            call.reply = self._client.run(call.name, [session, seconds, slot, oldest, *hosts])
            for _, batch, arguments in list(self._kept) if call.reply is not None else ():
                if batch > call.reply[0]:
                    self._client.run("apply", arguments)
            self.state, self.away_since = UP, None
            logger.info("Redis %s is back; the crawl goes on", self._client.server)
        except (AwayError, CrawlerError) as error:
            call.error = error
            self.state = AWAY
            if isinstance(error, CrawlerError):
                self._fault = error
        call.done.set()

    def _pause(self, seconds: float = KNOCK_SECONDS) -> None:
        """Wait. Changes that come meanwhile are kept in order; other calls end with AwayError."""
        try:
            call = self._calls.get(timeout=seconds)
        except Empty:
            return
        if call is None:
            return
        if call.batch:
            self._held.append(call)
        else:
            call.error = AwayError(self.state)
            call.end()
