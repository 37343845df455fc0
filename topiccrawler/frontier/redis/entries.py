"""What this worker knows of URLs just now: those it holds ranks or leases of, and those it asked about since the last commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, replace

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.host_ranking import Key
from topiccrawler.frontier.redis.records import digest_of, entry_of, row_of, score_of
from topiccrawler.frontier.rows import STATES
from topiccrawler.model import Score

_SWEEP_AT = 10_000  # entries


@dataclass(slots=True)
class Entry:
    """One URL."""

    number: int
    key: bytes  # digest
    host: str  # "" = not asked for yet
    state: State
    score: float
    seen: int = 0  # anchors
    raw: bytes | None = None  # its record
    row: Row | None = None  # the same, read
    leased: bool = False  # by this worker


class Entries:
    """By number, and by URL where that is known. What is not held counts until the next commit: then others may have changed it.

    `has_rank(host, key)`: that rank of a host's queue is held.
    """

    def __init__(self, has_rank: Callable[[str, Key], bool]) -> None:
        self._has_rank = has_rank
        self.since: Counter[State] = Counter()  # changes of the counts that the server had not told of
        self._by_number: dict[int, Entry] = {}
        self._by_url: dict[str, Entry | None] = {}  # None = never met
        self._recent: set[str] = set()  # URLs asked about since the last commit
        self._sweep_at = _SWEEP_AT

    def knows(self, url: str) -> bool:
        """It was asked about just now, or is held."""
        if url in self._recent:
            return True
        entry = self._by_url.get(url)
        if entry is not None and self._is_held(entry):
            return True
        self._by_url.pop(url, None)
        return False

    def of(self, url: str) -> Entry | None:
        """None for one that was never met, or that is not known."""
        return self._by_url.get(url)

    def get(self, number: int) -> Entry | None:
        """The one of that number."""
        return self._by_number.get(number)

    def numbered(self, number: int) -> Entry:
        """The same, of one that is known."""
        return self._by_number[number]

    def waiting_score(self, number: int) -> float | None:
        """None when it does not wait, as far as is known here."""
        entry = self._by_number.get(number)
        return entry.score if entry is not None and entry.state is State.WAITING else None

    def waits(self, key: Key) -> bool:
        """It waits with that score."""
        return self.waiting_score(key[1]) == -key[0]

    def add(self, url: str, entry: Entry) -> None:
        """A URL that is new."""
        self._by_number[entry.number] = entry
        self._by_url[url] = entry
        self._recent.add(url)

    def met(self, url: str, key: bytes, raw: bytes) -> None:
        """What the server says of a URL; empty = never met."""
        self._recent.add(url)
        if not raw:
            self._by_url[url] = None
            return
        state, number, seen, score = entry_of(raw)
        entry = self._by_number.get(number)
        if entry is None or not self._is_held(entry):
            entry = self._by_number[number] = Entry(number, key, "", STATES[state], score, seen)
        entry.seen |= seen
        self._by_url[url] = entry

    def hold(self, number: int, host: str, raw: bytes) -> Key | None:
        """A waiting URL's record came with its host's queue; None when it was leased since."""
        score, entry = score_of(raw), self._by_number.get(number)
        if entry is None:
            entry = self._by_number[number] = Entry(number, digest_of(raw), host, State.WAITING, score)
        elif entry.leased:
            return None
        entry.host, entry.state, entry.score, entry.raw, entry.row = host, State.WAITING, score, raw, None
        return (-score, number)

    def read(self, number: int, where: str) -> Row:
        """Its record."""
        entry = self._by_number[number]
        if entry.row is None:
            if entry.raw is None:
                raise StateError(where, f"URL number {number} is not at hand", "tell of it")
            entry.row, entry.raw = row_of(entry.raw, where), None
        return entry.row

    def rescore(self, entry: Entry, score: Score, where: str) -> None:
        """It waits with another score."""
        entry.score = float(score.value)
        if entry.raw is not None or entry.row is not None:
            row = self.read(entry.number, where)
            entry.row = replace(row, score=entry.score, carry=float(score.carry), shares=score.shares)

    def turn(self, entry: Entry, state: State) -> None:
        """Its state is another."""
        self.since[entry.state] -= 1
        self.since[state] += 1
        entry.state, entry.leased = state, state is State.PROCESSING

    def lose(self, number: int) -> None:
        """Its lease is another worker's."""
        self._by_number.pop(number, None)

    def forget(self) -> None:
        """Forget what was asked about, but is not held."""
        recent, self._recent = self._recent, set()
        for url in recent:
            entry = self._by_url.get(url)
            if entry is None:
                self._by_url.pop(url, None)
            elif not self._is_held(entry):
                del self._by_url[url]
                self._by_number.pop(entry.number, None)

    def _is_held(self, entry: Entry) -> bool:
        return entry.leased or self._has_rank(entry.host, (-entry.score, entry.number))

    def sweep(self, numbers: Callable[[], Container[int]]) -> None:
        """Forget all but these numbers, once there are twice as many as after the last time."""
        if len(self._by_number) < self._sweep_at:
            return
        held = numbers()
        self._by_number = {number: entry for number, entry in self._by_number.items() if number in held}
        self._by_url = {
            url: entry for url, entry in self._by_url.items() if entry is not None and entry.number in held
        }
        self._sweep_at = max(_SWEEP_AT, 2 * len(self._by_number))
