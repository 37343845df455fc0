"""The frontier's contract: which URL is fetched next, and the state of every URL.

A URL is a row with one of five states. It is leased and then acknowledged, never popped, so a killed process loses
nothing. Each host has a clock of its own (frontier.hosts): the best URL goes first among the hosts that may be asked.
A URL met again may raise its score.

One implementation a file; tests/contracts/ runs the same suite on each and asserts order.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple, Protocol

from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link, Score

LEASE_SECONDS = 600.0  # longer than any fetch with its retries


class State(StrEnum):
    """The state of a URL (MySpider's five queues). A URL has exactly one."""

    WAITING = "waiting"
    PROCESSING = "processing"  # leased, until acknowledged or its deadline passes
    ERROR = "error"  # the fetch failed for good
    DISCARDED = "discarded"  # refused: gate, robots, budget, filter; or fetched and found off topic
    COMPLETED = "completed"  # fetched and kept


class Pushed(Enum):
    """What a push did to a URL."""

    NEW = "new"
    RAISED = "raised"  # it was waiting with a smaller score
    KEPT = "kept"  # it was waiting with a score at least as large
    KNOWN = "known"  # it is no longer waiting; the push changed nothing
    REFUSED = "refused"  # the link gate kept it out: the frontier was not asked


class Leased(NamedTuple):
    """A URL leased for fetching."""

    link: Link
    score: float
    carry: float
    tunnel: int  # consecutive tunnel steps that led to the page of the link
    shares: bytes  # of the score
    deadline: float  # seconds, same clock as `now`


@dataclass(frozen=True, slots=True)
class Row:
    """One URL's whole record, for `scrapy frontier` and `explain`."""

    link: Link
    score: float
    shares: bytes  # of the score (model.Score)
    carry: float
    tunnel: int
    state: State
    reason: str
    added: float  # seconds since the epoch
    changed: float  # when the state last changed


class Postpone(Enum):
    """What `accept` may answer besides yes and no: the URL keeps waiting."""

    SKIP_HOST = "skip host"  # its host was closed; the best URL of another host is next
    STOP = "stop"  # nothing is leased this time


Accept = Callable[[Leased], str | Postpone | None]
"""The last look at a URL about to be leased: None = fetch it, a text = it is discarded for that reason."""


class Listing(Protocol):
    """What a frontier holds. Nothing here changes it."""

    def row(self, url: str) -> Row | None:
        """One URL's record."""

    def rows(self, state: State | None = None) -> Iterator[Row]:
        """Records in order of arrival, lazily."""

    def queued(self, after: str = "") -> Iterator[Link]:
        """The waiting links, oldest first, lazily; only those that arrived after the URL `after`, if it is known."""

    def best(self, count: int) -> list[Row]:
        """So many of the waiting URLs with the best scores, whatever their hosts; O(URLs), of which `count` are read."""

    def counts(self) -> Mapping[State, int]:
        """URLs by state; O(1)."""

    def waiting_by_host(self) -> Mapping[str, int]:
        """How many URLs of each host are waiting; hosts without one are left out; O(URLs)."""

    def waiting_in(self, hosts: Container[str]) -> int:
        """How many URLs of these hosts are waiting; O(URLs): for stats."""


class FrontierView(Listing, Protocol):
    """The same, with what is asked of a frontier for every page."""

    def waiting(self) -> int:
        """How many are waiting; O(1)."""

    def sample(self, count: int) -> Sequence[float]:
        """The scores of about so many waiting URLs, drawn at random (of all, when they are few), the same for the same queue. Empty
        when none waits, or when a server has not answered yet. O(count)."""

    def is_open(self, url: str) -> bool:
        """True when a push of this URL may change something: it waits, or was never met."""

    def is_new_anchor(self, url: str, text: str) -> bool:
        """True when the strategy has not seen this URL with this anchor text: the URL is new, or it waits and was neither
        pushed nor asked about with this text (frontier.url_index). The text counts as seen from now on.
        """

    def sift(self, urls: Sequence[str], anchors: Sequence[str] | None) -> tuple[dict[str, bool], list[int]]:
        """Of the links of a page: which of their URLs are open, and the places of those that are; with `anchors`, of those that are new with
        their anchor. The same as asking one by one.
        """
        is_open = {url: self.is_open(url) for url in dict.fromkeys(urls)}
        places = [place for place, url in enumerate(urls) if is_open[url]]
        if anchors is not None:
            places = [place for place in places if self.is_new_anchor(urls[place], anchors[place])]
        return is_open, places


class Notes(Protocol):
    """Named texts (a strategy's or model's state, JSON) kept with the queue, in the same transactions."""

    def put(self, name: str, text: str) -> None:
        """Keep a text under that name, in place of the one before."""

    def get(self, name: str) -> str | None:
        """The text kept under that name."""

    def all(self, prefix: str = "") -> Mapping[str, str]:
        """All notes whose name begins so."""


class Frontier(Protocol):
    """Best first among the hosts that can be fetched now; first in first out among equal scores."""

    hosts: Hosts
    notes: Notes

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        """Queue links. A waiting URL keeps the larger of its scores (and that score's link text, carry, tunnel).
        With `again`, a URL that is error, discarded or completed waits once more (counted as NEW), in the place
        among equals that its first arrival gave it. ValueError for a score that is not finite."""

    def lease(
        self, now: float, accept: Accept | None = None, *, target: tuple[Link, Score] | None = None
    ) -> Leased | None:
        """Hand out the best URL of a host that is ready, or None. URLs refused by `accept` are discarded at once and cost the
        host nothing; an accepted one takes a slot of its host. `Postpone` leaves the URL waiting.

        With `target`, this very URL without a slot of its host: a redirect led to it. None when it is leased already or done
        with; one that waits keeps its score, an unknown one gets that of `target`. Several leases may end one by one.
        """

    def end(self, url: str, state: State, reason: str, now: float) -> None:
        """Acknowledge a lease: the URL becomes completed, discarded or error (ValueError for another state); the host's slot
        ends, if it was not released. An unknown URL, or one that is not leased, is left alone (an end may be reported twice)."""

    def release(self, now: float, urls: Iterable[str] | None = None, *, slots_only: bool = False) -> int:
        """Put leases back to waiting with their old score: those named, else those past their deadline. With `slots_only` the
        leases go on without their hosts' slots: the requests come back as retries or go to other hosts. Returns how many."""

    def rescore(self, scores: Iterable[Score]) -> int:
        """Replace (up or down) the scores, their shares and the carries of waiting URLs; others are passed over. Returns how
        many scores changed. ValueError for a score that is not finite."""

    def look(self) -> FrontierView:
        """What is known of URLs; the same object each time, always up to date."""

    def commit(self) -> None:
        """Make everything so far durable."""

    def close(self, *, commit: bool = True) -> None:
        """Commit and let go. Leases stay leases: the next opening puts them back to waiting. Without `commit`, on disk is
        what the last one left, as after a kill."""
