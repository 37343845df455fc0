"""Defines the contract of a frontier, which holds the state of every URL and decides which URL is fetched next.

A URL is a row with one of five states. It is leased and then acknowledged, never popped, so a killed process loses
nothing. Each host has a clock of its own (frontier.hosts): the best URL goes first among the hosts that may be asked.
A URL found again with a higher score keeps the higher one.

Each implementation has a file of its own. tests/contracts/ runs the same suite on each and asserts the order of leases.
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
    """The state of a URL. Each URL has exactly one; the MySpider thesis (2009, §4.2.2) has a queue for each."""

    WAITING = "waiting"
    PROCESSING = "processing"  # leased, until acknowledged or its deadline passes
    ERROR = "error"  # the fetch failed for good
    DISCARDED = "discarded"  # refused: gate, robots, budget, filter; or fetched and found off topic
    COMPLETED = "completed"  # fetched and kept


class Pushed(Enum):
    """The effect of a push on a URL."""

    NEW = "new"
    RAISED = "raised"  # it was waiting with a smaller score
    KEPT = "kept"  # it was waiting with a score at least as large
    KNOWN = "known"  # it is no longer waiting; the push changed nothing
    REFUSED = "refused"  # the link gate rejected the URL before it reached the frontier


class Leased(NamedTuple):
    """A URL leased for fetching."""

    link: Link
    score: float
    carry: float
    tunnel: int  # consecutive tunnel steps that led to the page of the link
    shares: bytes  # the parts of the score (model.Score)
    deadline: float  # seconds, same clock as `now`
    tries: int = 0  # failed tries that count against the URL


@dataclass(frozen=True, slots=True)
class Row:
    """The whole record of one URL, for `scrapy frontier` and `explain`."""

    link: Link
    score: float
    shares: bytes  # the parts of the score (model.Score)
    carry: float
    tunnel: int
    state: State
    reason: str
    added: float  # seconds since the epoch
    changed: float  # when the state last changed
    tries: int = 0  # failed tries that count against the URL (crawling.outages)


class Postpone(Enum):
    """Results of `accept` that neither lease nor discard the URL: it keeps waiting."""

    SKIP_HOST = "skip host"  # its host was closed; the best URL of another host is next
    STOP = "stop"  # nothing is leased in this call


Accept = Callable[[Leased], str | Postpone | None]
"""The last check of a URL about to be leased: None = fetch it, a text = discard it for that reason."""


class Listing(Protocol):
    """Read access to the URLs of a frontier. No method changes the frontier."""

    def row(self, url: str) -> Row | None:
        """The record of a URL, or None if it is unknown."""

    def rows(self, state: State | None = None) -> Iterator[Row]:
        """Yield the records in order of arrival; only those in `state`, if one is named."""

    def queued(self, after: str = "") -> Iterator[Link]:
        """Yield the waiting links, oldest first; only those that arrived after the URL `after`, if that is known."""

    def best(self, count: int) -> list[Row]:
        """The `count` waiting URLs with the best scores, whatever their hosts; O(URLs), of which `count` are read."""

    def counts(self) -> Mapping[State, int]:
        """The number of URLs in each state; O(1)."""

    def waiting_by_host(self) -> Mapping[str, int]:
        """The number of waiting URLs of each host that has any; O(URLs)."""

    def waiting_in(self, hosts: Container[str]) -> int:
        """The number of waiting URLs of these hosts together; O(URLs), so for stats only."""


class FrontierView(Listing, Protocol):
    """A `Listing` with the queries that a crawl makes for every page."""

    def waiting(self) -> int:
        """The number of waiting URLs; O(1)."""

    def sample(self, count: int) -> Sequence[float]:
        """The scores of about `count` waiting URLs drawn at random, or of all if there are few; the same for the same queue. Empty
        when no URL waits, or when a server has not answered yet. O(count)."""

    def is_open(self, url: str) -> bool:
        """True when a push of this URL may change something: it waits, or is unknown."""

    def is_new_anchor(self, url: str, text: str) -> bool:
        """True when the strategy has not seen this URL with this anchor text: the URL is new, or it waits and was neither
        pushed nor queried with this text (frontier.url_index). The text counts as seen from now on.
        """

    def sift(self, urls: Sequence[str], anchors: Sequence[str] | None) -> tuple[dict[str, bool], list[int]]:
        """Return whether each URL of a page's links is open, and the positions of the open links; with `anchors`, only of those whose
        anchor text is new for the URL. Equals `is_open` and `is_new_anchor` link by link.
        """
        is_open = {url: self.is_open(url) for url in dict.fromkeys(urls)}
        places = [place for place, url in enumerate(urls) if is_open[url]]
        if anchors is not None:
            places = [place for place in places if self.is_new_anchor(urls[place], anchors[place])]
        return is_open, places


class Notes(Protocol):
    """Named texts (the state of a strategy or model, as JSON) stored with the queue, in the same transactions."""

    def put(self, name: str, text: str) -> None:
        """Store a text under a name, in place of the one before."""

    def get(self, name: str) -> str | None:
        """The text stored under a name, or None."""

    def all(self, prefix: str = "") -> Mapping[str, str]:
        """All notes whose names begin with the prefix."""


class Frontier(Protocol):
    """A priority queue of URLs: best first among the hosts that can be fetched now, first in first out among equal scores."""

    hosts: Hosts
    notes: Notes

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        """Queue links, and count the outcomes. A waiting URL keeps the larger of its scores (and that score's link text, carry, tunnel).
        With `again`, a URL that is error, discarded or completed waits once more (counted as NEW); among equal scores its first
        arrival counts. ValueError for a score that is not finite."""

    def lease(
        self, now: float, accept: Accept | None = None, *, target: tuple[Link, Score] | None = None
    ) -> Leased | None:
        """Lease the best URL of a host that is ready; None if there is none. URLs that `accept` refuses are discarded at once and cost
        the host nothing; an accepted one occupies a slot of its host. `Postpone` leaves the URL waiting.

        With `target`, lease this URL without a slot of its host, because a redirect led to it. None when it is leased already, or
        has ended. A waiting URL keeps its score, an unknown one gets that of `target`. Leases may end in any order.
        """

    def end(self, url: str, state: State, reason: str, now: float, *, unused: bool = False) -> None:
        """Acknowledge a lease: the URL becomes completed, discarded or error (ValueError for another state), and the host's slot
        ends unless it was released before. `unused`: no request was sent, so the slot costs the host nothing. A URL that is unknown
        or not leased is ignored, since an end may be reported twice."""

    def release(
        self, now: float, urls: Iterable[str] | None = None, *, slots_only: bool = False, reason: str = ""
    ) -> int:
        """Put leases back to waiting with their old score: those of `urls`, else those past their deadline. With `slots_only` the
        leases continue without the slots of their hosts: the requests come back as retries or go to other hosts. With a `reason`
        (why the fetch failed) the URLs are set aside: they wait, but are leased only after `recall`. Returns how many."""

    def recall(self, urls: Iterable[str]) -> None:
        """Let URLs that were set aside be leased again; others are ignored. A frontier that is opened has none set aside."""

    def count_try(self, url: str) -> int:
        """Count a failed try against a URL that waits or is leased. Returns how many count; 0 for another URL."""

    def rescore(self, scores: Iterable[Score]) -> int:
        """Replace the scores (up or down), shares and carries of waiting URLs, and skip other URLs. Returns how many scores
        changed. ValueError for a score that is not finite."""

    def look(self) -> FrontierView:
        """The view of the frontier for queries; the same object each time, always up to date."""

    def commit(self) -> None:
        """Make all changes so far durable."""

    def close(self, *, commit: bool = True) -> None:
        """Commit and close. Leases stay leases: the next opening puts them back to waiting. Without `commit`, the disk holds
        the state of the last commit, as after a kill."""
