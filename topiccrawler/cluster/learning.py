"""How a strategy learns when several processes share a crawl: one of them, the learner, from the pages of all.

Each process tells what its pages gave (crawling.sharing), along with their links. The learner takes that, alone refreshes the queue, and
publishes its state. Strategies are of two kinds:

- one that can `take` what another one took of a page scores links in every process, by the newest published state and by the pages that the
  process read since; the learner's refresh corrects what that got wrong;
- one that must see page and links whole (graphs) orders in the learner alone: the others fetch, and tell pages and links.

When the learner dies or leaves, another process goes on from the published state and the entries behind it: none is lost. What was
rescored since then is scored again.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic, thread_time
from typing import Any

from topiccrawler.crawling.checkpoints import (
    DAMAGED,
    LEARNING_SECONDS,
    TAKEN,
    entry_of,
    load_state,
    page_of,
    show_again,
    whole_entry_of,
)
from topiccrawler.crawling.sharing import START, Ahead, Learned, SharedQueue, Told
from topiccrawler.errors import StateError
from topiccrawler.frontier.rescoring import Rescoring
from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import ROOT, Strategy

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.02  # of a processor: the learner's work for others, between two pages of its own
PAUSES = 10  # to make or load a state takes a tenth of a processor at most
LOOK_SECONDS, LOOK_WHOLE_SECONDS = 0.2, 0.03  # between two looks at the stream; links wait for the second
SESSIONS = 1000  # whose last entries are remembered
LINKS_AT_ONCE = 200  # of entries that are taken together
_PASSED_OVER = "What process %s told of a page is damaged (%s: %s): passed over"


class SharedLearning:
    """Of one of several processes. `learned(page, links)`: the learner took an entry; with a page, that is to be shown to the strategy
    and its links queued.

    `seconds`: between two states. `every_pages`: the same at least, where no other process needs them.
    """

    is_shared = True

    def __init__(
        self,
        strategy: Strategy,
        shared: SharedQueue,
        rescoring: Rescoring,
        learned: Callable[[Page | None, Sequence[Link]], None],
        *,
        seconds: float = LEARNING_SECONDS,
        every_pages: int = 100,
    ) -> None:
        self.strategy, self._shared, self._rescoring = strategy, shared, rescoring
        self._exchange, self._learned = shared.exchange, learned
        self.learns = self._exchange.used = bool(strategy.save())
        self.whole = self.learns and not strategy.takes  # one process orders, the others fetch
        self.leads = False  # this one is the learner, and has all that the one before published
        self._seconds, self._every_pages = seconds, every_pages
        self._number = 0  # of the state loaded last
        self._complete_at = 0.0  # so long ago it knew of all that was told then
        self._place = START  # of the last entry taken
        self._taken: dict[str, int] = {}  # session -> its last entry taken
        self._entries = 0  # taken, since the crawl began
        # entries of this process that no state known here covers
        self._own: deque[tuple[str, int, bytes]] = deque()
        self._unread: deque[Told] = deque()
        self._since, self._since_length, self._state_length = 0, 0, 0  # entries taken since the last state
        self._next_state = 0.0  # by time.monotonic: when a state is made or loaded again

    def load(self) -> int:
        """The state that was there when this process joined. Returns how many entries it covers."""
        if not self.learns:
            return 0
        if self.whole:
            text = (
                "%s must see pages whole: one process of the crawl orders, the others fetch (docs/scaling.md)"
            )
            logger.info(text, self.strategy.name)
        elif (found := self._exchange.first) is not None:
            self._number, self._complete_at = found.number, found.at
            self._load(found)
        return 0 if self._exchange.first is None else self._exchange.first.entries

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """The strategy of the crawl was shown the seeds. The crawl begins here: it is said how it is ordered."""
        if self.whole:
            text = (
                "%s must see pages whole: one process of the crawl orders, the others fetch (docs/scaling.md)"
            )
            logger.info(text, self.strategy.name)
        return self.learns and self._exchange.begun

    def shown(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """The strategy of this process was shown a page."""
        if self.learns:
            text = zlib.compress(entry_of(self.strategy, page, links).encode(), 1)
            number = self._exchange.tell(text, once=page is ROOT)
            session = self._exchange.session
            self._own.append((session, number, text))
            self._count(session, number, len(text))

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        """Tell a page whose links the learner scores and queues. False when this process does so itself."""
        if not self.whole:
            return False
        text = zlib.compress(whole_entry_of(self.strategy, page, links).encode(), 1)
        self._exchange.tell(text, once=page is ROOT)
        return True

    def look_up(self, urls: Iterable[str]) -> None:
        """What is known of these URLs is about to be asked."""
        self._shared.look_up(urls)

    def ask_ahead(self, urls: Iterable[str]) -> Ahead | None:
        """The same without waiting for the answer; None = there is none to wait for."""
        return None if self.whole else self._shared.ask_ahead(urls)

    def others_live(self) -> bool:
        """Other processes work on the crawl now."""
        return self._exchange.live > 1

    def pending(self) -> bool:
        """Something waits, or is under way in some process."""
        return self._shared.pending()

    def next_ready(self, now: float) -> float | None:
        """When to ask for a lease again."""
        return self._shared.next_ready(now)

    def step(self) -> None:
        """A slice of the learner's work; in other processes a look for a newer state."""
        if not self.learns:
            return
        exchange = self._exchange
        if exchange.told <= self._entries or not self._complete_at:
            self._complete_at = exchange.now()
        if self.leads and not exchange.is_learner:
            self.leads = False
            exchange.place = START
            self._unread.clear()
            self._rescoring.stop()
        if self.leads:
            self._take_some()
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
        """The crawl, or this process, ends: publish what no state covers."""
        if self.leads and self._since and not self._rescoring.running:
            self._publish()

    def change_strategy(self, strategy: Strategy) -> None:
        """All processes of a crawl have one strategy from its beginning."""
        raise StateError(
            f"strategy {strategy.name!r}", "the crawl is shared", "begin another one: -a job=NAME"
        )

    def figures(self) -> Mapping[str, float]:
        """For the stats."""
        family, figures = self._shared.stats_family, self._shared.figures()
        queue = {family.replace("…", name): figure for name, figure in figures.items()}
        return {**queue, **self._lag()} if self.learns else queue

    def _lag(self) -> Mapping[str, float]:
        behind = 0 if self.whole and not self.leads else max(0, self._exchange.told - self._entries)
        seconds = max(0.0, self._exchange.now() - self._complete_at) if behind else 0.0
        return {
            "frontier/learner": int(self.leads),
            "strategy/learning_lag_pages": behind,
            "strategy/learning_lag_seconds": round(seconds, 1),
        }

    def _take_some(self) -> None:
        end = thread_time() + SLICE_SECONDS
        if not self._unread:
            self._unread.extend(self._exchange.read(LOOK_WHOLE_SECONDS if self.whole else LOOK_SECONDS))
        while self._unread:
            self._take_together()
            if thread_time() >= end:
                break

    def _take_together(self) -> None:
        """One entry; of whole pages so many that their links are worth one question of the queue."""
        found: list[tuple[Told, dict[str, Any] | None, Page | None, list[Link]]] = []
        urls: list[str] = []
        while self._unread and len(urls) < LINKS_AT_ONCE and (self.whole or not found):
            told = self._unread.popleft()
            kept, page, links = self._read(told)
            found.append((told, kept, page, links))
            urls += [link.url for link in links]
        if urls:
            self.look_up(urls)
        for told, kept, page, links in found:
            if told.number > self._taken.get(told.session, 0):
                self._count(told.session, told.number, len(told.text))
                if kept is not None:
                    self._take(told, kept, page, links)
            self._place = self._exchange.place = told.place

    def _read(self, told: Told) -> tuple[dict[str, Any] | None, Page | None, list[Link]]:
        """What an entry says, and of a page to be shown here page and links; nothing of one that was taken before."""
        if told.number <= self._taken.get(told.session, 0):
            return None, None, []
        try:
            kept: dict[str, Any] = json.loads(zlib.decompress(told.text))
            page, links = (None, []) if TAKEN in kept or not self.whole else page_of(kept)
        except DAMAGED as error:
            logger.warning(_PASSED_OVER, told.session, type(error).__name__, error)
            return None, None, []
        return kept, page, links

    def _take(self, told: Told, kept: Mapping[str, Any], page: Page | None, links: Sequence[Link]) -> None:
        if page is None:
            try:
                show_again(self.strategy, kept)
            except DAMAGED as error:
                logger.warning(_PASSED_OVER, told.session, type(error).__name__, error)
                return
        self._learned(page, links)

    def _count(self, session: str, number: int, length: int) -> None:
        self._taken[session] = number
        self._entries += 1
        self._since += 1
        self._since_length += length

    def _is_due(self) -> bool:
        if not self._since or self._rescoring.running:
            return False
        if self.whole or self._exchange.live < 2:  # only the next learner needs it
            return self._since >= self._every_pages and self._since_length >= self._state_length
        return monotonic() >= self._next_state

    def _publish(self) -> None:
        began = thread_time()
        text = json.dumps(
            {"strategy": self.strategy.name, "state": dict(self.strategy.save())}, allow_nan=False
        )
        while len(self._taken) > SESSIONS:
            del self._taken[next(iter(self._taken))]
        self._exchange.publish(text, self._taken, self._entries)
        self._own.clear()
        self._since, self._since_length, self._state_length = 0, 0, len(text)
        self._pause(began)

    def _load_newest(self) -> None:
        found = self._exchange.newest_state()
        if found is None or found.number <= self._number:
            return
        began = thread_time()
        self._number, self._complete_at = found.number, found.at
        if found.by != self._exchange.session:  # else it is what this process has
            self._load(found)
        self._pause(began)

    def _load(self, found: Learned) -> None:
        try:
            load_state(self.strategy, found.text)
        except DAMAGED as error:
            text = "State %d of the crawl is damaged (%s: %s): this process goes on with what it has learned"
            logger.warning(text, found.number, type(error).__name__, error)
            return
        self._place, self._taken, self._entries = found.place, dict(found.taken), found.entries
        self._since, self._since_length, self._state_length = 0, 0, len(found.text)
        own, self._own = self._own, deque()
        for session, number, entry in own:
            if number > found.taken.get(session, 0):
                show_again(self.strategy, json.loads(zlib.decompress(entry)))
                self._own.append((session, number, entry))
                self._count(session, number, len(entry))

    def _pause(self, began: float) -> None:
        """`began`: by time.thread_time."""
        least = self._seconds if self.leads else 0.0
        self._next_state = monotonic() + max(least, PAUSES * (thread_time() - began))
