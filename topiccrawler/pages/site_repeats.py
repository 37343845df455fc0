"""Finds what a site repeats on many of its pages, and fingerprints main texts to find near copies of pages.

`SiteRepeats` counts the segments of a site's pages.
Idea: a menu, a theme's notice, the site's name in each title are the same text on page after page. A segment that occurred on enough of
the site's earlier pages is a repeat: no evidence for the page classifier, and no part of the main text that is stored and compared.
Formula: repeat(s) = n(s) >= least and n(s) > share · pages; n = earlier pages of the site with this very segment.
Parameters: least and share by kind (RULES). The name of a series in the title, or a tag, may be on half of the pages of a site, if a crawl
fetches just that series; the site's name is on nearly all. A whole article is on the front page, in its category, month and tags before
its own page is read, so a line of main text is a repeat only from the fifth page on and on three tenths of all; any other segment from the
third page on. Counts are 16-bit numbers in one table, addressed by a hash of site and segment, so memory is bounded (8 MB). After HALVED
additions all counts are halved: what a site still repeats becomes a repeat again at once, what it no longer writes is forgotten. One byte
would not do: from the 256th page of a site on, a word on ever fewer of its pages would pass for a repeat. A page read again (revisited, or
fetched once more after a kill) is not counted twice.
Cost: a hash and two look-ups a segment.
But: two segments with the same hash count as one. With the table half full, only one segment in a thousand is taken for a repeat by this,
because the count of the other must lie above the share.
Reference: site-level template detection, Bar-Yossef & Rajagopalan (2002); Yi, Liu & Li (2003).

`Segment` is the unit that is counted: a part of a page's title, its keywords, tags, description, headings, links to categories, folders of
its URL, and lines of its text. What a site writes on every page is in the same segment each time: the site's name in the title, the
theme's notice, the menu.

`fingerprint` makes 256 bits of a text that change little when a few words change. A crawl meets one article on ten sites, each with small
changes, and cannot compare a text with a million others. The share of bits that differ estimates how much of the wording differs.
Idea       MinHash of the set of word pairs; of each of the 256 smallest hashes only the lowest bit is kept.
Formula    P(a bit differs) = (1 - J) / 2, J = Jaccard similarity of the two sets of word pairs; two texts are near
           copies when at most MOST_DIFFERENT of BITS differ (J >= .6).
Parameters BITS 256, MOST_DIFFERENT 52: on 4,300 news texts copies with 5 % of their words changed lie at
           25 ± 5 bits (99.9 % under 42), nearest other articles mostly at 91 and more; under LEAST_WORDS words a set says
           little, and only exact copies count.
Cost       under 0.1 ms for 300 words, besides segmenting them.
But        the library gives 256 whole minima; only their lowest bits are kept, 32 bytes that one XOR compares. The order of
           the pairs and how often they occur do not count.
Reference  b-bit minwise hashing (Li & König 2010); shingles (Broder 1997). MinHash itself: rensa.
"""

from __future__ import annotations

import mmap
import re
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol, get_args
from urllib.parse import unquote
from zlib import crc32

from rensa import RMinHash

from topiccrawler.pages.document import BOUNDARY, Document
from topiccrawler.text.segmenter import PLAIN, Segmenter

BITS = 256
MOST_DIFFERENT = 52
LEAST_WORDS = 30
MOST_CHARACTERS = 100_000
_SEED = 7  # fingerprints are stored, and those of different seeds cannot be compared


class Fingerprint(NamedTuple):
    """The fingerprint of a text, as the duplicate index stores it."""

    digest: int  # hash of all words in order, signed 64 bits: equal for exact copies
    bits: bytes  # BITS / 8 bytes; empty for a text too short to have near copies


def fingerprint(text: str, segmenter: Segmenter = PLAIN) -> Fingerprint | None:
    """The fingerprint of a page's main text; None for a text without words. All fingerprints of a crawl must be made with one segmenter."""
    found = segmenter.words(text[:MOST_CHARACTERS])
    if not found:
        return None
    digest = int.from_bytes(blake2b(" ".join(found).encode(), digest_size=8).digest(), "little", signed=True)
    if len(found) < LEAST_WORDS:
        return Fingerprint(digest, b"")
    minima = RMinHash(num_perm=BITS, seed=_SEED)
    minima.update(list(map(" ".join, pairwise(found))))  # a pair that occurs twice changes nothing
    return Fingerprint(digest, _lowest_bits(minima.digest()))


def _lowest_bits(minima: list[int]) -> bytes:
    """The lowest bit of each number, packed into bytes in order."""
    return int("".join("01"[minimum & 1] for minimum in minima), 2).to_bytes(BITS // 8, "big")


# category: text of a link to a category or tag; folder: in the path of the page's URL; text: a line of the main text;
# block: a block of a page without main text
Kind = Literal["title", "tag", "description", "heading", "category", "folder", "text", "block"]

MOST_TAGS = 30  # of one page; more are a cloud of all tags
MOST_CATEGORIES = 6  # of one page; more are a menu
MOST_HEADINGS = 3
MOST_BLOCKS = 3_000
# Not Wi-Fi, TCP/IP.
_TITLE_PARTS = re.compile(r"\s*(?:[|–—_·«»,，、:：]|(?<![A-Za-z0-9])[-/]|[-/](?![A-Za-z0-9]))\s*")
_TAGS = re.compile(r"\s*[,，、;；|\r\n]+\s*")
_BLANKS = re.compile(r"\s+")
_CATEGORY = re.compile(r"/(?:tags?|categor(?:y|ies))/[^/?#]")
_LETTER = re.compile(r"[^\W\d_]")
LONGEST_NAME = 30  # characters of a folder or category


class Segment(NamedTuple):
    """One part of a page. `words`: its text as the segmenter cuts it; `key`: a hash of its kind and text (`key_of`)."""

    kind: Kind
    text: str
    words: Sequence[str]
    key: int


_KEYS: Mapping[Kind, int] = {kind: crc32(f"{kind}\n".encode()) for kind in get_args(Kind)}


def key_of(kind: Kind, text: str) -> int:
    """A hash of 32 bits, equal for equal texts of the same kind."""
    return crc32(text.encode("utf-8", "surrogatepass"), _KEYS[kind])


def segment_texts(document: Document, title: str, main_text: str, url: str = "") -> list[tuple[Kind, str]]:
    """The texts of all segments of a parsed page, with their kinds. If `main_text` is empty, all blocks take the place of its lines."""
    lines = _lines(main_text, "text") if main_text else _blocks(document)
    return [*_around_text(document, title, url), *lines]


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
    """The segments of a stored page, of which only these fields are kept: those of `segment_texts` without headings, categories and linked
    tags. `is_main`: `text` is the main text of the page, not all its text."""
    page = Document(metas={"keywords": keywords, "description": description})
    lines = _lines(text, "text" if is_main else "block")
    return with_words([*_around_text(page, title, url), *lines], segmenter)


def _around_text(document: Document, title: str, url: str) -> list[tuple[Kind, str]]:
    """The texts of the segments beside the main text or the blocks."""
    metas = document.metas
    tags = [*_tags(metas.get("keywords", "")), metas.get("article:tag", ""), *_linked_tags(document)]
    found: dict[Kind, list[str]] = {
        "title": _parts(_TITLE_PARTS, document.title_tag or title),
        "tag": [*dict.fromkeys(filter(None, tags[: 2 * MOST_TAGS]))],
        "description": [metas.get("description") or metas.get("og:description", "")],
        "heading": document.headings[:MOST_HEADINGS],
        "category": _categories(document),
        "folder": _folders(url),
    }
    return [(kind, text) for kind, texts in found.items() for text in texts if text]


def with_words(texts: Sequence[tuple[Kind, str]], segmenter: Segmenter) -> list[Segment]:
    """Segments of these texts, whose words come from one call of the segmenter."""
    return segments_of(texts, segmenter.words_of([text for _, text in texts]))


def segments_of(texts: Sequence[tuple[Kind, str]], words: Sequence[Sequence[str]]) -> list[Segment]:
    """Segments of these texts, of each of which the words are known."""
    return [
        Segment(kind, text, own, key_of(kind, text)) for (kind, text), own in zip(texts, words, strict=True)
    ]


def may_be_same(title: str, other: str) -> bool:
    """Whether two titles may belong to the same page: of their first parts (without the site's name behind) one contains the other and is
    at most twice as long. A page without a title may be the same as any."""
    begins = [next(iter(_parts(_TITLE_PARTS, text)), "").lower() for text in (title, other)]
    shorter, longer = sorted(begins, key=len)
    return not shorter or (shorter in longer and 2 * len(shorter) >= len(longer))


def _parts(separator: re.Pattern[str], text: str) -> list[str]:
    return [part for part in separator.split(text.strip()) if part]


def _tags(keywords: str) -> list[str]:
    """The keywords that a page declares. Blanks separate them only where no other sign does (machine learning, big data)."""
    found = _parts(_TAGS, keywords)
    return found if len(found) > 1 else _parts(_BLANKS, keywords)


def _linked_tags(document: Document) -> list[str]:
    """Texts of the links marked as tags of the page (rel="tag"); none where there are more than MOST_TAGS."""
    tags = [
        document.text[anchor.start : anchor.end].replace(BOUNDARY, " ").strip()
        for anchor in document.anchors
        if anchor.rel and "tag" in anchor.rel.lower().split()
    ]
    return tags if len(tags) <= MOST_TAGS else []


def _categories(document: Document) -> list[str]:
    """Texts of the links whose URL is that of a category or tag; none where there are more than MOST_CATEGORIES."""
    names = dict.fromkeys(
        document.text[anchor.start : anchor.end].replace(BOUNDARY, " ").strip()
        for anchor in document.anchors
        if ("/tag" in anchor.href or "/categor" in anchor.href) and _CATEGORY.search(anchor.href)
    )
    found = [name for name in names if 0 < len(name) <= LONGEST_NAME]
    return found if len(found) <= MOST_CATEGORIES else []


def _folders(url: str) -> list[str]:
    """The folder names in the path of a URL: all but the last segment, which is the page, and without numbers."""
    names = [name for name in url.partition("?")[0].split("/")[3:] if name][:-1]
    found = dict.fromkeys(unquote(name).lower() for name in names)
    return [name for name in found if len(name) <= LONGEST_NAME and _LETTER.search(name)]


def _lines(text: str, kind: Kind) -> list[tuple[Kind, str]]:
    return [(kind, line) for line in text[:MOST_CHARACTERS].split("\n") if line]


def _blocks(document: Document) -> Iterator[tuple[Kind, str]]:
    left = MOST_CHARACTERS
    for start, end, _, _ in document.block_rows[:MOST_BLOCKS]:
        text = document.text[start:end].replace(BOUNDARY, " ").strip()
        left -= len(text)
        if left < 0:
            return
        if text:
            yield "block", text


SIZE = 1 << 22  # number of counts in the table
BYTES = 2  # of one count
HALVED = SIZE // 4  # additions, after which all counts are halved
# Least number of earlier pages, and their share of all pages of the site.
RULES: Mapping[Kind, tuple[int, float]] = {
    "title": (2, 0.5),
    "tag": (2, 0.6),
    "description": (2, 0.0),
    "heading": (2, 0.1),
    "category": (2, 0.6),
    "folder": (2, 0.9),
    "text": (4, 0.3),
    "block": (2, 0.02),
}
SHORTEST_LINE = 20  # characters; a shorter line, such as a brace of code, may be own text on many pages
FULL = 0xFFFF
_SITE, _URL, _ADDED = b"site ", b"url ", 8  # the last 8 bytes of the table hold the number of additions
_SAVED = 500  # pages, after which the whole table is kept: compressed in some 20 ms


class KeptCounts(Protocol):
    """What keeps the counts of a crawl over a restart, in the transactions of its pages."""

    def load(self) -> tuple[bytes, list[bytes]]:
        """The table as it was last saved, empty before, and the pages added since."""

    def add(self, page: bytes) -> None:
        """Add what a page counts."""

    def save(self, table: bytes) -> None:
        """Replace all that is kept by the table."""


class SiteRepeats:
    """Counts of the segments of each site in one crawl. `kept`: what keeps them over a restart; None = nothing."""

    def __init__(self, kept: KeptCounts | None = None) -> None:
        self._kept = kept
        self._unsaved = 0  # pages

    @cached_property
    def _memory(self) -> mmap.mmap:
        """The table as anonymous memory, of which untouched parts cost nothing. It is made when the first page is read."""
        memory = mmap.mmap(-1, SIZE * BYTES + _ADDED)
        if self._kept is not None:
            table, pages = self._kept.load()
            memory[: len(table)] = table
            for page in pages:
                _add(memory, array("I", page))
            self._unsaved = len(pages)
        return memory

    @cached_property
    def _table(self) -> memoryview:
        return _counts_in(self._memory)

    def of(self, host: str, url: str, segments: Sequence[tuple[Kind, int]]) -> list[bool]:
        """Return for each segment (kind, key) of a page whether its site repeats it. Then count the page, if it is new."""
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
            page = array("I", {at_site, at_url, *places})
            _add(self._memory, page)
            self._keep(page)
        return found

    def _keep(self, page: array[int]) -> None:
        if self._kept is None:
            return
        self._unsaved += 1
        if self._unsaved < _SAVED:
            self._kept.add(page.tobytes())
        else:
            self._kept.save(self._memory[:])
            self._unsaved = 0


def _counts_in(memory: mmap.mmap) -> memoryview:
    return memoryview(memory)[: SIZE * BYTES].cast("H")


def _add(memory: mmap.mmap, page: array[int]) -> None:
    """Count a page: one at each of these places."""
    table = _counts_in(memory)
    for place in page:
        if table[place] < FULL:
            table[place] += 1
    total = int.from_bytes(memory[SIZE * BYTES :], "big") + len(page)
    if total > HALVED:
        table[:] = array("H", (count >> 1 for count in table))
        total = 0
    memory[SIZE * BYTES :] = total.to_bytes(_ADDED, "big")


def keys_of(segments: Sequence[Segment]) -> list[tuple[Kind, int]]:
    """The kind and key of each segment, the input of `SiteRepeats.of`."""
    return [(segment.kind, segment.key) for segment in segments]


def lines_to_ask(main_text: str) -> list[str]:
    """The lines of a main text that are left out if the site repeats them: those of at least SHORTEST_LINE."""
    return [line for line in main_text[:MOST_CHARACTERS].split("\n") if len(line.strip()) >= SHORTEST_LINE]


def keys_of_lines(lines: Sequence[str]) -> list[tuple[Kind, int]]:
    """The kind and key of each line, the input of `SiteRepeats.of`. A line has the same key as its segment."""
    return [("text", key_of("text", line)) for line in lines]


def without_lines(main_text: str, repeated: Collection[str]) -> str:
    """The main text without the repeated lines."""
    return "\n".join(line for line in main_text.split("\n") if line not in repeated)
