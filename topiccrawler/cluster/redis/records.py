"""Defines the format of a crawl in Redis: records of URLs, names of keys, addresses, scripts, and a worker's batch of changes.

`record`: a record is bytes, so that a script can change state and score in place without decoding the link:

    state 1 | score 8 | added 8 | changed 8 | carry 8 | failed tries 1 | 0 1 | tunnel 2 | digest 10 | length of shares 2 | of reason 2
    | shares | reason | link

Numbers are big-endian, so that bytes sort as the numbers do; the link is a JSON list.

`partitions_of`: a crawl on a Redis Cluster is divided into partitions, each in one slot, so on one node.

`Batch` collects changes in order, which become the arguments of one script (scripts/apply.lua). Redis runs a script as a whole, without
changes of other workers in between.
"""

from __future__ import annotations

import json
import re
from binascii import crc_hqx
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from itertools import count
from struct import Struct, error
from urllib.parse import urlsplit

from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.frontier.base import Row, State
from topiccrawler.frontier.rows import CODES, STATES
from topiccrawler.model import Link, Score
from topiccrawler.resources import package_text

_HEAD = Struct(">BddddBxH10sHH")
_ENTRY = Struct(">BBIId")
DOUBLE = Struct(">d")
BIT = Struct(">I")
_as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
MOST_SHARES = 65_535  # bytes
_MOST_TUNNEL = 65_535  # steps
_MOST_TRIES = 255


def digest(url: str) -> bytes:
    """The 10 bytes by which a URL is stored; in a crawl of 10^9 URLs two share a digest once in 10^6 crawls."""
    return blake2b(url.encode(), digest_size=10).digest()


def entry_of(raw: bytes) -> tuple[int, int, int, float]:
    """State, number, seen-anchor mask and score of an index entry."""
    state, high, low, seen, score = _ENTRY.unpack(raw)
    return state, high << 32 | low, seen, score


def record(key: bytes, link: Link, score: Score, tunnel: int, now: float, tries: int = 0) -> bytes:
    """Encode the record of a waiting URL. `key`: its digest."""
    shares = score.shares[:MOST_SHARES]
    value, carry = float(score.value), float(score.carry)
    counts = min(tries, _MOST_TRIES), min(tunnel, _MOST_TUNNEL)
    head = _HEAD.pack(CODES[STATES[0]], value, now, now, carry, *counts, key, len(shares), 0)
    return head + shares + _as_json(link).encode()


def score_of(raw: bytes) -> float:
    """The score in a record; the rest is not decoded."""
    return float(DOUBLE.unpack_from(raw, 1)[0])


def digest_of(raw: bytes) -> bytes:
    """The digest in a record; the rest is not decoded."""
    return raw[37:47]


def row_of(raw: bytes, where: str) -> Row:
    """Decode a record. StateError when it is damaged; `where`: the crawl, for the message."""
    try:
        state, score, added, changed, carry, tries, tunnel, _, shares, reason = _HEAD.unpack_from(raw)
        middle, end = _HEAD.size + shares, _HEAD.size + shares + reason
        link = Link._make(json.loads(raw[end:]))
        why = raw[middle:end].decode("utf-8", "replace")
        score_parts = raw[_HEAD.size : middle]
        return Row(link, score, score_parts, carry, tunnel, STATES[state], why, added, changed, tries)
    except (error, ValueError, TypeError, IndexError) as fault:
        remedy = "begin another crawl with -a job="
        raise StateError(where, f"a record is damaged ({fault})", remedy) from None


SCHEMES = ("redis", "rediss", "unix")
REMEDY = "write it as redis://HOST:6379/0, rediss://… for TLS, or unix:///PATH"
ONE_ADDRESS = (
    "give one; where one server is not enough, a node of a Redis Cluster, and begin the crawl anew there"
)
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
SLOTS = 16_384  # of a Redis Cluster
PARTITIONS = 12  # of a crawl on a cluster; it can use as many nodes at most
NEAR_SLOTS = 32  # tolerance around the slot wanted for a partition


def prefix_of(job: str, partition: int = 0) -> str:
    """The prefix of every key of a crawl, or of a partition. A cluster stores keys with the same text in braces in one slot.
    ArgumentError for a job name that is not plain."""
    if not _NAME.fullmatch(job):
        raise ArgumentError(f"job name {job!r}", "is no plain name", "use letters, digits, dots and dashes")
    return f"topiccrawler:{{{_tag(job, partition)}}}:"


@cache
def partitions_of(job: str) -> tuple[int, ...]:
    """The numbers of a crawl's partitions on a cluster, beginning with 0. Their slots lie at nearly equal distances, so that nodes with
    equal numbers of slots have equal numbers of partitions."""
    wanted = (_slot(job, 0) + place * SLOTS // PARTITIONS for place in range(1, PARTITIONS))
    return 0, *(
        next(number for number in count(1) if abs(_slot(job, number) - slot % SLOTS) < NEAR_SLOTS)
        for slot in wanted
    )


def partition_of(host: str, partitions: int) -> int:
    """The position of the partition that has a host, 0 .. `partitions` - 1."""
    hashed = blake2b(host.encode(), digest_size=4).digest()
    return int.from_bytes(hashed, "big") % partitions


def _tag(job: str, partition: int) -> str:
    return f"{job}:{partition}" if partition else job


def _slot(job: str, partition: int) -> int:
    return crc_hqx(_tag(job, partition).encode(), 0) % SLOTS


def check_address(url: str) -> str:
    """Return the address unchanged. ArgumentError when it is not the address of a Redis server."""
    if url.count("://") > 1:
        raise ArgumentError(f"REDIS_URL={redacted(url)}", "has several addresses", ONE_ADDRESS)
    try:
        parts = urlsplit(url)
        place = parts.path if parts.scheme == "unix" else parts.hostname
        fine = parts.scheme in SCHEMES and bool(place) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise ArgumentError(f"REDIS_URL={redacted(url)}", "is no address of a Redis server", REMEDY)
    return url


def redacted(url: str) -> str:
    """The address without user, password and parameters, for messages."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url.rpartition("@")[2]
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


_whole: dict[str, str] = {}  # addresses by their texts without secret parts


def remember(url: str) -> None:
    """Remember an address with its secret parts, for jobs whose recipes name the same server without them."""
    _whole[redacted(url)] = url


def whole(url: str) -> str:
    """The remembered address of a server; the given one if none is remembered."""
    return _whole.get(url, url)


SHARED = ("names", "queue", "common")
HEAD = 2_000  # most URLs in the sorted set of a host; when there are more, the lower half is moved to chunks
CHUNK = 128  # URLs in a chunk: the most that a server stores packed by default


@cache
def script(name: str, head: int = HEAD, chunk: int = CHUNK) -> str:
    """The text of a Lua script, preceded by the parts that all scripts share."""
    parts = [package_text(f"cluster/redis/scripts/{part}.lua") for part in (*SHARED, name)]
    return "\n".join([f"local HEAD, CHUNK = {head}, {chunk}", *parts])


Argument = bytes | str | int | float
MOST_ARGUMENTS = 4_000  # of a batch: some 10 ms of the server
MOST_PUSHED = 1_000  # links in one operation: the stack of Lua is bounded


class Batch:
    """The changes that are not sent yet, in order."""

    def __init__(self) -> None:
        self._parts: list[list[Argument]] = []
        self._open: list[Argument] = []

    def __bool__(self) -> bool:
        return bool(self._open or self._parts)

    def push(self, links: Sequence[tuple[str, bytes, bytes]], *, again: bool) -> None:
        """Push links of a page: the host of each, its `head`, and its record."""
        for start in range(0, len(links), MOST_PUSHED):
            some = links[start : start + MOST_PUSHED]
            self._add(["P", "1" if again else "", len(some), *(part for link in some for part in link)])

    def move(self, host: str, key: bytes, state: State, reason: str, now: float) -> None:
        """Change the state of a URL."""
        text = reason.encode()[:1000]
        self._add(["M", host, key, CODES[state], text, DOUBLE.pack(now)])

    def rescore(self, host: str, key: bytes, score: Score) -> None:
        """Change the score of a URL, if it waits."""
        value, carry = DOUBLE.pack(float(score.value)), DOUBLE.pack(float(score.carry))
        self._add(["S", host, key, value, carry, score.shares])

    def count_try(self, host: str, key: bytes) -> None:
        """Count a failed try against a URL."""
        self._add(["T", host, key])

    def anchor(self, key: bytes, bit: int) -> None:
        """Add a bit to the seen-anchor mask of a URL."""
        self._add(["K", key, BIT.pack(bit)])

    def clock(self, host: str, text: bytes) -> None:
        """Store the clock of a host for its next owner."""
        self._add(["C", host, text])

    def note(self, name: str, text: str) -> None:
        """Store a note of this worker."""
        self._add(["N", name, text.encode()])

    def entry(self, number: int, text: bytes, *, once: bool) -> None:
        """Append an entry to the stream (exchange.py); with `once`, only if no process has sent such an entry before."""
        self._add(["E", number, "1" if once else "", text])

    def learned(self, place: str, covered: str, entries: int, text: str) -> None:
        """Publish a state of the learner that covers all entries up to `place`."""
        self._add(["L", place, covered, entries, text.encode()])

    def announce(self, text: str) -> None:
        """Send an announcement to all processes."""
        self._add(["A", text])

    def count(self, *, kept: bool, article: bool) -> None:
        """Count a page that was fetched, whether it was kept, and whether it is an article."""
        self._add(["H", "article" if article else "kept" if kept else ""])

    def drain(self) -> list[list[Argument]]:
        """Remove and return all changes, as lists of arguments to be applied in order."""
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
    """The head of a link that is pushed; number 0 = the server assigns one. `met`: the server may have the URL already."""
    return (b"\1" if met else b"\0") + number.to_bytes(5, "big") + BIT.pack(bit)
