"""What processes that share a crawl tell each other of the pages they read: entries of one stream, and a state that covers a part of it.

Of all processes one at a time, the learner, takes the entries of all. It publishes what it has learned, and the stream is cut up to
there. An entry is known by who told it and by its number among those; of one process they come in order, perhaps twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from topiccrawler.frontier.rescoring import Rescoring
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy

START = "-"  # the place before all entries


class Entry(NamedTuple):
    """One entry of the stream."""

    place: str
    session: str  # who told it
    number: int  # among those of the session, from 1
    text: bytes  # empty for one of this process's own that it need not be told


class Learned(NamedTuple):
    """A published state."""

    number: int  # from 1; the newest counts
    by: str  # session
    place: str  # of the last entry read for it
    taken: Mapping[str, int]  # session -> number of its last entry that the state covers
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

    session: str  # this process, as long as it is not taken for dead
    begun: bool  # the seeds were told before this process joined
    first: Learned | None  # the newest state when it joined
    used: bool  # something is learned in this crawl: set by whoever learns, else there is no learner
    is_learner: bool
    place: str  # of the last entry taken by the learner, which it keeps up to date
    newest: int  # number of the newest state; 0 = none
    told: int  # entries of all processes since the crawl began
    live: int  # processes
    announced: list[str]  # what was said to all processes since the crawl began, as far as it was heard

    def now(self) -> float:
        """Seconds, a clock that all processes share."""

    def count(self, *, kept: bool) -> None:
        """A page was fetched here; along with its end."""

    def harvest(self) -> Harvest:
        """As it was a moment ago; what this process did since is in it."""

    def announce(self, text: str) -> None:
        """Say something to all processes, those too that join later. It may be heard twice."""

    def tell(self, text: bytes, *, once: bool = False) -> int:
        """Add an entry, along with the changes made to the queue just now; gives its number. `once`: unless such a one was added."""

    def read_from(self, place: str, *, own: bool) -> None:
        """Read entries behind this place from now on; `own`: with the texts of this process's own too."""

    def read(self, pause_seconds: float) -> Sequence[Entry]:
        """The next entries, in order; none while they are on their way. Asked for again after such a pause when there were none."""

    def newest_state(self) -> Learned | None:
        """The newest state; None while it is on its way."""

    def publish(self, text: str, taken: Mapping[str, int], entries: int) -> None:
        """Make a state known that covers all entries up to `place`. Left alone when this process is not the learner any more."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """A question to a queue on another machine that was asked before its answer is needed."""

    answers: Sequence[Future[None]]  # done once they are here
    hear: Callable[[], object]  # takes them, in the caller's thread


class Learning(Protocol):
    """What a crawl's ordering asks of it."""

    is_shared: bool  # with other processes
    leads: bool  # this process scores the queue anew

    def load(self) -> int:
        """Bring the strategy to where the queue stands. Returns how many pages it was shown."""

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """The strategy of the crawl was shown these seeds."""

    def record_visit(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """The strategy of this process was shown a page, its `pages`-th; a refresh began then."""

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        """Send a page to the process that scores and queues its links. False when this process does so itself."""

    def look_up(self, urls: Iterable[str]) -> None:
        """What is known of these URLs is about to be asked."""

    def ask_ahead(self, urls: Iterable[str]) -> Ahead | None:
        """The same without waiting for the answer; None = there is none to wait for."""

    def others_live(self) -> bool:
        """Other processes work on the crawl now."""

    def pending(self) -> bool:
        """Something waits, or is under way in another process, whose links may be fetched here."""

    def next_ready(self, now: float) -> float | None:
        """When to ask for a lease again, on the clock of `now`."""

    def step(self) -> None:
        """A slice of what this process does for others."""

    def save(self, pages: int) -> None:
        """Keep what was learned."""

    def change_strategy(self, strategy: Strategy) -> None:
        """Another strategy orders from now on, which has learned nothing."""

    def figures(self) -> Mapping[str, float]:
        """For the stats, by key."""


class SharedQueue(Protocol):
    """What a crawl has besides its Frontier when other processes may work on the same queue, on another machine."""

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
        """How the crawl's strategy learns from the pages of all processes. `learned(page, links)`: an entry was learned from; with a page, that
        is to be shown to the strategy here and its links queued. `seconds`: between two states."""

    def look_up(self, urls: Iterable[str]) -> bool:
        """The caller is about to ask about these URLs and to push them: they are asked about in one go. False when the server
        is away."""

    def ask_ahead(self, urls: Iterable[str]) -> Ahead | None:
        """The same without waiting for the answer. None = there is none to wait for."""

    def send_scores(self, scores: Iterable[Score]) -> int:
        """Frontier.rescore without a question: URLs not known here are left to the server. Returns how many scores changed here
        or were sent."""

    def pending(self) -> bool:
        """Something waits, or is under way in some process, whose links may be fetched here."""

    def next_ready(self, now: float) -> float | None:
        """When to ask for a lease again, on the clock of `now`: hosts.next_ready, or sooner when others may bring URLs."""

    def figures(self) -> Mapping[str, float]:
        """Numbers for the stats, by name."""
