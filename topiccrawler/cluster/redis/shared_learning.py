"""Lets a strategy learn when several processes share a crawl: one of them, the learner, learns from the pages of all.

Each process sends an entry for each of its pages (cluster.redis.exchange), with the links of the page. The learner consumes the entries,
is the only one to refresh the scores of the queue, and publishes its state. Strategies are of two kinds:

- one that can `observe` scores links in every process, by the newest published state and by the pages that the process has read
  since; the refresh of the learner corrects these scores;
- one that needs each page with all links (graphs) runs in the learner only; the others fetch, and send pages and links.

When the learner dies or leaves, another process resumes from the published state and the entries after it, so no entry is lost. URLs
rescored since then are rescored again.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic, thread_time
from typing import Any

from topiccrawler.cluster.redis.exchange import START, Learned, RedisExchange, StreamEntry
from topiccrawler.crawling.checkpoints import (
    DAMAGED,
    OBSERVATION,
    entry_of,
    load_state,
    page_of,
    replay_entry,
    whole_entry_of,
)
from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.errors import StateError
from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import ROOT, Strategy

logger = logging.getLogger(__name__)

LEARNING_SECONDS = 0.3  # between two published states; longer where a state takes more than a tenth of it
EVERY_PAGES = 100  # the fewest pages between two states when no other process needs them
SLICE_SECONDS = 0.02  # processor time of the learner's work for others, between two pages of its own
PAUSES = 10  # states are saved or loaded in a tenth of the processor time at most
LOOK_SECONDS, LOOK_WHOLE_SECONDS = 0.2, 0.03  # between two polls of the stream; shorter when links wait
SESSIONS = 1000  # sessions whose last entries are remembered
LINKS_AT_ONCE = 200  # links of entries that are applied together
_WHOLE = (
    "%s needs each page with all links: one process of the crawl orders, the others fetch (docs/scaling.md)"
)
_SKIPPED = "An entry of process %s is damaged (%s: %s): skipped"


class LearnsTogether:
    """What a frontier in Redis has in common with one in partitions: the learning of its crawl."""

    stats_family = "frontier/redis/…"
    exchange: RedisExchange

    def look_up(self, urls: Iterable[str]) -> bool:
        raise NotImplementedError

    def figures(self) -> Mapping[str, float]:
        """Figures for the stats, by name."""
        raise NotImplementedError

    def learning(self, strategy: Strategy, rescoring: Rescoring) -> SharedLearning:
        """See crawling.sharing.SharedQueue."""
        return SharedLearning(self, strategy, rescoring)


class SharedLearning:
    """The learning of one process in a shared crawl. See crawling.sharing.Learning."""

    def __init__(self, shared: LearnsTogether, strategy: Strategy, rescoring: Rescoring) -> None:
        self.strategy, self._shared, self._rescoring = strategy, shared, rescoring
        self._exchange = shared.exchange
        self.learns = self._exchange.used = bool(strategy.save())
        self.whole = self.learns and not strategy.observes  # one process orders, the others fetch
        self.leads = False  # this process is the learner, and has loaded the last state of the one before
        self._number = 0  # of the state loaded last
        self._complete_at = 0.0  # by the shared clock: when all entries were last applied here
        self._place = START  # of the last entry applied
        self._covered: dict[str, int] = {}  # session -> number of its last entry applied
        self._entries = 0  # entries applied since the crawl began
        # entries of this process that are not in any state known here
        self._own: deque[tuple[str, int, bytes]] = deque()
        self._unread: deque[StreamEntry] = deque()
        self._since, self._since_length, self._state_length = 0, 0, 0  # entries applied since the last state
        self._next_state = 0.0  # by time.monotonic: when a state may be saved or loaded again

    def load(self) -> int:
        """Load the state that was the newest when this process joined. Returns how many entries it covers."""
        if not self.learns:
            return 0
        if self.whole:
            logger.info(_WHOLE, self.strategy.name)
        elif (found := self._exchange.first) is not None:
            self._number, self._complete_at = found.number, found.at
            self._load(found)
        return 0 if self._exchange.first is None else self._exchange.first.entries

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """True when the strategy of the crawl has visited the seeds already. Also logs which process orders the crawl."""
        if self.whole:
            logger.info(_WHOLE, self.strategy.name)
        return self.learns and self._exchange.begun

    def record_visit(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """Send the entry of a page that the strategy of this process has learned from."""
        if self.learns:
            text = zlib.compress(entry_of(self.strategy, page, links).encode(), 1)
            number = self._exchange.send(text, once=page is ROOT)
            session = self._exchange.session
            self._own.append((session, number, text))
            self._count(session, number, len(text))

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        """Send a page whose links the learner scores and queues. False when this process must do so itself."""
        if not self.whole:
            return False
        text = zlib.compress(whole_entry_of(self.strategy, page, links).encode(), 1)
        self._exchange.send(text, once=page is ROOT)
        return True

    def step(self) -> Iterator[tuple[Page | None, Sequence[Link]]]:
        """Do a slice of the learner's work, or load a newer state when another process is the learner."""
        if not self.learns:
            return
        exchange = self._exchange
        if exchange.sent <= self._entries or not self._complete_at:
            self._complete_at = exchange.now()
        if self.leads and not exchange.is_learner:
            self.leads = False
            exchange.place = START
            self._unread.clear()
            self._rescoring.stop()
        if self.leads:
            yield from self._apply_some()
            if self._is_due():
                self._publish()
        elif exchange.newest > self._number:
            if exchange.is_learner or (not self.whole and monotonic() >= self._next_state):
                self._load_newest()
        elif exchange.is_learner:
            logger.info("This process learns for all of the crawl")
            self.leads = True
            exchange.place = self._place
            exchange.read_from(self._place, own=self.whole)

    def save(self, pages: int) -> None:
        """Publish a last state at the end of the crawl or of this process, if entries were applied since the last one."""
        if self.leads and self._since and not self._rescoring.running:
            self._publish()

    def change_strategy(self, strategy: Strategy) -> None:
        """StateError: the strategy of a shared crawl cannot change, because all its processes have the same."""
        remedy = "begin another one: -a job=NAME"
        raise StateError(f"strategy {strategy.name!r}", "the crawl is shared", remedy)

    def figures(self) -> Mapping[str, float]:
        """The stats of the queue and of the learning, by name."""
        queue = {
            self._shared.stats_family.replace("…", name): figure
            for name, figure in self._shared.figures().items()
        }
        return {**queue, **self._lag()} if self.learns else queue

    def _lag(self) -> Mapping[str, float]:
        behind = 0 if self.whole and not self.leads else max(0, self._exchange.sent - self._entries)
        seconds = max(0.0, self._exchange.now() - self._complete_at) if behind else 0.0
        return {
            "frontier/learner": int(self.leads),
            "strategy/learning_lag/pages": behind,
            "strategy/learning_lag/seconds": round(seconds, 1),
        }

    def _apply_some(self) -> Iterator[tuple[Page | None, Sequence[Link]]]:
        end = thread_time() + SLICE_SECONDS
        if not self._unread:
            self._unread.extend(self._exchange.read(LOOK_WHOLE_SECONDS if self.whole else LOOK_SECONDS))
        while self._unread:
            yield from self._apply_together()
            if thread_time() >= end:
                break

    def _apply_together(self) -> Iterator[tuple[Page | None, Sequence[Link]]]:
        """Apply one entry, or as many whole pages as one request can look up the links of."""
        found: list[tuple[StreamEntry, dict[str, Any] | None, Page | None, list[Link]]] = []
        urls: list[str] = []
        while self._unread and len(urls) < LINKS_AT_ONCE and (self.whole or not found):
            entry = self._unread.popleft()
            kept, page, links = self._read(entry)
            found.append((entry, kept, page, links))
            urls += [link.url for link in links]
        if urls:
            self._shared.look_up(urls)
        for entry, kept, page, links in found:
            if entry.number > self._covered.get(entry.session, 0):
                self._count(entry.session, entry.number, len(entry.text))
                if kept is not None and (page is not None or self._observe(entry, kept)):
                    yield page, links
            self._place = self._exchange.place = entry.place

    def _read(self, entry: StreamEntry) -> tuple[dict[str, Any] | None, Page | None, list[Link]]:
        """Decode an entry, with page and links when the strategy must visit the page here. None, None and no links when the entry was
        applied before or is damaged."""
        if entry.number <= self._covered.get(entry.session, 0):
            return None, None, []
        try:
            kept: dict[str, Any] = json.loads(zlib.decompress(entry.text))
            page, links = (None, []) if OBSERVATION in kept or not self.whole else page_of(kept)
        except DAMAGED as error:
            logger.warning(_SKIPPED, entry.session, type(error).__name__, error)
            return None, None, []
        return kept, page, links

    def _observe(self, entry: StreamEntry, kept: Mapping[str, Any]) -> bool:
        """Let the strategy observe an entry; False when it is damaged."""
        try:
            replay_entry(self.strategy, kept)
        except DAMAGED as error:
            logger.warning(_SKIPPED, entry.session, type(error).__name__, error)
            return False
        return True

    def _count(self, session: str, number: int, length: int) -> None:
        self._covered[session] = number
        self._entries += 1
        self._since += 1
        self._since_length += length

    def _is_due(self) -> bool:
        if not self._since or self._rescoring.running:
            return False
        if self.whole or self._exchange.live < 2:  # only the next learner needs it
            return self._since >= EVERY_PAGES and self._since_length >= self._state_length
        return monotonic() >= self._next_state

    def _publish(self) -> None:
        began = thread_time()
        state = {"strategy": self.strategy.name, "state": dict(self.strategy.save())}
        text = json.dumps(state, allow_nan=False)
        while len(self._covered) > SESSIONS:
            del self._covered[next(iter(self._covered))]
        self._exchange.publish(text, self._covered, self._entries)
        self._own.clear()
        self._since, self._since_length, self._state_length = 0, 0, len(text)
        self._pause(began)

    def _load_newest(self) -> None:
        found = self._exchange.newest_state()
        if found is None or found.number <= self._number:
            return
        began = thread_time()
        self._number, self._complete_at = found.number, found.at
        if found.by != self._exchange.session:  # else this process has published it
            self._load(found)
        self._pause(began)

    def _load(self, found: Learned) -> None:
        try:
            load_state(self.strategy, found.text)
        except DAMAGED as error:
            text = "State %d of the crawl is damaged (%s: %s): this process goes on with what it has learned"
            logger.warning(text, found.number, type(error).__name__, error)
            return
        self._place, self._covered, self._entries = found.place, dict(found.covered), found.entries
        self._since, self._since_length, self._state_length = 0, 0, len(found.text)
        own, self._own = self._own, deque()
        for session, number, entry in own:
            if number > found.covered.get(session, 0):
                replay_entry(self.strategy, json.loads(zlib.decompress(entry)))
                self._own.append((session, number, entry))
                self._count(session, number, len(entry))

    def _pause(self, began: float) -> None:
        """Set the time of the next state by the duration of the last. `began`: its start, by time.thread_time."""
        least = LEARNING_SECONDS if self.leads else 0.0
        self._next_state = monotonic() + max(least, PAUSES * (thread_time() - began))
