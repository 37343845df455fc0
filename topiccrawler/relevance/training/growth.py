"""Which words the pages of a crawl teach its topic, without a person.

Idea: a word that stands on pages the topic is sure of, and on few others, belongs to it. The topic as it was given says how sure it is of a
page, never the grown one, so what was learned cannot confirm itself; and a word new to it wants a second witness.
Formula: r = relevance by the topic's own words, T its threshold, e = how good the link to the page looked (Strategy.worth), e~ its mean;
p = logistic(SHARPNESS (ln((r + .02) / (T + .02)) + EXPECTED (e - e~))) is how surely the page is about the topic. Of one site p counts
SITE_FOR pages together, 1 - p SITE_AGAINST. A_w, D_w = the sums of both over the pages with w, A, D over all pages;
g_w = ln((A_w + .5) / (A + 1)) - ln((D_w + .5) / (D + 1)).
Learned are words with g_w > TELLING that stand on sure pages (p > SURE) of 3 sites and are near the topic by the word vectors (likeness
NEAR), or of 5 sites; the NEW_WORDS with the largest A_w / A · g_w · idf. The first gets SHARE of the topic's heaviest word, the others as
much less as they have less of that. The topic's own words keep their weights: pages are sure because they hold them.
Parameters: docs/lab/growth.md. Reads: words of title and main text; idf of the language. Cost: a round of 1 000 pages 11 ms on drawn words, once in 100 pages.
But: a topic that is sure of the wrong pages learns from them. No word speaks against it: that told pages apart better on some topics, and worse on others.
Reference: Rocchio (1971) and the log-odds of naive Bayes, with soft labels (Nigam et al. 2000); Blum & Mitchell (1998) for two witnesses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

import numpy as np

from topiccrawler.links.numbering import Numbering
from topiccrawler.links.packed_arrays import Floats, Numbers
from topiccrawler.text.stopwords import STOP_WORDS
from topiccrawler.topics.keywords import background_idf

SHARPNESS, EXPECTED, ROOM = 3.0, 1.2, 0.02
SITE_FOR, SITE_AGAINST = 10.0, 30.0  # pages
TELLING, SURE, NEAR = 0.7, 0.7, 0.1
SITES_NEAR, SITES_ALONE = 3, 5
NEW_WORDS, SHARE = 100, 0.3
LEAST_WEIGHT = 0.005
WORDS_OF_A_PAGE, LONGEST_WORD = 200, 30
CANDIDATES = 500  # whose sites are counted


@dataclass(frozen=True, slots=True)
class Lesson:
    """A page that was read: its site, how relevant by the topic's own words, how good its link looked, and its telling words."""

    site: str
    relevance: float
    expected: float
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class GrownWord:
    """A word that pages taught."""

    weight: float  # of the heaviest of the topic
    pages: int  # sure ones with the word
    sites: int  # that these are of


def telling_words(terms: Mapping[str, float], own: frozenset[str]) -> list[str]:
    """Of a page: all of the topic's own, and of the others those with most tf·idf."""
    idf = background_idf()
    others = {
        word: count * idf.get(word, idf[""])
        for word, count in terms.items()
        if word not in own and word not in STOP_WORDS and not word.isdigit() and len(word) <= LONGEST_WORD
    }
    most = nlargest(WORDS_OF_A_PAGE, others.items(), key=lambda pair: (pair[1], pair[0]))
    return sorted(word for word in terms if word in own) + [word for word, _ in most]


class Lessons:
    """The last `most` pages; the oldest leaves when one more comes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.count = 0  # pages so far
        self._words = Numbering()
        self._met: Counter[int] = Counter()  # word -> pages that have it
        self._pages: dict[int, tuple[Lesson, Numbers]] = {}  # place -> page

    def __len__(self) -> int:
        return len(self._pages)

    def add(self, lesson: Lesson) -> int:
        """One more page; the place it has, from 0 below `most`."""
        place = self.count % self._most
        self.put(place, lesson)
        self.count += 1
        return place

    def put(self, place: int, lesson: Lesson) -> None:
        """A page at its place, in place of the one before."""
        if place in self._pages:
            self._leave(self._pages.pop(place)[1])
        numbers = np.array([self._number(word) for word in lesson.words], dtype=np.int64)
        self._met.update(numbers.tolist())
        self._pages[place] = lesson, numbers

    def _number(self, word: str) -> int:
        found = self._words.get(word)
        return self._words.add(word) if found is None else found

    def _leave(self, numbers: Numbers) -> None:
        self._met.subtract(numbers.tolist())
        gone = [number for number in numbers.tolist() if not self._met[number]]
        for number in gone:
            del self._met[number]
        self._words.forget(np.array(gone, dtype=np.int64))

    def grown(
        self,
        own: Container[str],
        threshold: float,
        near: Container[str],
    ) -> dict[str, GrownWord]:
        """The words they teach a topic that has its `own`, the heaviest first. `near`: words of its kind."""
        if not self._pages:
            return {}
        places = sorted(self._pages)
        lessons = [self._pages[place][0] for place in places]
        sure = self._sureness(lessons, threshold)
        sites, site = np.unique([lesson.site for lesson in lessons], return_inverse=True)
        for_it = sure * _share(sure, site, len(sites), SITE_FOR)
        against = (1.0 - sure) * _share(1.0 - sure, site, len(sites), SITE_AGAINST)
        numbers = np.concatenate([self._pages[place][1] for place in places])
        page = np.repeat(np.arange(len(places)), [len(self._pages[place][1]) for place in places])
        size = self._words.size
        with_word = np.bincount(numbers, for_it[page], size)
        without = np.bincount(numbers, against[page], size)
        all_for, all_against = float(for_it.sum()), float(against.sum())
        gains = np.log((with_word + 0.5) / (all_for + 1.0)) - np.log((without + 0.5) / (all_against + 1.0))
        found = self._telling(own, gains, with_word / max(all_for, 1e-9))
        on = self._on_sure_pages(numbers, page, sure, [self._words[word] for word in found])
        new: dict[str, tuple[float, int, int]] = {}
        for word, worth in found.items():
            pages = on[self._words[word]]
            of_sites = len(set(site[pages].tolist()))
            if of_sites >= (SITES_NEAR if word in near else SITES_ALONE):
                new[word] = worth, len(pages), of_sites
        first = nlargest(NEW_WORDS, new.items(), key=lambda pair: (pair[1][0], pair[0]))
        grown = {
            word: GrownWord(round(SHARE * worth / first[0][1][0], 4), pages, of_sites)
            for word, (worth, pages, of_sites) in first
        }
        return {word: one for word, one in grown.items() if one.weight >= LEAST_WEIGHT}

    def _sureness(self, lessons: Sequence[Lesson], threshold: float) -> Floats:
        relevance = np.array([lesson.relevance for lesson in lessons])
        expected = np.array([lesson.expected for lesson in lessons])
        likely = np.log((relevance + ROOM) / (threshold + ROOM)) + EXPECTED * (expected - expected.mean())
        sure: Floats = 1.0 / (1.0 + np.exp(-SHARPNESS * likely))
        return sure

    def _telling(self, own: Container[str], gains: Floats, share: Floats) -> dict[str, float]:
        """Words that the topic has not and that tell pages about it apart, each with what it is worth; the best of them."""
        idf, names = background_idf(), self._words.names
        telling = np.flatnonzero(self._words.used() & (gains > TELLING))
        first = telling[np.argsort(-share[telling] * gains[telling], kind="stable")][: 4 * CANDIDATES]
        worth = {
            names[number]: float(share[number] * gains[number]) * idf.get(names[number], idf[""])
            for number in first.tolist()
            if names[number] not in own
        }
        return dict(nlargest(CANDIDATES, worth.items(), key=lambda pair: (pair[1], pair[0])))

    def _on_sure_pages(
        self, numbers: Numbers, page: Numbers, sure: Floats, wanted: list[int]
    ) -> dict[int, Numbers]:
        """The sure pages that each of these words stands on."""
        chosen = np.zeros(self._words.size, dtype=bool)
        chosen[wanted] = True
        on = chosen[numbers] & (sure[page] > SURE)
        order = np.argsort(numbers[on], kind="stable")
        sorted_numbers, sorted_pages = numbers[on][order], page[on][order]
        starts = np.searchsorted(sorted_numbers, wanted, "left")
        ends = np.searchsorted(sorted_numbers, wanted, "right")
        return {
            number: sorted_pages[start:end] for number, start, end in zip(wanted, starts, ends, strict=True)
        }


def _share(mass: Floats, site: Numbers, sites: int, most: float) -> Floats:
    """What a page of each site counts, so that all pages of the site together count no more than `most`."""
    total = np.bincount(site, mass, sites)
    shares: Floats = np.minimum(1.0, most / np.maximum(total, 1e-9))[site]
    return shares
