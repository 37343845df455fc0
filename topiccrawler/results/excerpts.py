"""Finds pages whose text is an excerpt of other pages: the teasers of a list, the first paragraphs of an article on another page.

Idea       a text is cut into all its windows of WINDOW characters (shingles), blanks left out. Of each page the windows with the smallest
           hashes are noted, but for those across its lines, which may be of several others. Then every page is read once more, and those
           windows of others that it contains are marked.
Formula    excerpt(p) = windows of p found in a page that covers p / windows noted of p >= LEAST_SHARE. A longer article (LONGEST) covers an
           article, and must have all these windows itself; articles together cover a list or a stub of any length, as do longer ones of these.
Parameters WINDOW 16; one window in SAMPLED, by its hash, MOST_NOTED of a page; fewer than LEAST_NOTED say nothing, about 30 characters.
Cost       .2 ms a page of 2,000 characters in each of two passes; 400 bytes of memory a page, in arrays.
But        windows are compared by hashes of 64 bits, exactly, and of a long page only a sample is compared: a page that has LEAST_SHARE of
           the sample of another passes for one that has its text.
Reference  shingles and their containment (Broder 1997).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topiccrawler.pages.kinds import ARTICLE
from topiccrawler.store.pages import PageRecord

WINDOW = 16  # characters
SAMPLED = 4
MOST_NOTED, LEAST_NOTED = 32, 4  # windows of a page
MOST_SHARED = 200  # pages; a window that more of them have is the boilerplate of a site, and no evidence
LEAST_SHARE = 0.9
LONGEST = 0.8  # length of an excerpt by that of the page of its kind that it is from; a longer one is a copy
MOST_CHARACTERS, MOST_NOTED_CHARACTERS = 200_000, 20_000  # read of a text

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]
_CUT = re.compile(r"\n+|…+|\.{3,}")  # where an excerpt was cut, or one of several ends
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no character is lost
_MIXED = np.uint64(31)


class _Sorted(NamedTuple):
    """The noted windows in ascending order, and the pages by number."""

    windows: Hashes
    owners: Numbers  # the page of each window
    noted: Numbers  # windows of each page
    lengths: Numbers
    are_articles: NDArray[np.bool_]
    covered: NDArray[np.bool_]  # by window: a page that covers its own has it
    best: Numbers  # by page: most of its windows in one page that covers it


class Excerpts:
    """The pages of a corpus: each is noted once, then compared once. After that `found` returns the excerpts."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # by URL
        self._lengths, self._are_articles = array("I"), array("b")
        self._windows, self._owners = array("Q"), array("I")

    def note(self, record: PageRecord) -> None:
        """Note a page that may be an excerpt."""
        pieces = [_without_blanks(piece) for piece in _CUT.split(record.text[:MOST_NOTED_CHARACTERS])]
        windows = _windows("".join(pieces), [*map(len, pieces)])
        number = self._numbers.setdefault(record.url, len(self._numbers))
        if number < len(self._lengths):
            return  # noted already
        self._lengths.append(len(_without_blanks(record.text)))
        self._are_articles.append(record.kind == ARTICLE)
        noted = windows[:MOST_NOTED]  # the smallest
        self._windows.frombytes(noted.tobytes())
        self._owners.extend([number] * len(noted))

    def compare(self, record: PageRecord) -> None:
        """Mark the windows of other pages that a page contains. All pages must have been noted before; others are ignored."""
        number = self._numbers.get(record.url)
        if number is None:
            return
        known = self._sorted
        own = _windows(_without_blanks(record.text))
        first, after = (np.searchsorted(known.windows, own, side) for side in ("left", "right"))
        places = _ranges(first, after)
        places = places[self._covers(number, known.owners[places])]
        known.covered[places] = True
        pages, counts = np.unique(known.owners[places], return_counts=True)
        known.best[pages] = np.maximum(known.best[pages], counts)

    def found(self) -> set[str]:
        """The URLs of the pages that are excerpts of others."""
        known = self._sorted
        together = np.bincount(known.owners[known.covered], minlength=len(known.noted))
        most = np.where(known.are_articles, known.best, together)
        are = (known.noted >= LEAST_NOTED) & (most >= LEAST_SHARE * known.noted)
        return {url for url, number in self._numbers.items() if are[number]}

    @cached_property
    def _sorted(self) -> _Sorted:
        windows, owners = np.array(self._windows, dtype=np.uint64), np.array(self._owners, dtype=np.int64)
        order = np.argsort(windows, kind="stable")
        windows, owners = windows[order], owners[order]
        _, which, counts = np.unique(windows, return_inverse=True, return_counts=True)
        is_own = counts[which] <= MOST_SHARED
        windows, owners = windows[is_own], owners[is_own]
        lengths, are_articles = (
            np.array(self._lengths, dtype=np.int64),
            np.array(self._are_articles, dtype=np.bool_),
        )
        noted = np.bincount(owners, minlength=len(lengths))
        covered, best = np.zeros(len(windows), dtype=np.bool_), np.zeros(len(lengths), dtype=np.int64)
        return _Sorted(windows, owners, noted, lengths, are_articles, covered, best)

    def _covers(self, number: int, others: Numbers) -> NDArray[np.bool_]:
        """Whether the page `number` may have each of the pages `others` as an excerpt."""
        known = self._sorted
        is_article, length = bool(known.are_articles[number]), known.lengths[number]
        are_articles, lengths = known.are_articles[others], known.lengths[others]
        are_shorter = lengths <= LONGEST * length  # a list of whole texts makes no article superfluous
        found: NDArray[np.bool_] = (others != number) & np.where(
            are_articles == is_article, are_shorter, is_article
        )
        return found


def _windows(text: str, lengths: Sequence[int] = ()) -> Hashes:
    """The hashes of the sampled windows of a text without blanks, each once, ascending. `lengths`: those of its pieces, across whose ends no
    window counts."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = len(codes) - WINDOW + 1
    if count < 1:
        return np.zeros(0, dtype=np.uint64)
    hashes = np.zeros(count, dtype=np.uint64)
    for place in range(WINDOW):
        hashes = hashes * _FACTOR + codes[place : place + count]
    hashes ^= hashes >> _MIXED  # the low bits of the product depend on the last characters only
    hashes *= _FACTOR
    hashes ^= hashes >> _MIXED
    are_sampled = hashes % np.uint64(SAMPLED) == 0
    if lengths:
        pieces = np.repeat(np.arange(len(lengths)), lengths)
        are_sampled &= pieces[:count] == pieces[WINDOW - 1 :]
    return np.unique(hashes[are_sampled])


def _without_blanks(text: str) -> str:
    return "".join(text[:MOST_CHARACTERS].split())


def _ranges(first: Numbers, after: Numbers) -> Numbers:
    """All places from each `first` up to its `after`."""
    lengths = after - first
    ends = np.cumsum(lengths)
    places: Numbers = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(
        ends - lengths - first, lengths
    )
    return places
