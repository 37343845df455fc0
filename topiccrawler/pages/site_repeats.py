"""What a site writes on many of its pages: such a segment says nothing of one page.

Idea: a menu, a theme's notice, the site's name in each title are the same text on page after page. A segment that stood on enough of the
site's earlier pages is a repeat: no evidence for the page classifier, and no part of the main text that is stored and compared.
Formula: repeat(s) = n(s) >= least and n(s) > share · pages; n = earlier pages of the site with this very segment.
Parameters: least and share by kind (RULES): the name of a series in the title, or a tag, may stand on half of the pages that a
crawl for just that fetches of a site, the site's name on nearly all; a whole article
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

Fingerprints for near copies: 256 bits of a text that change little when a few words change.

A crawl meets one article on ten sites, each with small changes, and cannot compare a text with a
million others. The share of bits that differ estimates how much of the wording does.
Idea       MinHash of the set of word pairs; of each of the 256 smallest hashes only the lowest bit is kept.
Formula    P(a bit differs) = (1 - J) / 2, J = Jaccard similarity of the two sets of word pairs; two texts are near
           copies when at most MOST_DIFFERENT of BITS differ (J >= .6).
Parameters BITS 256, MOST_DIFFERENT 52: on 4,300 news texts copies with 5 % of their words changed lie at
           25 ± 5 bits (99.9 % under 42), nearest other articles mostly at 91 and more; under LEAST_WORDS words a set says
           little, and only exact copies count.
Cost       under 0.1 ms for 300 words, besides segmenting them.
But        the library gives 256 whole minima; only their bits are kept, 32 bytes that one XOR compares. Order of the
           pairs and how often they occur do not count.
Reference  b-bit minwise hashing (Li & König 2010); shingles (Broder 1997). MinHash itself: rensa.

The segments of a page: parts of its title, keywords, tags, description, headings, links to categories, folders of its address, and lines of
its text.

What a site writes on every page is written in the same segment each time: the site's name in the title, the theme's notice, the menu.
So a segment is the unit in which pages.site_repeats counts what says nothing of one page.
"""

from __future__ import annotations

import logging
import mmap
import os
import re
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple, get_args
from urllib.parse import unquote
from zlib import crc32

from rensa import RMinHash

from topiccrawler.pages.document import BOUNDARY, Document
from topiccrawler.text.segmenter import PLAIN, Segmenter

BITS = 256
MOST_DIFFERENT = 52
LEAST_WORDS = 30
MOST_CHARACTERS = 100_000
_SEED = 7  # fingerprints are stored: another seed would be another kind of fingerprint


class Fingerprint(NamedTuple):
    """A text as the duplicate index stores it."""

    digest: int  # of all words in order, signed 64 bits: equal for exact copies
    bits: bytes  # BITS / 8 bytes; empty for a text too short to have near copies


def fingerprint(text: str, segmenter: Segmenter = PLAIN) -> Fingerprint | None:
    """The fingerprint of a page's main text; None for a text without words. Those of one crawl are compared: one segmenter cuts them all."""
    found = segmenter.words(text[:MOST_CHARACTERS])
    if not found:
        return None
    digest = int.from_bytes(blake2b(" ".join(found).encode(), digest_size=8).digest(), "little", signed=True)
    if len(found) < LEAST_WORDS:
        return Fingerprint(digest, b"")
    minima = RMinHash(num_perm=BITS, seed=_SEED)
    minima.update(list(map(" ".join, pairwise(found))))  # one that comes twice changes nothing
    return Fingerprint(digest, _lowest_bits(minima.digest()))


def _lowest_bits(minima: list[int]) -> bytes:
    """The lowest bit of each number, the first number's first."""
    return int("".join("01"[minimum & 1] for minimum in minima), 2).to_bytes(BITS // 8, "big")


# category: text of a link to one, or to a tag; folder: of the page's address; text: of the main text; block: of a page without one
Kind = Literal["title", "tag", "description", "heading", "category", "folder", "text", "block"]

MOST_TAGS = 30  # of one page; more is a cloud of all tags
MOST_CATEGORIES = 6  # of one page; more is a menu
MOST_HEADINGS = 3
MOST_BLOCKS = 3_000
_TITLE_PARTS = re.compile(
    r"\s*(?:[|–—_·«»,，、:：]|(?<![A-Za-z0-9])[-/]|[-/](?![A-Za-z0-9]))\s*"
)  # not Wi-Fi, TCP/IP
_TAGS = re.compile(r"\s*[,，、;；|\r\n]+\s*")
_BLANKS = re.compile(r"\s+")
_CATEGORY = re.compile(r"/(?:tags?|categor(?:y|ies))/[^/?#]")
_LETTER = re.compile(r"[^\W\d_]")
LONGEST_NAME = 30  # characters of a folder, category or tag


class Segment(NamedTuple):
    """One part of a page. `words` as the segmenter gives them; `key` of its kind and text."""

    kind: Kind
    text: str
    words: Sequence[str]
    key: int


_KEYS: Mapping[Kind, int] = {kind: crc32(f"{kind}\n".encode()) for kind in get_args(Kind)}


def key_of(kind: Kind, text: str) -> int:
    """32 bits, the same for the same text of the same kind."""
    return crc32(text.encode("utf-8", "surrogatepass"), _KEYS[kind])


def segment_texts(document: Document, title: str, main_text: str, url: str = "") -> list[tuple[Kind, str]]:
    """The texts of all segments of a page that was parsed: the lines of its main text, or all blocks where `main_text` is empty."""
    metas = document.metas
    found: list[tuple[Kind, str]] = [
        ("title", part) for part in _parts(_TITLE_PARTS, document.title_tag or title)
    ]
    tags = [*_tags(metas.get("keywords", "")), metas.get("article:tag", ""), *_linked_tags(document)]
    found += [("tag", tag) for tag in dict.fromkeys(filter(None, tags[: 2 * MOST_TAGS]))]
    found.append(("description", metas.get("description") or metas.get("og:description", "")))
    found += [("heading", text) for text in document.headings[:MOST_HEADINGS]]
    found += [("category", name) for name in _categories(document)]
    found += [("folder", name) for name in _folders(url)]
    found += _lines(document, main_text)
    return [(kind, text) for kind, text in found if text]


def stored_segments(
    title: str,
    keywords: str,
    description: str,
    text: str,
    segmenter: Segmenter,
    *,
    is_main: bool,
    url: str = "",
) -> list[Segment]:
    """The segments of a page of which these fields are kept, as `segment_texts` has them; headings and linked tags are not known.
    `is_main`: the text is its main text."""
    kind: Kind = "text" if is_main else "block"
    found: list[tuple[Kind, str]] = [("title", part) for part in _parts(_TITLE_PARTS, title)]
    tags = _tags(keywords)
    found += [("tag", tag) for tag in dict.fromkeys(tags[: 2 * MOST_TAGS])]
    found.append(("description", description))
    found += [("folder", name) for name in _folders(url)]
    found += [(kind, line) for line in text[:MOST_CHARACTERS].split("\n")]
    return with_words([(kind, text) for kind, text in found if text], segmenter)


def with_words(texts: Sequence[tuple[Kind, str]], segmenter: Segmenter) -> list[Segment]:
    """Segments of texts; one call of the segmenter."""
    return segments_of(texts, segmenter.words_of([text for _, text in texts]))


def segments_of(texts: Sequence[tuple[Kind, str]], words: Sequence[Sequence[str]]) -> list[Segment]:
    """Segments of texts and the words of each."""
    return [
        Segment(kind, text, own, key_of(kind, text)) for (kind, text), own in zip(texts, words, strict=True)
    ]


def may_be_same(title: str, other: str) -> bool:
    """Whether two titles may be of one page: what each begins with, without the site's name behind it, is the same or nearly the whole
    of the other's. A page without a title may be any."""
    begins = [next(iter(_parts(_TITLE_PARTS, text)), "").lower() for text in (title, other)]
    shorter, longer = sorted(begins, key=len)
    return not shorter or (shorter in longer and 2 * len(shorter) >= len(longer))


def _parts(separator: re.Pattern[str], text: str) -> list[str]:
    return [part for part in separator.split(text.strip()) if part]


def _tags(keywords: str) -> list[str]:
    """The keywords that a page declares: blanks separate them only where nothing else does (machine learning, big data)."""
    found = _parts(_TAGS, keywords)
    return found if len(found) > 1 else _parts(_BLANKS, keywords)


def _linked_tags(document: Document) -> list[str]:
    """Texts of the links that say they are tags of the page."""
    tags = [
        document.text[anchor.start : anchor.end].replace(BOUNDARY, " ").strip()
        for anchor in document.anchors
        if anchor.rel and "tag" in anchor.rel.lower().split()
    ]
    return tags if len(tags) <= MOST_TAGS else []


def _categories(document: Document) -> list[str]:
    """Texts of the links whose address is that of a category or tag."""
    names = dict.fromkeys(
        document.text[anchor.start : anchor.end].replace(BOUNDARY, " ").strip()
        for anchor in document.anchors
        if ("/tag" in anchor.href or "/categor" in anchor.href) and _CATEGORY.search(anchor.href)
    )
    found = [name for name in names if 0 < len(name) <= LONGEST_NAME]
    return found if len(found) <= MOST_CATEGORIES else []


def _folders(url: str) -> list[str]:
    """The names in the path of an address, without the last, which is the page's, and without numbers."""
    names = [name for name in url.partition("?")[0].split("/")[3:] if name][:-1]
    found = dict.fromkeys(unquote(name).lower() for name in names)
    return [name for name in found if len(name) <= LONGEST_NAME and _LETTER.search(name)]


def _lines(document: Document, main_text: str) -> Iterator[tuple[Kind, str]]:
    if main_text:
        yield from (("text", line) for line in main_text[:MOST_CHARACTERS].split("\n"))
        return
    left = MOST_CHARACTERS
    for start, end, _, _ in document.block_rows[:MOST_BLOCKS]:
        text = document.text[start:end].replace(BOUNDARY, " ").strip()
        left -= len(text)
        if left < 0:
            return
        yield "block", text


logger = logging.getLogger(__name__)

SIZE = 1 << 22  # counts
BYTES = 2  # of a count
HALVED = SIZE // 4  # additions
RULES: Mapping[Kind, tuple[int, float]] = {  # earlier pages, and their share of all of the site
    "title": (2, 0.5),
    "tag": (2, 0.6),
    "description": (2, 0.0),
    "heading": (2, 0.1),
    "category": (2, 0.6),
    "folder": (2, 0.9),
    "text": (4, 0.3),
    "block": (2, 0.02),
}
SHORTEST_LINE = 20  # characters of a line of the main text; a shorter one, as a brace of code, may be the page's own on many pages
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
