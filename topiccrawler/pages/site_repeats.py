"""What a site writes on many of its pages: such a segment says nothing of one page.

Idea: a menu, a theme's notice, the site's name in each title are the same text on page after page. A segment that stood on enough of the
site's earlier pages is a repeat: no evidence for the page classifier, and no part of the main text that is stored and compared.
Formula: repeat(s) = n(s) >= least and n(s) > share · pages; n = earlier pages of the site with this very segment.
Parameters: least and share by kind (RULES): a tag may stand on a third of the pages of a site that is mostly about it; a whole article
on the front page, in its category, month and tags before it is read by itself, so a line of main text is a repeat only from the fifth page
on and on three tenths of all; any other segment from the third page on.
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

import logging
import mmap
import os
from array import array
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from zlib import crc32

from topiccrawler.pages.segments import Kind, Segment, key_of

logger = logging.getLogger(__name__)

SIZE = 1 << 22  # counts
BYTES = 2  # of a count
HALVED = SIZE // 4  # additions
RULES: Mapping[Kind, tuple[int, float]] = {  # earlier pages, and their share of all of the site
    "title": (2, 0.1),
    "tag": (2, 0.3),
    "description": (2, 0.0),
    "heading": (2, 0.1),
    "text": (4, 0.3),
    "block": (2, 0.02),
}
SHORTEST_LINE = 20  # characters of a line of the main text; a shorter one, as a brace of code, may be the page's own on many pages
MOST_CHARACTERS = 100_000  # of a main text
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
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with self._place.open("a+b") as file:
                # whole, not as a hole: one that a full disk cannot fill would end the process
                file.write(bytes(max(0, size - file.seek(0, os.SEEK_END))))
                file.truncate(size)
                return mmap.mmap(file.fileno(), size)
        except OSError as fault:
            logger.warning("%s: %s; it is not kept over a restart", self._place, fault.strerror)
            return mmap.mmap(-1, size)

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
            (earlier := table[place] - again) >= RULES[kind][0] and earlier > RULES[kind][1] * pages
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


def lines_to_ask(main_text: str) -> list[str]:
    """The lines of a main text that are left out where the site repeats them."""
    return [line for line in main_text[:MOST_CHARACTERS].split("\n") if len(line.strip()) >= SHORTEST_LINE]


def keys_of_lines(lines: Sequence[str]) -> list[tuple[Kind, int]]:
    """What `SiteRepeats.of` asks for; a line has the same key as the segment that it is."""
    return [("text", key_of("text", line)) for line in lines]


def without_lines(main_text: str, repeated: Collection[str]) -> str:
    """The main text without these lines."""
    return "\n".join(line for line in main_text.split("\n") if line not in repeated)
