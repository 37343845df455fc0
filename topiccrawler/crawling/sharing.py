"""Defines what a crawl asks of a queue that several processes share, beyond the contract of a frontier, and of the way its strategy learns.

cluster.redis implements them; a crawl of one process has neither queue nor exchange, and learns by `Checkpoints`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy


class Harvest(NamedTuple):
    """The numbers of pages of all processes together."""

    pages: int  # pages fetched
    kept: int  # pages kept
    articles: int  # of these, articles
    under_way: int  # fetches in progress


class Exchange(Protocol):
    """What the processes of a crawl tell each other of its pages and blocks. No method blocks on another machine."""

    live: int  # number of live processes
    announced: list[str]  # announcements received, of all since the crawl began

    def count(self, *, kept: bool, article: bool) -> None:
        """Count a page that this process fetched; the count is sent when the page's lease ends."""

    def harvest(self) -> Harvest:
        """The latest counts of all processes, plus what this process has counted since."""

    def announce(self, text: str) -> None:
        """Send a text to all processes, including those that join later. It may arrive twice."""


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A request to a queue on another machine, sent before its reply is needed."""

    answers: Sequence[Future[None]]  # done when the replies have arrived
    receive: Callable[[], object]  # applies the replies, in the caller's thread


class Learning(Protocol):
    """The way in which the strategy of a crawl learns, alone or with other processes, as `Ordering` uses it."""

    whole: bool  # pages are handed over to the learner: the strategy needs each page with all its links
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

    stats_family: str  # the key of its figures in the stats, with … in place of their names

    @property
    def exchange(self) -> Exchange: ...

    def learning(self, strategy: Strategy, rescoring: Rescoring) -> Learning:
        """The learning of the strategy from the pages of all processes."""

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
