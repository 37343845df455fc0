"""The connection between the reactor's thread and Redis: a thread of its own calls the server, in order, and waits for it.

The conflict: the frontier's contract is synchronous, and the reactor must not block. So changes are handed over without waiting (`send`);
a reply needed at once (`ask`) is waited for, two seconds at most, and then the server counts as away. While it is away no request is sent,
changes are kept in order, and the thread tries to reconnect. Most requests are sent ahead of their need (`begin`).

Changes are numbered. The latest are kept for a while after the server confirmed them: a server that was killed before it had written them
to disk gets them again (`resume`).
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
    """Of a script."""

    name: str
    arguments: Sequence[Argument]
    batch: int = 0  # of changes; 0 = a question
    answer: Future[None] | None = None  # done with the call, for a caller that does not block
    done: threading.Event = field(default_factory=threading.Event)
    reply: Any = None
    error: Exception | None = None
    after: int = 0  # batches sent before it
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


KEPT_SECONDS = 10.0  # appendfsync everysec loses two at most


logger = logging.getLogger(__name__)

CALL_SECONDS = 2.0  # that the reactor waits for an answer
KNOCK_SECONDS = 0.5
BEAT = "beat"
LOST = -1  # the answer of scripts/apply.lua
STARTED_ANEW = "was started anew, or was away"
UP, AWAY, BACK = "up", "away", "back"


class Connection:
    """See the module. `slot`, `session`: what changes are signed with. `lease_seconds`: without a sign of life, of the worker."""

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
        self._kept: deque[tuple[float, int, Sequence[Argument]]] = deque()  # confirmed lately, by their batch
        self._resume: Call | None = None
        self._fault: CrawlerError | None = None
        self._alive = monotonic()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="redis", daemon=True)
        self._thread.start()

    def send(self, arguments: Sequence[Argument]) -> None:
        """Changes, to be made after all before."""
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
        """A script's answer, after all changes before. AwayError at once while the server is away; `patient`: a slow one is waited for."""
        self._check()
        self._alive = monotonic()
        if self.state != UP or (self.away_since is not None and not patient):
            raise AwayError(self.state)
        call = Call(name, arguments)
        self.hand(call)
        return self.reply_to(call, seconds)

    def reply_to(self, call: Call, seconds: float | None = None) -> Any:
        """Wait for it. AwayError when none comes."""
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
        """There is no answer yet: after a while the server counts as away."""
        if monotonic() - call.asked_at > self._call_seconds and not call.done.is_set():
            self._report_silence(call.asked_at)

    def resume(self, hosts: Sequence[str]) -> list[str] | None:
        """The server is back: send it the hosts owned, and the changes it lost. Returns the hosts that have another owner now; None
        when this worker was declared dead."""
        call = self._resume = Call("resume", [self._session, self._lease_seconds, self._slot, *hosts])
        call.done.wait(self._call_seconds)
        if call.error is not None or not call.done.is_set():
            raise AwayError(str(call.error))
        if call.reply is None:
            return None
        return [host.decode() for host in call.reply[1]]

    def is_whole(self, batch: int, call: Call) -> bool:
        """The number of the last batch that the server had at this call: less than a confirmed one means that it lost some."""
        if batch < call.after and self.state == UP:
            self._lost_writes("has lost its last changes")
        return self.state == UP

    def sign(self, session: str, slot: str) -> None:
        """Go on as another worker: changes that were not made yet are signed by the one before, and refused where hosts have others."""
        self._session, self._slot, self._batches = session, slot, 0
        self._kept.clear()

    @property
    def is_closed(self) -> bool:
        """Nothing is called any more."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Let go, at once."""
        self._closing = True
        self._calls.put(None)
        self._thread.join(CALL_SECONDS)

    def hand(self, call: Call) -> None:
        """A call to be done after all before; nobody waits for it."""
        call.after, call.asked_at = self._batches, monotonic()
        self._calls.put(call)

    def _check(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _report_silence(self, since: float) -> None:
        """There is no answer, and no fault either."""
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
        while not self._calls.empty():  # nobody shall wait for what is not done any more
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
                    return  # the reactor is blocked: others may have the hosts
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
        """Nothing the server says counts until it has what it may have lost."""
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
        """Once the reactor said what it owns: resume, and send again what the server lost."""
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
        """Calls that come meanwhile are kept in order; questions are not answered."""
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
