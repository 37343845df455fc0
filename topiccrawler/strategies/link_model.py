"""Implements the strategy `link_model`: label propagation from pages that were read to queued links with similar words.

`nearest_rows` builds the similarity matrix of queued links. It would have tens of millions of entries. So its rows are computed one slice
at a time, and only the k largest entries of each row are kept.

`propagate` spreads labels over that matrix.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from topiccrawler.errors import StrategyError
from topiccrawler.files import read_text, user_path
from topiccrawler.link_model.classifier import url_words, words_of_links
from topiccrawler.links.columns import Floats, packed, unpacked
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, Strategy, check_range, topic_of
from topiccrawler.strategies.base import packed as packed_shares
from topiccrawler.strategies.features import (
    SIZE,
    Hashed,
    IdfVectors,
    hashed_counts,
    packed_texts,
    unpacked_texts,
)
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.topics.topic import token_weights
from topiccrawler.urls.canonical import canonical

_SLICE = 500  # rows


def nearest_rows(vectors: csr_array, k: int, *, ties: bool = True) -> csr_array:
    """Return the k largest cosines of each row (a vector of length 1) with other rows, as a sparse square matrix.

    Without `ties`, the k-th largest value and all values equal to it are dropped (step 3 of the link model's paper).
    """
    transposed = vectors.T.tocsr()
    columns, values, ends = [], [], [0]
    for begin in range(0, vectors.shape[0], _SLICE):
        likeness = (vectors[begin : begin + _SLICE] @ transposed).tocsr()
        for row in range(likeness.shape[0]):
            first, last = likeness.indptr[row], likeness.indptr[row + 1]
            others, near = likeness.indices[first:last], likeness.data[first:last]
            kept = np.flatnonzero(others != begin + row)
            enough = kept.size >= k
            if kept.size > k:
                kept = kept[np.argpartition(near[kept], -k)[-k:]]
            if enough and not ties:
                kept = kept[near[kept] > near[kept].min()]
            columns.append(others[kept])
            values.append(near[kept])
            ends.append(ends[-1] + kept.size)
    size = vectors.shape[0]
    if not size:
        return csr_array((0, 0))
    return csr_array((np.concatenate(values), np.concatenate(columns), np.array(ends)), shape=(size, size))


def propagate(
    votes: Floats, likeness: csr_array, gamma: float, start: Floats | None = None, tolerance: float = 1e-9
) -> Floats:
    """Return the fixed point of X <- (1 - gamma) * votes + gamma * likeness * X. It does not depend on `start`."""
    fixed = (1.0 - gamma) * votes
    x = np.zeros(votes.size) if start is None else start
    for _ in range(_sweeps(gamma, tolerance)):
        following = fixed + gamma * (likeness @ x)
        change = float(np.abs(following - x).max(initial=0.0))
        x = following
        if change <= tolerance:
            break
    return x


def _sweeps(gamma: float, tolerance: float) -> int:
    """Return the number of sweeps after which the start hardly counts: each multiplies its share by gamma at most."""
    return max(200, math.ceil(math.log(tolerance) / math.log(gamma))) if 0.0 < gamma < 1.0 else 200


_LIKENESS_OF_A_LINK = 0.2


@dataclass
class LinkModel(Strategy):
    """Fetch links first whose words are like those of relevant pages, or like those of other queued links that are.

    Idea: labelled pages S vote on queued links T by similarity of words; queued links pass votes on to similar
        queued links.
    Formula: X <- (1 - gamma) * U * X_S + gamma * V * X (eq. 2), until it converges; score = X; a URL of X < d
        is discarded when it is leased (eq. 6, step 8; seeds never).
        U, V: cosine of tf-idf vectors of T with S and with T; V_ii = 0, each row of V keeps its k largest;
        row i of [U V] is divided by its sum, a zero row stays zero (eq. 3); X_S: labels, positives divided by
        their sum, negatives by the size of theirs (eq. 4); label -> relevance of a relevant page,
        relevance - 1 of another. S: pages read (by `Page.is_target`), and the topic's keywords as one positive.
    Parameters: gamma 0.68 (paper §4.1), k 20 (the paper names none). Ours, with the paper's value in brackets:
        linking 1 (0), graded true (false), seeds_only false (true: S is the seeds alone), negative_most 1 (inf):
        largest weight of a negative relative to a positive, d -inf (0): with -inf no URL is discarded,
        most_queued 3 000 and page_words 60 (0 = all), ties true (false, step 3: V_ij = 0 where it equals the
        k-th largest), with_context true (false: a link's text is its anchor alone); labels: a file of lines URL
        TAB topics, which labels seeds by hand.
    Reads: anchor, context; words and relevance of pages; topic keywords; seed lines that begin with `-`.
    Cost: one call of the segmenter and two sparse products a page; refresh every 25 pages: most_queued links
        against each other, under 1 s (benchmarks/graph.py), whatever the length of the queue.
    But: a page j that links to i adds linking * |S| * (cosine + 0.2) to U_ij (docs/lab.md). Eq. 5
        scales positives and negatives by one number each; it is left out, since order and signs are the same.
        X is scaled by the number of positives, so that old and new scores are comparable. T is limited to the
        best-scored links; the others keep their score. A link just found has the vote of S alone. A page is
        weighted with the idf at the time it was read.
    Reference: Shi, He & Wu, Computer Engineering and Applications 50(2), 2014, eq. 1-6.
    """

    name: ClassVar[str] = "link_model"
    changeable = frozenset({"gamma", "linking"})
    share_names: ClassVar[tuple[str, ...]] = ("labelled pages", "queued links alike")
    refresh_every: ClassVar[int] = 25
    learned: ClassVar[tuple[str, ...]] = ("_vectors", "_labels", "_read", "_refreshing", "_pending")
    gamma: float = 0.68
    k: int = 20
    most_queued: int = 3_000
    page_words: int = 60
    linking: float = 1.0
    graded: bool = True
    seeds_only: bool = False
    negative_most: float = 1.0
    d: float = -math.inf
    ties: bool = True
    with_context: bool = True
    labels: str = ""
    _vectors: IdfVectors = field(default_factory=IdfVectors, init=False, repr=False)
    # S: sums of the vectors of labelled pages (negatives, positives, all), and the same sums of their labels
    _sums: Floats = field(default_factory=lambda: np.zeros((SIZE, 3)), init=False, repr=False)
    _labels: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0], init=False, repr=False)
    _texts: dict[str, Hashed] = field(default_factory=dict, init=False, repr=False)  # T
    # for each link of T, the summed similarity to the pages that link to it (negatives, positives, all)
    _to_pages: dict[str, list[float]] = field(default_factory=dict, init=False, repr=False)
    _scores: dict[str, float] = field(default_factory=dict, init=False, repr=False)
    # share of the labelled pages in each score
    _direct: dict[str, float] = field(default_factory=dict, init=False, repr=False)
    _read: dict[str, None] = field(default_factory=dict, init=False, repr=False)
    _by_hand: dict[str, bool] = field(default_factory=dict, init=False, repr=False)  # URL -> relevant
    _segmenter: Segmenter = field(default=PLAIN, init=False, repr=False)
    _off_topic: frozenset[str] = field(default=frozenset(), init=False, repr=False)
    _refreshing: bool = field(default=False, init=False, repr=False)
    # URLs whose new scores have not been yielded yet
    _pending: deque[str] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "gamma", self.gamma, 0.0, 0.999)
        check_range(self.name, "linking", self.linking, 0.0, 1e6)
        check_range(self.name, "negative_most", self.negative_most, 0.0)
        if self.d != -math.inf:
            check_range(self.name, "d", self.d, 0.0)
        for key, least in (("k", 1), ("most_queued", 0), ("page_words", 0)):
            check_range(self.name, key, getattr(self, key), least)

    def prepare(self, knowledge: Knowledge) -> None:
        self._off_topic = frozenset(knowledge.off_topic)
        topic, self._segmenter = topic_of(knowledge, self.name), knowledge.segmenter
        if self.labels:
            self._by_hand = _labels_of(user_path(self.labels), topic.name)
        if not self.seeds_only:
            self._label(hashed_counts(token_weights(topic.keywords, self._segmenter)[0]), 1.0)
        for url in knowledge.off_topic:
            self._label(hashed_counts(dict.fromkeys(url_words(url), 1.0)), -1.0)

    @property
    def least_score(self) -> float:
        return self.d

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        links = [link for link in links if link.url not in self._off_topic]
        own_words = words_of_links(links, self._segmenter)
        context = slice(None) if self.with_context else slice(0)
        texts = [
            self._vectors.seen(hashed_counts([*words.anchor, *words.context[context]])) for words in own_words
        ]
        near = np.zeros((len(links), 3))
        if page.depth >= 0:
            words = self._vectors.seen(hashed_counts(page.terms))
            if self.page_words:
                words = self._vectors.heaviest(words, self.page_words)
            label = self._label_of(page)
            if page.depth == 0 or not self.seeds_only:
                self._label(words, label)
            self._read[page.url] = None
            self._drop(page.url)
            likeness = self._vectors.matrix(texts) @ self._vectors.matrix([words]).T
            near[:] = (likeness.toarray() + _LIKENESS_OF_A_LINK) * _parted(label)
        for link, text, pair in zip(links, texts, near.tolist(), strict=True):
            before = self._to_pages.get(link.url)
            if before is None:
                self._texts[link.url], self._to_pages[link.url] = text, pair
            else:
                before[:] = [old + new for old, new in zip(before, pair, strict=True)]
        votes, total = self._towards(texts, [self._to_pages[link.url] for link in links])
        fixed = (1.0 - self.gamma) * votes
        votes = np.divide(fixed, total, out=np.zeros(total.size), where=total > 0)
        pairs = zip(links, votes.tolist(), strict=True)
        found = [Score(link.url, vote, shares=packed_shares(vote)) for link, vote in pairs]
        for score in found:
            if score.value >= self._scores.get(score.url, score.value):
                self._scores[score.url] = self._direct[score.url] = score.value
        for link in links:
            if link.url in self._read:
                self._drop(link.url)
        self._bound()
        return found

    def _towards(self, texts: Sequence[Hashed], to_pages: Sequence[list[float]]) -> tuple[Floats, Floats]:
        """Return for each text its row of U times X_S, and the sum of that row."""
        sums = self._vectors.matrix(texts) @ self._sums
        sums += self.linking * self._labels[2] * np.array(to_pages).reshape(-1, 3)
        negatives, positives, _ = self._labels
        weight = min(positives / negatives, self.negative_most) if negatives else 0.0
        return sums[:, 1] - weight * sums[:, 0], sums[:, 2]

    def refresh(self, queued: Iterable[Link]) -> Iterator[Score]:
        if not self._refreshing and self._texts:
            texts = list(self._texts.values())
            votes, total = self._towards(texts, list(self._to_pages.values()))
            likeness = nearest_rows(self._vectors.matrix(texts), self.k, ties=self.ties)
            total = total + np.asarray(likeness.sum(axis=1))
            shares = np.divide(1.0, total, out=np.zeros(total.size), where=total > 0)
            votes = votes * shares
            likeness.data *= np.repeat(shares, np.diff(likeness.indptr))
            scores = propagate(votes, likeness, self.gamma).tolist()
            self._scores = dict(zip(self._texts, scores, strict=True))
            self._direct = dict(zip(self._texts, ((1.0 - self.gamma) * votes).tolist(), strict=True))
            self._refreshing, self._pending = True, deque(self._scores)
        while self._pending:
            url = self._pending.popleft()
            if url in self._scores:
                yield self._score(url)
        self._refreshing = False

    def _label_of(self, page: Page) -> float:
        """Return the label of a page, -1..1: from the file of labels for a seed in it, else from the page classifier."""
        by_hand = self._by_hand.get(page.url) if page.depth == 0 else None
        if by_hand is not None:
            return 1.0 if by_hand else -1.0
        degree = page.similarity if self.graded else float(page.is_target)
        return degree - float(not page.is_target)

    def _label(self, words: Hashed, label: float) -> None:
        parts = _parted(label)
        row = self._vectors.matrix([words])
        self._sums[row.indices] += row.data[:, None] * parts
        self._labels = [old + new for old, new in zip(self._labels, parts.tolist(), strict=True)]

    def _bound(self) -> None:
        """Drop the links with the lowest scores once there are a quarter more than `most_queued`."""
        if not self.most_queued or len(self._texts) <= 1.25 * self.most_queued:
            return
        ranked = sorted(self._scores, key=self._scores.__getitem__, reverse=True)
        for url in ranked[self.most_queued :]:
            self._drop(url)

    def _drop(self, url: str) -> None:
        for table in (self._texts, self._to_pages, self._scores, self._direct):
            table.pop(url, None)

    def current(self, link: Link) -> Score | None:
        return self._score(link.url) if link.url in self._scores else None

    def _score(self, url: str) -> Score:
        return Score(url, self._scores[url], shares=packed_shares(self._direct[url]))

    def worth(self, value: float) -> float:
        return min(1.0, max(0.0, value))

    def save(self) -> Mapping[str, Any]:
        used = np.flatnonzero(self._sums.any(axis=1))
        return {
            **super().save(),
            "used": packed(used.astype(np.int32)),
            "sums": packed(self._sums[used].T),
            "urls": list(self._texts),
            **packed_texts(list(self._texts.values())),
            "linked": [self._to_pages[url] for url in self._texts],
            "scores": [self._scores[url] for url in self._texts],
            "direct": [self._direct[url] for url in self._texts],
        }

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        used = unpacked(state["used"], np.int32)
        self._sums = np.zeros((SIZE, 3))
        self._sums[used] = unpacked(state["sums"], np.float64).reshape(3, used.size).T
        self._texts = dict(zip(state["urls"], unpacked_texts(state), strict=True))
        to_pages = ([float(part) for part in parts] for parts in state["linked"])
        self._to_pages = dict(zip(state["urls"], to_pages, strict=True))
        self._scores = dict(zip(state["urls"], map(float, state["scores"]), strict=True))
        self._direct = dict(zip(state["urls"], map(float, state["direct"]), strict=True))


def _parted(label: float) -> Floats:
    """Return what a label adds to the sum of the negatives, to that of the positives, and to the number of pages."""
    return np.array([max(0.0, -label), max(0.0, label), 1.0])


_MOST_BYTES = 100_000_000


def _labels_of(path: Path, topic: str) -> dict[str, bool]:
    """Read a file of labels: canonical URL -> whether it is about the topic. Raises StrategyError if it cannot be read or has no label."""
    what, remedy = f"strategy parameter labels={path}", "give a file of lines: URL, tab, topics with commas"
    lines = read_text(path, _MOST_BYTES, StrategyError, what, remedy).splitlines()
    rows = [line.split("\t") for line in lines if "\t" in line and not line.startswith("#")]
    found: dict[str, bool] = {}
    for one, topics, *_ in rows:
        if url := canonical(one):  # a URL with several lines is about all their topics
            found[url] = found.get(url, False) or topic in map(str.strip, topics.split(","))
    if not found:
        raise StrategyError(what, "labels no page", remedy)
    return found
