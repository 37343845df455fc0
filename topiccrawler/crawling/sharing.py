"""Defines the interfaces of a crawl that several processes share: the queue, the exchange of messages, and how the strategy learns.

Each process appends an entry to one stream for each page it reads. One process at a time, the learner, consumes the entries of all.
It publishes the state of its strategy, and the stream is trimmed up to that point. An entry is identified by the session of its sender
and its number in that session. Entries of one process arrive in order, possibly twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from topiccrawler.crawling.checkpoints import Rescoring
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy

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
    at: float  # time of publication, by the clock of `Exchange.now`
    text: str


class Harvest(NamedTuple):
    """The numbers of pages of all processes together."""

    pages: int  # pages fetched
    kept: int  # pages kept
    articles: int  # of these, articles
    under_way: int  # fetches in progress


class Exchange(Protocol):
    """The exchange of entries, states and counts between the processes of a crawl. No method blocks on another machine."""

    session: str  # session of this process; a new one after the process was declared dead
    begun: bool  # the entry of the seeds was sent before this process joined
    first: Learned | None  # the newest state when this process joined
    used: bool  # set by a strategy that learns; else no process becomes the learner
    is_learner: bool  # this process is the learner
    place: str  # position of the last entry consumed; the learner keeps it up to date
    newest: int  # number of the newest state; 0 = none
    sent: int  # number of entries of all processes since the crawl began
    live: int  # number of live processes
    announced: list[str]  # announcements received, of all since the crawl began

    def now(self) -> float:
        """The time in seconds, by a clock that all processes share."""

    def count(self, *, kept: bool, article: bool) -> None:
        """Count a page that this process fetched; the count is sent when the page's lease ends."""

    def harvest(self) -> Harvest:
        """The latest counts of all processes, plus what this process has counted since."""

    def announce(self, text: str) -> None:
        """Send a text to all processes, including those that join later. It may arrive twice."""

    def send(self, text: bytes, *, once: bool = False) -> int:
        """Append an entry, with the pending changes of the queue; return its number. `once`: only if no entry was sent so before."""

    def read_from(self, place: str, *, own: bool) -> None:
        """Read the entries after this position from now on; `own`: also the texts of entries that this process has sent."""

    def read(self, pause_seconds: float) -> Sequence[StreamEntry]:
        """The next entries, in order; empty while a reply is awaited. After an empty reply, the next request is delayed by the pause."""

    def newest_state(self) -> Learned | None:
        """The newest state; None while the reply is awaited."""

    def publish(self, text: str, covered: Mapping[str, int], entries: int) -> None:
        """Publish a state that covers all entries up to `place`. Ignored if this process is no longer the learner."""


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A request to a queue on another machine, sent before its reply is needed."""

    answers: Sequence[Future[None]]  # done when the replies have arrived
    receive: Callable[[], object]  # applies the replies, in the caller's thread


class Learning(Protocol):
    """The way in which the strategy of a crawl learns, alone or with other processes, as `Ordering` uses it."""

    whole: (
        bool  # pages are handed over to the learner, because the strategy needs each page with all its links
    )
    leads: bool  # this process refreshes the scores of the queue

    def load(self) -> int:
        """Restore the strategy to the state that the queue has. Returns the number of pages that it has visited."""

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """Whether the strategy of the crawl has visited these seeds already."""

    def record_visit(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """Record that the strategy of this process visited a page, its `pages`-th; `refreshed`: a refresh began with it."""

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        """Send a page to the process that scores and queues its links. False if this process must do it."""

    def step(self) -> Iterable[tuple[Page | None, Sequence[Link]]]:
        """Do a slice of the work for other processes, as it is iterated: the page and the links of each entry of theirs.

        No page if the strategy has observed the entry, else the caller must pass the page to the strategy.
        """

    def save(self, pages: int) -> None:
        """Store what the strategy has learned from this number of pages."""

    def change_strategy(self, strategy: Strategy) -> None:
        """Continue with another strategy, which replaces the present one."""

    def figures(self) -> Mapping[str, float]:
        """Figures for the stats, by key."""


class SharedQueue(Protocol):
    """The queue of a crawl that several processes share, on another machine: its methods in addition to those of a Frontier."""

    exchange: Exchange
    stats_family: str  # the key of its figures in the stats, with … in place of their names

    def learning(
        self,
        strategy: Strategy,
        rescoring: Rescoring,
        *,
        seconds: float,
        every_pages: int,
    ) -> Learning:
        """The learning of the strategy from the pages of all processes. `seconds`: the interval between two published states."""

    def look_up(self, urls: Iterable[str]) -> bool:
        """Load the records of these URLs in one request, before they are read or pushed. False if the server is unreachable."""

    def prefetch(self, urls: Iterable[str]) -> Prefetch | None:
        """Request the records of these URLs without waiting for the reply; None = no request is needed."""

    def send_scores(self, scores: Iterable[Score]) -> int:
        """Like `Frontier.rescore`, but without a look-up: scores of URLs that this process does not hold are sent to the server.

        Returns the number of scores changed here or sent.
        """

    def pending(self) -> bool:
        """Whether a URL waits, or is being fetched by any process, so that its links may be fetched here."""

    def next_ready(self, now: float) -> float | None:
        """The time to ask for a lease again, on the clock of `now`: hosts.next_ready, or sooner if other processes may push URLs."""

    def figures(self) -> Mapping[str, float]:
        """Figures for the stats, by name."""
