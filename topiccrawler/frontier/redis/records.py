"""A URL's record in Redis, as bytes that scripts can change in place without knowing a link.

    state 1 | score 8 | added 8 | changed 8 | carry 8 | tunnel 4 | digest 10 | length of shares 2 | of reason 2 | shares | reason | link

Numbers are big-endian, so that bytes rank as they do; the link is a JSON list.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from struct import Struct, error

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row
from topiccrawler.frontier.rows import CODES, STATES
from topiccrawler.model import Link, Score

_HEAD = Struct(">BddddI10sHH")
_ENTRY = Struct(">BBIId")
DOUBLE = Struct(">d")
BIT = Struct(">I")
_as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
MOST_SHARES = 65_535  # bytes


def digest(url: str) -> bytes:
    """What a URL is known by; two URLs of a thousand million share one once in 10^6 crawls."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=10).digest()


def number_bytes(number: int) -> bytes:
    """A number in order of arrival, as the queues have it."""
    return number.to_bytes(5, "big")


def entry_of(raw: bytes) -> tuple[int, int, int, float]:
    """State, number, anchors seen and score of an index entry."""
    state, high, low, seen, score = _ENTRY.unpack(raw)
    return state, high << 32 | low, seen, score


def record(key: bytes, link: Link, score: Score, tunnel: int, now: float) -> bytes:
    """Of a URL that waits."""
    shares = score.shares[:MOST_SHARES]
    head = _HEAD.pack(
        CODES[STATES[0]], float(score.value), now, now, float(score.carry), tunnel, key, len(shares), 0
    )
    text = _as_json(link)
    try:
        return head + shares + text.encode()
    except UnicodeEncodeError:  # half a surrogate pair in somebody's HTML
        return head + shares + json.dumps(link).encode()


def score_of(raw: bytes) -> float:
    """Without reading the rest."""
    return float(DOUBLE.unpack_from(raw, 1)[0])


def digest_of(raw: bytes) -> bytes:
    """The same of the digest."""
    return raw[37:47]


def row_of(raw: bytes, where: str) -> Row:
    """The whole record. StateError when it is damaged; `where`: the crawl, for the message."""
    try:
        state, score, added, changed, carry, tunnel, _, shares, reason = _HEAD.unpack_from(raw)
        middle, end = _HEAD.size + shares, _HEAD.size + shares + reason
        link = Link._make(json.loads(raw[end:]))
        why = raw[middle:end].decode("utf-8", "replace")
        return Row(link, score, raw[_HEAD.size : middle], carry, tunnel, STATES[state], why, added, changed)
    except (error, ValueError, TypeError, IndexError) as fault:
        raise StateError(
            where, f"a record is damaged ({fault})", "begin another crawl with -a job="
        ) from None
