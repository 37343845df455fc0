"""Stores which URLs are known, and with which anchor texts they were seen, in compact arrays without the texts.

`UrlIndex` stores 76 bits of a digest for each URL, in 13 bytes. A dict needs 150 bytes a URL, and an index on disk changes a page of the
file for nearly every new URL. The top 12 bits of a 64-bit fingerprint choose one of 4 096 small arrays, in which the next 32 are sorted. A
look-up takes about 8 steps of bisection; an insertion moves half a small array. 32 further bits distinguish URLs that agree in those 44.
Two URLs are mistaken for one only if all 76 bits agree: at ten million URLs one chance in 10^9 that it ever happens.

`SparseMap` maps some of the numbers 0, 1, 2 … to positive numbers, in 7 bytes for each number with a value and none for the others. Few
URLs are raised, so an array over all of them would waste memory. Numbers are divided into runs of 4 096; each run has a sorted array of
the numbers with a value, beside their values.

`anchor_bit` is the bit of a text in the seen-anchor mask of a URL, which has 32 bits. A menu names its targets on every page. To score the
same words for the same URL again costs most of a strategy's time and counts one source many times, but a frontier has no room for the
anchor texts of a million URLs.
But: two texts share a bit once in 32 times; the second then counts as seen. A URL with a dozen texts has been scored a dozen times by then.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable
from hashlib import blake2b
from itertools import pairwise
from struct import Struct
from zlib import crc32

_RUN_BITS = 12
_RUN = (1 << _RUN_BITS) - 1


class SparseMap:
    """A map from numbers to positive numbers; 0 = no value."""

    def __init__(self) -> None:
        self._keys: list[array[int]] = []
        self._values: list[array[int]] = []

    def __getitem__(self, number: int) -> int:
        run = number >> _RUN_BITS
        if run >= len(self._keys):
            return 0
        keys, key = self._keys[run], number & _RUN
        at = bisect_left(keys, key)
        return self._values[run][at] if at < len(keys) and keys[at] == key else 0

    def __setitem__(self, number: int, value: int) -> None:
        run = number >> _RUN_BITS
        while run >= len(self._keys):
            self._keys.append(array("H"))
            self._values.append(array("I"))
        keys, key = self._keys[run], number & _RUN
        at = bisect_left(keys, key)
        if at < len(keys) and keys[at] == key:
            self._values[run][at] = value
        else:
            keys.insert(at, key)
            self._values[run].insert(at, value)


_BITS = 32


def anchor_bit(text: str) -> int:
    """The bit of an anchor text in the seen-anchor mask; the same in every process."""
    return 1 << crc32(text.encode()) % _BITS


Digest = tuple[int, int]
"""Fingerprint (signed, 64 bits) and check (unsigned, 32 bits)."""

_DIGEST = Struct("<qI")
_SHARDS = 4096
_SHIFT = 52  # the top 12 of 64 bits choose the shard
_KEY_SHIFT = 20  # the 32 below them are the key in the shard
_KEY_BITS = 0xFFFF_FFFF
_HALF = _SHARDS // 2  # fingerprints are signed
_RECENT = 20_000  # URLs; 4 MB
_BAND = 256  # shards loaded together
_BAND_WIDTH = _BAND << _SHIFT


def digest(url: str) -> Digest:
    """The fingerprint and check of a URL: blake2b, 12 bytes."""
    data = url.encode()
    fingerprint, check = _DIGEST.unpack(blake2b(data, digest_size=12).digest())
    return fingerprint, check


class UrlIndex:
    """Maps a URL to its number in order of arrival; numbers are 0, 1, 2 …"""

    def __init__(self, digest: Callable[[str], Digest] = digest) -> None:
        self._digest = digest
        self._keys = [array("I") for _ in range(_SHARDS)]
        self._numbers = [array("I") for _ in range(_SHARDS)]
        self._checks = array("I")  # by number
        self._recent: dict[str, int] = {}  # a cache: menus repeat the same URLs on page after page

    def __len__(self) -> int:
        return len(self._checks)

    def find(self, url: str) -> int | None:
        """The number of a URL, or None if it is unknown."""
        number = self._recent.get(url)
        if number is None:
            number = self._locate(*self._digest(url))[0]
            if number is not None:
                self._remember(url, number)
        return number

    def find_or_add(self, url: str) -> tuple[int, Digest | None]:
        """The number of a URL, and its digest if it is new and was added."""
        number = self._recent.get(url)
        if number is not None:
            return number, None
        found = self._digest(url)
        number, shard, key, at = self._locate(*found)
        new = None
        if number is None:
            number, new = len(self._checks), found
            self._keys[shard].insert(at, key)
            self._numbers[shard].insert(at, number)
            self._checks.append(found[1])
        self._remember(url, number)
        return number, new

    def _remember(self, url: str, number: int) -> None:
        if len(self._recent) >= _RECENT:
            self._recent.clear()
        self._recent[url] = number

    def load(self, fingerprints: array[int], checks: array[int]) -> None:
        """Load many digests at once, in order of arrival, into an empty index."""
        self._checks = checks
        if not fingerprints:
            return
        import numpy as np  # only here: a new crawl saves its 20 MB

        every = np.frombuffer(fingerprints, dtype=np.int64)
        for band in range(0, _SHARDS, _BAND):  # one band after the other, so that the copies stay small
            edges = np.arange(band - _HALF, band - _HALF + _BAND + 1, dtype=np.int64)
            lowest = int(edges[0]) << _SHIFT
            inside = np.flatnonzero((every >= lowest) & (every <= lowest + _BAND_WIDTH - 1))
            inside = inside[np.argsort(every[inside], kind="stable")]
            ordered = every[inside]
            cuts = np.searchsorted(ordered >> _SHIFT, edges)
            numbers = inside.astype(np.uint32)
            keys = (ordered >> _KEY_SHIFT & _KEY_BITS).astype(np.uint32)
            for shard, (start, end) in enumerate(pairwise(cuts.tolist()), start=band):
                self._keys[shard] = array("I", keys[start:end].tobytes())
                self._numbers[shard] = array("I", numbers[start:end].tobytes())

    def _locate(self, fingerprint: int, check: int) -> tuple[int | None, int, int, int]:
        """The number of a URL (None if it is unknown), its shard, its key in the shard, and the position of that key."""
        shard = (fingerprint >> _SHIFT) + _HALF
        key = fingerprint >> _KEY_SHIFT & _KEY_BITS
        keys, numbers = self._keys[shard], self._numbers[shard]
        first = at = bisect_left(keys, key)
        while at < len(keys) and keys[at] == key:
            if self._checks[numbers[at]] == check:
                return numbers[at], shard, key, first
            at += 1
        return None, shard, key, first
