"""A worker's changes on their way to Redis: gathered in order, sent as the arguments of one script (scripts/apply.lua)."""

from __future__ import annotations

from collections.abc import Sequence

from topiccrawler.frontier.base import State
from topiccrawler.frontier.redis.records import BIT, DOUBLE, number_bytes
from topiccrawler.frontier.rows import CODES
from topiccrawler.model import Score

Argument = bytes | str | int | float
MOST_ARGUMENTS = 4_000  # of a batch: some 10 ms of the server
MOST_PUSHED = 1_000  # in one operation: Lua's stack is finite


class Batch:
    """What was not sent yet."""

    def __init__(self) -> None:
        self._parts: list[list[Argument]] = []
        self._open: list[Argument] = []

    def __bool__(self) -> bool:
        return bool(self._open or self._parts)

    def push(self, links: Sequence[tuple[str, bytes, bytes]], *, again: bool) -> None:
        """Links of a page: the host of each, its `head`, and its record."""
        for start in range(0, len(links), MOST_PUSHED):
            some = links[start : start + MOST_PUSHED]
            self._add(["P", "1" if again else "", len(some), *(part for link in some for part in link)])

    def move(self, host: str, key: bytes, state: State, reason: str, now: float) -> None:
        """A URL's state changes."""
        text = reason.encode("utf-8", "replace")[:1000]
        self._add(["M", host, key, CODES[state], text, DOUBLE.pack(now)])

    def rescore(self, host: str, key: bytes, score: Score) -> None:
        """A waiting URL gets another score."""
        self._add(
            ["S", host, key, DOUBLE.pack(float(score.value)), DOUBLE.pack(float(score.carry)), score.shares]
        )

    def anchor(self, key: bytes, bit: int) -> None:
        """A URL was seen with another anchor text."""
        self._add(["K", key, BIT.pack(bit)])

    def clock(self, host: str, text: bytes) -> None:
        """What the host's next owner has to know."""
        self._add(["C", host, text])

    def note(self, name: str, text: str) -> None:
        """A note of this worker."""
        self._add(["N", name, text.encode("utf-8", "surrogatepass")])

    def entry(self, number: int, text: bytes, *, once: bool) -> None:
        """What was seen of a page (exchange.py)."""
        self._add(["E", number, "1" if once else "", text])

    def learned(self, place: str, taken: str, entries: int, text: str) -> None:
        """A state that covers all entries up to that place."""
        self._add(["L", place, taken, entries, text.encode("utf-8", "surrogatepass")])

    def announce(self, text: str) -> None:
        """Something is said to all processes."""
        self._add(["A", text])

    def count(self, *, kept: bool) -> None:
        """A page was fetched."""
        self._add(["H", "1" if kept else ""])

    def take(self) -> list[list[Argument]]:
        """All of it, in pieces that are applied one after the other."""
        parts = self._parts
        if self._open:
            parts.append(self._open)
        self._parts, self._open = [], []
        return parts

    def _add(self, arguments: list[Argument]) -> None:
        self._open += arguments
        if len(self._open) >= MOST_ARGUMENTS:
            self._parts.append(self._open)
            self._open = []


def head(number: int, bit: int, *, met: bool) -> bytes:
    """Of a link that is pushed; number 0 = the server gives one. `met`: the server knows the URL, as far as is known here."""
    return (b"\1" if met else b"\0") + number_bytes(number) + BIT.pack(bit)
