"""The contracts of a crawl that several processes share: the queue, the exchange between processes, and how the strategy learns.

Each process appends an entry for each page it reads to one stream. One process at a time, the learner, consumes the entries of all.
It publishes its state, and the stream is cut up to there. An entry is identified by its sender's session and its number in that
session. Entries of one process arrive in order, possibly twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from topiccrawler.crawling.checkpoints import Rescoring
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy

START = "-"  # the place before all entries


class StreamEntry(NamedTuple):
    """One entry of the stream."""

    place: str
    session: str  # of the sender
    number: int  # among those of the session, from 1
    text: bytes  # empty for an entry of this process when it does not read its own


class Learned(NamedTuple):
    """A published state."""

    number: int  # from 1; the newest counts
    by: str  # session
    place: str  # of the last entry read for it
    covered: Mapping[str, int]  # session -> number of its last entry that the state covers
    entries: int  # covered, since the crawl began
    at: float  # when, by the clock of `Exchange.now`
    text: str


class Harvest(NamedTuple):
    """Of all processes together."""

    pages: int  # fetched
    kept: int
    under_way: int


class Exchange(Protocol):
    """Nothing here waits for another machine."""

    session: str  # of this process; another one after it was declared dead
    begun: bool  # the entry of the seeds was sent before this process joined
    first: Learned | None  # the newest state when it joined
    used: bool  # set by a strategy that learns; else no process becomes the learner
    is_learner: bool
    place: str  # of the last entry consumed; the learner keeps it up to date
    newest: int  # number of the newest state; 0 = none
    sent: int  # entries of all processes since the crawl began
    live: int  # processes
    announced: list[str]  # announcements since the crawl began, as far as received

    def now(self) -> float:
        """Seconds, a clock that all processes share."""

    def count(self, *, kept: bool) -> None:
        """Count a page fetched here; sent with its end."""

    def harvest(self) -> Harvest:
        """The latest count of all processes, with what this process added since."""

    def announce(self, text: str) -> None:
        """Send a text to all processes, including those that join later. It may arrive twice."""

    def send(self, text: bytes, *, once: bool = False) -> int:
        """Append an entry, with the pending changes of the queue; returns its number. `once`: unless one was appended with `once`."""

    def read_from(self, place: str, *, own: bool) -> None:
        """Read the entries after this place from now on; `own`: with the texts of this process's own."""

    def read(self, pause_seconds: float) -> Sequence[StreamEntry]:
        """The next entries, in order; empty while a reply is awaited. When there were none, the next request waits for the pause."""

    def newest_state(self) -> Learned | None:
        """The newest state; None while the reply is awaited."""

    def publish(self, text: str, covered: Mapping[str, int], entries: int) -> None:
        """Publish a state that covers all entries up to `place`. Ignored when this process is not the learner any more."""


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A request to a queue on another machine, sent before its reply is needed."""

    answers: Sequence[Future[None]]  # done once the replies are here
    receive: Callable[[], object]  # applies the replies, in the caller's thread


class Learning(Protocol):
    """How the strategy of a crawl learns, as `Ordering` uses it."""

    is_shared: bool  # with other processes
    leads: bool  # this process refreshes the scores of the queue

    def load(self) -> int:
        """Bring the strategy to the state of the queue. Returns how many pages it has visited."""

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """The strategy of the crawl has visited these seeds."""

    def record_visit(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """The strategy of this process visited a page, its `pages`-th; `refreshed`: a refresh began then."""

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        """Send a page to the process that scores and queues its links. False when this process does it itself."""

    def look_up(self, urls: Iterable[str]) -> None:
        """Load what is known of these URLs, which are about to be read."""

    def prefetch(self, urls: Iterable[str]) -> Prefetch | None:
        """The same without waiting; None = no reply to wait for."""

    def others_live(self) -> bool:
        """Other processes work on the crawl now."""

    def pending(self) -> bool:
        """Something waits, or is under way in another process, whose links may be fetched here."""

    def next_ready(self, now: float) -> float | None:
        """When to ask for a lease again, on the clock of `now`."""

    def step(self) -> None:
        """Do a slice of the work for other processes."""

    def save(self, pages: int) -> None:
        """Store what was learned."""

    def change_strategy(self, strategy: Strategy) -> None:
        """Go on with a strategy that has learned nothing."""

    def figures(self) -> Mapping[str, float]:
        """For the stats, by key."""


class SharedQueue(Protocol):
    """The queue of a crawl that several processes share, on another machine, beside its contract as a Frontier."""

    exchange: Exchange
    stats_family: str  # key of its figures in the stats, with … for their names

    def learning(
        self,
        strategy: Strategy,
        rescoring: Rescoring,
        learned: Callable[[Page | None, Sequence[Link]], None],
        *,
        seconds: float,
        every_pages: int,
    ) -> Learning:
        """How the crawl's strategy learns from the pages of all processes. `learned(page, links)` is called for each entry: with None
        when the strategy has observed it, with a page that the caller must pass to the strategy. `seconds`: between two states."""

    def look_up(self, urls: Iterable[str]) -> bool:
        """Load what is known of these URLs in one request, before they are read or pushed. False when the server is away."""

    def prefetch(self, urls: Iterable[str]) -> Prefetch | None:
        """The same without waiting. None = no reply to wait for."""

    def send_scores(self, scores: Iterable[Score]) -> int:
        """Frontier.rescore without a request: scores of URLs not known here are sent to the server. Returns how many scores changed
        here or were sent."""

    def pending(self) -> bool:
        """Some URL waits, or is under way in some process; its links may be fetched here."""

    def next_ready(self, now: float) -> float | None:
        """When to ask for a lease again, on the clock of `now`: hosts.next_ready, or sooner when others may bring URLs."""

    def figures(self) -> Mapping[str, float]:
        """Numbers for the stats, by name."""
