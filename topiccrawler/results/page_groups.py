"""Notices when the kept pages of a job are about two things: rockets and a basketball team, for 火箭.

Idea: pages about one subject share words that are near each other. Where a word of the topic has two meanings, the pages fall into two
groups whose words are far apart.
Formula: page = mean of the word vectors (text.word_vectors) of its PAGE_WORDS words with the largest (1 + ln occurrences) · rarity, so
weighted, without the topic's own words, of length 1. Spherical 2-means, begun with the two pages that are farthest apart. The pages are two groups when
the cosine of the two means is at most MOST_LIKE, the smaller group has LEAST_SHARE of the pages and LEAST_GROUP pages, and all but
MOST_BETWEEN of them are nearer to their own mean by MARGIN.
Parameters: from mixtures of pages of two topics, and pages of one, on recorded webs; so that one subject in several aspects is not split.
Reads: titles and main texts of the first MOST_PAGES kept pages. Cost: 30 ms.
But: only Chinese words count, or only others, whichever the pages have more of, because two languages are no two meanings. Words that the
table lacks do not count.
Reference: Dhillon & Modha, Concept decompositions for large sparse text data using clustering (2001).
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from topiccrawler.crawling.page_stores import has_pages, open_pages
from topiccrawler.crawling.teaching import answered
from topiccrawler.messages import Message
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.results.job_pages import classifier_of
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.printable import one_line
from topiccrawler.text.segmenter import FUNCTION_WORDS, STOP_WORDS, Segmenter

LEAST_PAGES, MOST_PAGES = 20, 60
PAGE_WORDS, LEAST_WORDS = 30, 8
LEAST_RARITY = 4.0
MOST_LIKE = 0.3
LEAST_SHARE, LEAST_GROUP = 0.2, 4
MARGIN, MOST_BETWEEN = 0.1, 0.1
ROUNDS = 12
NAMED = 5  # words of a group
LONGEST_TITLE = 40
MOST_CHARACTERS = 20_000  # read of a page
_FIRST_HAN = "\u3400"

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Group:
    """Pages of one kind: their places among the pages that were grouped, and the words that tell them from the others."""

    pages: tuple[int, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kinds:
    """The two kinds of the first kept pages of a job, each in words with its number of pages and a title."""

    pages: int
    first: str
    second: str
    command: str  # by which the user says which is meant

    def question(self) -> str:
        """One line for the user."""
        return Message(
            "the first {number} pages kept are of two kinds: {first}; or {second}; which is meant? {command}",
            number=self.pages,
            first=self.first,
            second=self.second,
            command=self.command,
        )


def kinds_of(folder: Path) -> Kinds | None:
    """The two kinds of a job's pages; None for one kind, for fewer than LEAST_PAGES pages, for a topic that is not of the user's own words,
    and where the topic was taught already. StateError for files that cannot be read."""
    found = classifier_of(folder) if has_pages(folder) and not answered(folder) else None
    if found is None or not isinstance(found[0], EvidenceClassifier) or not found[0].topic.narrow:
        return None
    own, segmenter = found[0].words, found[1]
    with closing(open_pages(folder)) as store:
        kept = (record for record in store.records() if record.stored and record.text)
        records = list(islice(kept, MOST_PAGES))
    texts = [f"{record.title}\n{record.text[:MOST_CHARACTERS]}" for record in records]
    if (groups := groups_of(segmenter.words_of(texts), own)) is None:
        return None
    first, second = (
        f"{', '.join(group.words)} ({len(group.pages)}: {one_line(records[group.pages[0]].title, LONGEST_TITLE)})"
        for group in groups
    )
    return Kinds(len(records), first, second, f"scrapy topics teach {shlex.quote(str(folder))}")


def sure_of_groups(
    records: Sequence[PageRecord], own: Container[str], segmenter: Segmenter, asked: Container[str]
) -> list[str]:
    """The URL of the first page of each group that was not asked about; empty where the pages are one group. `records`: kept pages, the
    surest first, of which the first MOST_PAGES are grouped; `own`: the words of the topic; `asked`: URLs."""
    records = records[:MOST_PAGES]
    texts = [f"{record.title}\n{record.text[:MOST_CHARACTERS]}" for record in records]
    found = []
    for group in groups_of(segmenter.words_of(texts), own) or ():
        urls = (records[place].url for place in group.pages)
        found += [url for url in urls if url not in asked][:1]
    return found


def groups_of(pages: Sequence[Sequence[str]], own: Container[str]) -> tuple[Group, Group] | None:
    """Two groups of pages, the larger first; None where the pages are one group, or it is not certain. `pages`: the words of each, as the
    segmenter gives them; `own`: the words of the topic."""
    from topiccrawler.text.word_vectors import shipped_vectors  # late: it imports numpy

    vectors = shipped_vectors()
    weights = [_weights(words, own, vectors.rarity_of) for words in _in_one_script(pages)]
    known = [place for place, of_page in enumerate(weights) if len(of_page) >= LEAST_WORDS]
    if len(known) < LEAST_PAGES:
        return None
    of_words = {
        word: _joined(vectors.of_word(word)) for word in set().union(*map(weights.__getitem__, known))
    }
    points = np.stack([_page_vector(weights[place], of_words) for place in known])
    sides = _two_means(points)
    if sides is None:
        return None
    groups = [[known[i] for i in np.flatnonzero(sides == side)] for side in (0, 1)]
    groups.sort(key=lambda group: (-len(group), group))
    first, second = ([weights[place] for place in group] for group in groups)
    return Group(tuple(groups[0]), _telling(first, second)), Group(tuple(groups[1]), _telling(second, first))


def _in_one_script(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The Chinese words of the pages, or the others, whichever are more."""
    chinese = sum(word[0] >= _FIRST_HAN for words in pages for word in words)
    is_chinese = 2 * chinese >= sum(map(len, pages))
    return [[word for word in words if (word[0] >= _FIRST_HAN) is is_chinese] for words in pages]


def _weights(
    words: Sequence[str], own: Container[str], rarity_of: Callable[[str], float | None]
) -> dict[str, float]:
    """The most telling words of a page with their weights."""
    found = {}
    for word, count in Counter(words).items():
        if word in own or word in STOP_WORDS or word in FUNCTION_WORDS:
            continue
        rarity = rarity_of(word)
        if rarity is not None and rarity >= LEAST_RARITY:
            found[word] = (1.0 + log(count)) * rarity
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:PAGE_WORDS])


def _page_vector(weights: Mapping[str, float], of_words: Mapping[str, Matrix]) -> Matrix:
    rows = np.stack([of_words[word] for word in weights])
    return _unit(np.array([*weights.values()], np.float32) @ rows)


def _joined(of_tables: Sequence[Matrix] | None) -> Matrix:
    return np.concatenate(of_tables or ())


def _unit(vector: Matrix) -> Matrix:
    return vector / (float(np.linalg.norm(vector)) or 1.0)


def _two_means(points: Matrix) -> npt.NDArray[np.int64] | None:
    """The side, 0 or 1, of each point (rows of length 1); None where the sides are not apart."""
    likeness = points @ points.T
    first, second = np.unravel_index(int(np.argmin(likeness)), likeness.shape)
    means = points[[first, second]]
    sides = np.zeros(len(points), np.int64)
    for _ in range(ROUNDS):
        near = points @ means.T
        new = np.argmax(near, axis=1)
        if not 0 < new.sum() < len(points):
            return None
        means = np.stack([_unit(points[new == side].mean(axis=0)) for side in (0, 1)])
        if (new == sides).all():
            break
        sides = new
    near = points @ means.T
    margins = np.abs(near[:, 0] - near[:, 1])
    smaller = int(min(sides.sum(), len(points) - sides.sum()))
    is_apart = (
        float(means[0] @ means[1]) <= MOST_LIKE
        and smaller >= max(LEAST_GROUP, LEAST_SHARE * len(points))
        and float((margins < MARGIN).mean()) <= MOST_BETWEEN
    )
    return sides if is_apart else None


def _telling(own: Sequence[dict[str, float]], others: Sequence[dict[str, float]]) -> tuple[str, ...]:
    """The words that most pages of a group have and few of the others."""
    inside, outside = (Counter(word for page in pages for word in page) for pages in (own, others))
    score = {word: count / len(own) - 2 * outside[word] / len(others) for word, count in inside.items()}
    return tuple(sorted(score, key=lambda word: (-score[word], word))[:NAMED])
