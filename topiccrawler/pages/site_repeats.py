"""What a site writes on many of its pages: such a segment says nothing of one page.

Idea: a menu, a theme's notice, the site's name in each title are the same text on page after page. A segment that stood on enough of the
site's earlier pages is a repeat.
Formula: repeat(s) = n(s) >= LEAST and n(s) > share(kind of s) · pages; n = earlier pages of the site with this very segment.
Parameters: LEAST 2; share: a tag may stand on a third of the pages of a site that is mostly about it, any other segment on a tenth.
Counts are 16 bits of one table, found by a hash of site and segment, so memory is bounded (8 MB); after HALVED additions all are halved:
what a site still repeats comes back at once, what it no longer writes is forgotten. A byte would not do: from the 256th page of a site on
a word on ever fewer of its pages would pass for a repeat.
A page read again (revisited, or fetched once more after a kill) is not counted twice.
Cost: a hash and two look-ups a segment.
But: two segments with the same hash count as one; with the table half full that is one in a thousand for a segment to be
taken for a repeat, for it must happen to lie above the share.
Reference: site-level template detection, Bar-Yossef & Rajagopalan (2002); Yi, Liu & Li (2003).
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from zlib import crc32

from topiccrawler.pages.segments import Kind, Segment

SIZE = 1 << 22  # counts
BYTES = 2  # of a count
HALVED = SIZE // 4  # additions
LEAST = 2  # earlier pages
SHARES: Mapping[Kind, float] = {
    "title": 0.1,
    "tag": 0.3,
    "description": 0.0,
    "heading": 0.1,
    "text": 0.02,
    "block": 0.02,
}
FULL = 0xFFFF
_SITE, _URL, _ADDED = b"site ", b"url ", 8  # the last bytes of the table hold how many were added


class SiteRepeats:
    """Of one crawl. `place`: the file that keeps it over a restart; None = in memory alone."""

    def __init__(self, place: Path | None = None) -> None:
        self._place = place

    @cached_property
    def _memory(self) -> mmap.mmap:
        """Made when the first page is read: before, a job has no folder."""
        size = SIZE * BYTES + _ADDED
        if self._place is None:
            return mmap.mmap(-1, size)
        self._place.parent.mkdir(parents=True, exist_ok=True)
        with self._place.open("a+b") as file:
            file.truncate(size)
            return mmap.mmap(file.fileno(), size)

    @cached_property
    def _table(self) -> memoryview:
        return memoryview(self._memory)[: SIZE * BYTES].cast("H")

    def of(self, host: str, url: str, segments: Sequence[tuple[Kind, int]]) -> list[bool]:
        """Which of a page's segments (kind, key) its site repeats; the page is counted from now on."""
        table, site = self._table, crc32(host.encode("utf-8", "surrogatepass"))
        at_site = crc32(_SITE, site) % SIZE
        at_url = crc32(_URL + url.encode("utf-8", "surrogatepass"), site) % SIZE
        again = table[at_url] > 0
        pages = table[at_site] - again
        places = [crc32(key.to_bytes(4, "big"), site) % SIZE for _, key in segments]
        found = [
            (earlier := table[place] - again) >= LEAST and earlier > SHARES[kind] * pages
            for (kind, _), place in zip(segments, places, strict=True)
        ]
        if not again:
            for place in {at_site, at_url, *places}:
                if table[place] < FULL:
                    table[place] += 1
            self._count(len(places) + 2)
        return found

    def _count(self, added: int) -> None:
        memory = self._memory
        total = int.from_bytes(memory[SIZE * BYTES :], "big") + added
        if total > HALVED:
            self._table[:] = array("H", (count >> 1 for count in self._table))
            total = 0
        memory[SIZE * BYTES :] = total.to_bytes(_ADDED, "big")


def keys_of(segments: Sequence[Segment]) -> list[tuple[Kind, int]]:
    """What `SiteRepeats.of` asks for."""
    return [(segment.kind, segment.key) for segment in segments]
