"""Exchanges entries, states and counts between the processes of a crawl in Redis (scripts/names.lua lists the keys).

Each process appends an entry to one stream for each page it reads. One process at a time, the learner, consumes the entries of all.
It publishes the state of its strategy, and the stream is trimmed up to that point. An entry is identified by the session of its sender
and its number in that session. Entries of one process arrive in order, possibly twice.

Writes are sent with the other changes, in order, and each counts once (records.py). Reads are made by the thread of the connection and
collected later, so that the reactor never waits for them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic
from typing import Any, NamedTuple

from topiccrawler.cluster.redis.connection import Call
from topiccrawler.cluster.redis.joining import Membership
from topiccrawler.cluster.redis.records import Argument, Batch
from topiccrawler.crawling.sharing import Harvest

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 0.01  # after which a reply may have arrived
PIECE = 64  # entries read at a time


START = "-"  # the position before all entries


class StreamEntry(NamedTuple):
    """One entry of the stream."""

    place: str  # its position in the stream
    session: str  # session of the sender
    number: int  # number of the entry in that session, from 1
    text: bytes  # empty for an entry of this process, if it does not read its own entries


class Learned(NamedTuple):
    """A published state of the strategy."""

    number: int  # from 1; the newest state is valid
    by: str  # session of the learner
    place: str  # position of the last entry that the state covers
    covered: Mapping[str, int]  # session -> number of its last entry that the state covers
    entries: int  # number of entries covered since the crawl began
    at: float  # time of publication, by the clock of `RedisExchange.now`
    text: str


class RedisExchange:
    """The exchange of one process: crawling.sharing.Exchange, and what `SharedLearning` needs besides. `hand(call)` queues a call for the connection's thread; `flush()` sends all changes so far;
    `under_way()` counts the URLs under way in all processes."""

    def __init__(
        self,
        batch: Batch,
        hand: Callable[[Call], None],
        flush: Callable[[], None],
        under_way: Callable[[], int],
        joined: Membership,
    ) -> None:
        self._batch, self._hand, self._flush, self._under_way = batch, hand, flush, under_way
        self._harvest = Harvest(*joined.harvest, 0)  # the server's latest count
        self.counted = Harvest(0, 0, 0, 0)  # pages of this process
        self._reported = self.counted  # the part of them in the server's count
        self.session = joined.session  # of this process; a new one after the process was declared dead
        self.begun = joined.begun  # the entry of the seeds was sent before this process joined
        self.first = learned_of(joined.learned)  # the newest state when this process joined
        self.used = False  # set by a strategy that learns; else no process becomes the learner
        self.is_learner = False  # this process is the learner
        self.place = START  # position of the last entry consumed; the learner keeps it up to date
        self.newest = 0 if self.first is None else self.first.number  # number of the newest state; 0 = none
        self.sent = 0  # number of entries of all processes since the crawl began
        self.live = joined.live
        self.announced: list[str] = []
        self.received = 0  # announcements from the server
        self._own = 0  # entries sent by this session
        self._read_to, self._reads_own = START, True
        self._reading: Call | None = None
        self._next_read = inf  # by time.monotonic; inf = no entries are read
        self._state_call: Call | None = None  # the request for the newest state
        self._time, self._received_at = 0.0, monotonic()

    def now(self) -> float:
        """The time in seconds by the server's clock, which all processes share."""
        return self._time + monotonic() - self._received_at

    def count(self, *, kept: bool, article: bool) -> None:
        self._batch.count(kept=kept, article=article)
        pages, all_kept, articles, _ = self.counted
        self.counted = Harvest(pages + 1, all_kept + kept, articles + article, 0)

    def harvest(self) -> Harvest:
        every = zip(self._harvest, self.counted, self._reported, strict=True)
        pages, kept, articles, _ = (known + counted - reported for known, counted, reported in every)
        return Harvest(pages, kept, articles, self._under_way())

    def announce(self, text: str) -> None:
        self._batch.announce(text)
        self._flush()

    def send(self, text: bytes, *, once: bool = False) -> int:
        """Append an entry, with the pending changes of the queue; return its number. `once`: only if no entry was sent so before."""
        self._own += 1
        self._batch.entry(self._own, text, once=once)
        return self._own

    def read_from(self, place: str, *, own: bool) -> None:
        """Read the entries after this position from now on; `own`: also the texts of entries that this process has sent."""
        self._read_to, self._reads_own = place, own
        self._reading, self._next_read = None, 0.0

    def read(self, pause_seconds: float) -> Sequence[StreamEntry]:
        """The next entries, in order; empty while a reply is awaited. After an empty reply, the next request is delayed by the pause."""
        call = self._reading
        if call is None:
            if monotonic() >= self._next_read:
                session = "" if self._reads_own else self.session
                self._reading = self._begin("unseen", [session, self._read_to, PIECE])
            return ()
        if not call.done.is_set():
            return ()
        self._reading = None
        found = [] if call.error is not None else [_entry(one) for one in call.reply]
        if found:
            self._read_to = found[-1].place
        if len(found) < PIECE:
            self._next_read = monotonic() + pause_seconds
        return found

    def newest_state(self) -> Learned | None:
        """The newest state; None while the reply is awaited."""
        call = self._state_call
        if call is None:
            self._state_call = self._begin("learned", [])
            return None
        if not call.done.is_set():
            return None
        self._state_call = None
        return None if call.error is not None else learned_of(call.reply)

    def publish(self, text: str, covered: Mapping[str, int], entries: int) -> None:
        """Publish a state that covers all entries up to `place`. Ignored if this process is no longer the learner."""
        self._batch.learned(self.place, json.dumps(dict(covered)), entries, text)

    def soon(self, seconds: float) -> float:
        """The seconds until entries can be read, at most `seconds`."""
        if not self.is_learner:
            return seconds
        left = max(0.0, self._next_read - monotonic())
        return min(seconds, left if self._reading is None else ANSWER_SECONDS)

    def tick_argument(self) -> str:
        """The argument of scripts/tick.lua: the place up to which entries may be dropped; "" = this process cannot learn."""
        if not self.used:
            return ""
        return self.place if self.is_learner else START

    def receive(self, time: float, live: int, reply: Sequence[Any], counted: Harvest) -> None:
        """Apply the reply of a poll; `counted`: the pages of this process when the poll was sent."""
        self._time, self._received_at, self.live = time, monotonic(), live
        is_learner, self.newest, self.sent, pages, kept, articles, self.received, announced = reply
        self.announced += [text.decode() for text in announced]
        self.is_learner = bool(is_learner)
        self._harvest, self._reported = Harvest(pages, kept, articles, 0), counted

    def sign(self, session: str) -> None:
        """Continue with a new session, after this process was declared dead and has joined again."""
        self.session, self._own, self.is_learner = session, 0, False

    def _begin(self, name: str, arguments: Sequence[Argument]) -> Call:
        self._flush()
        call = Call(name, arguments)
        self._hand(call)
        return call


def learned_of(reply: Sequence[bytes | None]) -> Learned | None:
    """The state in the reply of scripts/learned.lua; None when none was published."""
    if not reply or reply[0] is None:
        return None
    number, by, place, raw, entries, at, state = (part or b"" for part in reply)
    try:
        covered = {str(session): int(last) for session, last in json.loads(raw).items()}
        count, time = int(entries), float(at)
    except (ValueError, TypeError, AttributeError) as error:
        logger.warning("What state %s of the crawl covers is damaged (%s): ignored", number.decode(), error)
        covered, count, time = {}, 0, 0.0
    return Learned(int(number), by.decode(), place.decode(), covered, count, time, state.decode())


def _entry(one: Sequence[bytes]) -> StreamEntry:
    place, session, number, text = one
    return StreamEntry(place.decode(), session.decode(), int(number), text)
