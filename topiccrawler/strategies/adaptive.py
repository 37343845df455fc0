"""The strategy `adaptive`: a weighted sum of all features of a link, with weights learned during the crawl.

The features and their initial weights were chosen on the log-odds scale (docs/lab.md).

`Regression` is an online logistic regression that updates the weights after each page:

Formula    score = w . x, P = 1 / (1 + e^-score); after an example with outcome y (0 to 1):
           g = (P - y) x;  s += g^2;  w -= rate * g / sqrt(s)
Parameters rate; `squares` (s) begin at 1, so that the first examples do not change the weights too much.
Reference  AdaGrad: Duchi, Hazan & Singer, JMLR 12, 2011.

`PageObservation` is what is stored to learn from a page again. After a restart, or in another process, the strategy must learn from every
page since the last checkpoint, but the links of a page with their contexts take 100 kB. Their URLs and anchors and two numbers for each
link suffice.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from typing import Any, ClassVar, NamedTuple
from urllib.parse import unquote

import numpy as np

from topiccrawler.errors import StrategyError
from topiccrawler.links.columns import Floats, Numbers
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import (
    ROOT_URL,
    Knowledge,
    LinkScorer,
    OfferedLinks,
    Strategy,
    check_range,
    link_scorer_of,
)
from topiccrawler.strategies.link_features import (
    GROUPS,
    MEMORY_URLS,
    UrlFeatures,
    bounded,
    is_listing,
    logit,
    probability,
    titled,
)
from topiccrawler.strategies.numbering import label_of
from topiccrawler.strategies.site_looks import SiteLooks
from topiccrawler.text.segmenter import folded
from topiccrawler.topics.meaning import naming_terms, naming_words
from topiccrawler.topics.subjects import written
from topiccrawler.urls.canonical import host_of

FEATURES: Mapping[str, float] = {
    "bias": -1.0,
    "link text": 1.0,
    "page": 1.0,
    "grandparent": 0.0,
    "site": 0.6,
    "site text": 0.3,
    "source host": 0.0,
    "words": 0.5,
    "unproductive": 1.0,
    "named": 3.0,
    "titled": -0.5,
    "listing": 0.5,
}
SITE, TITLED = map(list(FEATURES).index, ("site", "titled"))
# initial weight of "titled" for a narrow topic: a title without its words is hardly ever on topic
NARROW_TITLED = -1.0


def mask_of(without: str) -> Floats:
    """Return 0 for each feature named in `without` (comma-separated), 1 for the others. Raises StrategyError for an unknown feature."""
    left_out = {name.strip() for name in without.split(",") if name.strip()}
    if unknown := sorted(left_out - FEATURES.keys()):
        fault, remedy = f"adaptive has no feature {unknown[0]!r}", f"use {', '.join(FEATURES)}"
        raise StrategyError(f"strategy parameter without={without}", fault, remedy)
    return np.array([float(name not in left_out) for name in FEATURES])


class PageObservation(NamedTuple):
    """A page and its links, of which only URL, host and anchor are stored."""

    url: str
    title: str
    similarity: float
    is_target: bool
    came_by: str  # the URL of the link that led here; empty for a seed
    links: Sequence[Link]
    odds: Sequence[float]  # log-odds of the links, by the link classifier
    # URL -> score with which the link was queued; None = not scored yet
    queued: Mapping[str, float] | None = None
    ended: Sequence[str] = ()  # URLs that left the queue without a page since the previous page

    @classmethod
    def of(
        cls, page: Page, links: Sequence[Link], odds: Sequence[float], ended: Sequence[str] = ()
    ) -> PageObservation:
        """Return the observation of a page and of the links passed with it."""
        came_by = "" if page.via is None else page.via.link.url
        return cls(page.url, page.title, page.similarity, page.is_target, came_by, links, odds, None, ended)

    def save(self) -> list[Any]:
        """Return the observation as JSON values."""
        links = [(link.url, link.anchor) for link in self.links]
        queued = self.queued or {}
        scores = [queued.get(link.url) for link in self.links]
        return [*self[:5], links, self.odds, scores, self.ended]

    @classmethod
    def load(cls, kept: Sequence[Any]) -> PageObservation:
        """Restore what `save` returned. Raises ValueError or TypeError for damaged values."""
        url, title, similarity, is_target, came_by, links, odds, scores, ended = kept
        if not len(links) == len(odds) == len(scores):
            raise ValueError(f"{len(links)} links, {len(odds)} odds and {len(scores)} scores")
        seen = [Link(url, host_of(url), anchor) for url, anchor in links]
        queued = {
            link.url: float(score) for link, score in zip(seen, scores, strict=True) if score is not None
        }
        return cls(
            url, title, similarity, is_target, came_by, seen, odds, queued, [str(url) for url in ended]
        )


class Regression:
    """The weights of a logistic regression and the sums of squared gradients that scale its learning rate (AdaGrad)."""

    def __init__(self, weights: Iterable[float], rate: float) -> None:
        self.weights = np.array(list(weights))
        self.squares = np.ones(len(self.weights))
        self.rate = rate

    def scores(self, features: Floats) -> Floats:
        """Return the log-odds of each row of a (rows, features) array."""
        scores: Floats = features @ self.weights
        return scores

    def learn(self, features: Floats, outcome: float) -> None:
        """Update the weights by one example: its features and its outcome (0..1)."""
        gradient = (probability(features @ self.weights) - outcome) * features
        self.squares += gradient * gradient
        self.weights -= self.rate * gradient / np.sqrt(self.squares)

    def save(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {"weights": self.weights.tolist(), "squares": self.squares.tolist()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned. Raises ValueError for weights of another number of features."""
        weights, squares = np.array(state["weights"], float), np.array(state["squares"], float)
        if not weights.shape == squares.shape == self.weights.shape:
            raise ValueError(f"weights of {weights.size} features, not of {self.weights.size}")
        self.weights, self.squares = weights, squares


SEED_SCORE = 20.0
WEIGHED_AT_ONCE = 2_000  # best rows of a refresh, besides those whose groups have changed; at times all
HEAD = 300  # rows that may be fetched soon: only their scores are written to the queue
LEAST_CHANGE = 0.05
FADE = 0.999  # decay of the overall rate with each page
ODDS_SCALE = 10.0  # naive Bayes is overconfident: log-odds of 10 and of 40 mean nearly the same
ODDS_LIMIT = 30.0
WORDS_SCALE = 3.0
UNPRODUCTIVE_SCALE = 10.0  # pages
NEARBY = 0.3  # outcome of a page that is not relevant, but as similar to the topic as relevant pages are
IN_ANCHOR, IN_PATH = 1.0, 0.5  # feature "named": a topic name in the anchor, or only in the path
LISTING = 0.7  # largest outcome of a page that only links to pages with a topic name in their anchors
NEARBY_WORDS = 0.3  # factor on the similarity label that a page's words get when the topic has names
ROOM = 0.02  # added to relevances before a logarithm


@dataclass
class Adaptive(Strategy):
    """Fetch the link first that all features together, with weights learned in this crawl, hold most likely.

    Idea: every fetched page labels the link that led to it. An online logistic regression learns from these
        labels how much to trust link text, linking pages, and the success rates of sites and linking hosts.
    Formula: score = w . x; w is learned from the outcome of each page: 1 if relevant; else NEARBY if as similar
        as a relevant page, or 0; with names (words that name the topic, topics.meaning) at least
        LISTING (1 - 2^-k), k = new URLs on the page with a name in the anchor; x (log-odds scale) of a URL:
        link text    2 tanh(mean over its links of the classifier's log-odds / 10)
        page         ln((similarity + .02) / (threshold + .02)), clipped to -2 .. 1.5, of the best linking page
        grandparent  as page, one step back
        site         logit of the smoothed relevant share of pages fetched from its site, minus that of all pages;
                     with names: + 20 for the URLs chosen for a look at their site (link_features.SiteLooks)
        site text    mean of 2 tanh(log-odds / 10) over the URLs of its site, by the first link to each, and two 0
        source host  as site, for pages fetched through links of the host of the best linking page
        words        2 tanh(sum over its anchor's words of their log-odds here / 3) (strategies.numbering)
        unproductive -ln(1 + n/10), n = pages of its site since one with an outcome > 0 (with names: > NEARBY)
        named        with names: 1 with a name in an anchor, else .5 with a name in the path of the URL
        titled       with names, of a URL that is not named: its longest anchor as a share of a title's length
        listing      with names: 1 for a URL or an anchor of a form that lists of pages have
    Parameters: rate 0.3; smoothing 0.5 (pages that the prior share of all pages counts as); keep 0.9 (decay of a
        group's earlier pages with each further one); memory_urls 30 000; without "" (features left out).
    Reads: relevance of linking pages, text of links (once for each anchor and URL), URLs, outcomes so far.
    Cost: one batch call to the classifier a page; a refresh scores some thousand rows (benchmarks/graph.py).
    But: outcomes come from the page classifier, so its errors are learned too.
    Reference: ours (docs/lab.md).
    """

    name: ClassVar[str] = "adaptive"
    changeable = frozenset({"smoothing"})
    needs_link_scorer: ClassVar[bool] = True
    prunes: ClassVar[bool] = True
    reads_terms: ClassVar[bool] = False
    refresh_every: ClassVar[int] = 10
    offered_links: ClassVar[OfferedLinks] = "new"
    rate: float = 0.3
    smoothing: float = 0.5
    keep: float = 0.9
    memory_urls: int = MEMORY_URLS
    without: str = ""  # features left out, separated by commas (for ablations)
    share_names: ClassVar[tuple[str, ...]] = tuple(FEATURES)
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)
    _threshold: float = field(default=0.5, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "rate", self.rate, 0.0, 1e6)
        check_range(self.name, "smoothing", self.smoothing, 0.0, 1e6)
        check_range(self.name, "keep", self.keep, 0.0, 1.0)
        check_range(self.name, "memory_urls", self.memory_urls, 1)
        self._mask = mask_of(self.without)
        self._regression = Regression(FEATURES.values(), self.rate)
        self._fetched, self._relevant = 1.0, 0.1  # decaying counts, for the overall rate
        self._names: re.Pattern[str] | None = None  # the words that name the topic
        self._looks = SiteLooks()
        self._refreshes = 0
        self._pending: deque[Score] = deque()  # scores that a refresh computed and has not yielded yet
        self._urls = UrlFeatures(self.keep, self.memory_urls)
        self._observation: PageObservation | None = None  # of the page visited last
        self._ended: list[str] = []  # URLs that left the queue without a page since then

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)
        self._threshold = knowledge.similarity_threshold
        self._urls = UrlFeatures(self.keep, self.memory_urls, knowledge.segmenter)
        topic = knowledge.topic
        self._names = None if topic is None else written([*naming_words(topic), *naming_terms(topic)])
        if topic is not None and topic.narrow:
            self._regression.weights[TITLED] = NARROW_TITLED

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if page.url == ROOT_URL:
            self._observation = None
            return [Score(link.url, SEED_SCORE) for link in links]
        odds = self._scorer.log_odds(links) if self._scorer and links else []
        seen = PageObservation.of(page, links, odds, self._ended)
        self._ended = []
        scores = self._scored(seen)
        self._observation = seen._replace(queued={score.url: score.value for score in scores})
        return scores

    def ended(self, url: str) -> None:
        row = self._urls.rows.get(url)
        if row is not None and self._urls.waiting[row]:
            self._ended.append(url)  # part of the next observation, so other processes learn it too

    def observation(self) -> list[Any] | None:
        return None if self._observation is None else self._observation.save()

    def observe(self, observation: Any) -> None:
        self._scored(PageObservation.load(observation))

    def _scored(self, seen: PageObservation) -> Sequence[Score]:
        """Learn from a page and score its links to waiting URLs. Links of another process's page are in the queue already."""
        urls = self._urls
        self._end(seen.ended)
        anchors = [link.anchor for link in seen.links]
        paths = [unquote(link.url.split("/", 3)[-1]) for link in seen.links]
        texts = folded([*anchors, *paths]) if self._names is not None else []
        title, *words = urls.segmenter.words_of([seen.title, *anchors])
        named = self._named(texts) if texts else [0.0] * len(anchors)
        self._learn(seen, title, named)
        if not seen.links:
            return ()
        rows = self._meet(seen, words, named)
        values, parts = self._weighed(rows)
        urls.columns["score"][rows] = values
        queued = urls.columns["queued"]
        scores = self._as_scores(rows, values, parts)
        offered = values
        if seen.queued is not None:
            offered = np.array([seen.queued.get(score.url, -np.inf) for score in scores])
        queued[rows] = np.maximum(queued[rows], offered)  # as in the queue; only a refresh may lower a score
        return scores

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        """Score the rows of the strategy's own columns instead of `queued`: reading the queue would cost more than scoring."""
        if not self._pending:
            self._weigh()
        while self._pending:
            yield self._pending.popleft()

    def _weigh(self) -> None:
        """Rescore the rows that may be fetched soon and put changed scores into `_pending`.

        Rescoring all rows is cheap compared with writing every small change to a queue on disk. So only rows that are, or
        were, among the first HEAD are written, and only changes of at least LEAST_CHANGE.
        """
        urls, estimates = self._urls, self._urls.columns["score"]
        self._refreshes += 1
        waiting, touched = urls.waiting_rows(), urls.touched_rows()
        if self._names is not None:
            self._looks.choose(urls, waiting)
        rows = waiting
        if self._refreshes % (1 + len(waiting) // WEIGHED_AT_ONCE):
            best = waiting[np.argpartition(-estimates[waiting], WEIGHED_AT_ONCE - 1)[:WEIGHED_AT_ONCE]]
            rows = np.union1d(best, touched)
        estimates[rows], parts = self._weighed(rows)
        queued = urls.columns["queued"]
        head = np.partition(estimates[rows], -HEAD)[-HEAD] if len(rows) > HEAD else -math.inf
        matters = np.maximum(estimates[rows], queued[rows]) >= head
        changed = matters & (np.abs(estimates[rows] - queued[rows]) >= LEAST_CHANGE)
        rows = rows[changed]
        queued[rows] = estimates[rows]
        self._pending.extend(self._as_scores(rows, queued[rows], parts[changed]))

    def _weighed(self, rows: Numbers) -> tuple[Floats, Floats]:
        """Return the score of each row and the share of each feature in it."""
        features, looked_at = self._features(rows), self._looks.added(self._urls, rows)
        parts = features * self._regression.weights
        parts[:, SITE] += looked_at
        return self._regression.scores(features) + looked_at, parts

    def worth(self, value: float) -> float:
        return float(probability(value))

    def current(self, link: Link) -> Score | None:
        row = self._urls.rows.get(link.url)
        if row is None or not self._urls.waiting[row]:
            return None
        rows = np.array([row])
        return self._as_scores(rows, *self._weighed(rows))[0]

    def _as_scores(self, rows: Numbers, values: Floats, parts: Floats) -> list[Score]:
        urls = map(self._urls.rows.names.__getitem__, rows.tolist())
        raw, width = parts[:, :-1].astype("<f4").tobytes(), 4 * (len(FEATURES) - 1)
        # as strategies.base.packed
        shares = [raw[start : start + width] for start in range(0, len(raw), width)]
        return list(map(Score, urls, values.tolist(), repeat(0.0), shares))

    def save(self) -> Mapping[str, Any]:
        return {
            "features": [*FEATURES],
            **self._regression.save(),
            "fetched": self._fetched,
            "relevant": self._relevant,
            "refreshes": self._refreshes,
            "looks": self._looks.save(),
            "ended": self._ended,
            "pending": [(score.url, score.value, score.shares.hex()) for score in self._pending],
            "known": self._urls.save(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        if (features := state["features"]) != [*FEATURES]:
            raise ValueError(f"weights of {', '.join(map(str, features))}")
        self._regression.load(state)
        self._fetched, self._relevant = float(state["fetched"]), float(state["relevant"])
        self._refreshes = int(state["refreshes"])
        self._looks = SiteLooks()
        self._looks.load(state["looks"])
        self._ended = [str(url) for url in state["ended"]]
        self._pending = deque(
            Score(str(url), float(value), 0.0, bytes.fromhex(shares))
            for url, value, shares in state["pending"]
        )
        self._urls = UrlFeatures.load(state["known"], self.keep, self.memory_urls, self._urls.segmenter)

    def _learn(self, page: PageObservation, title: Sequence[str], named: Sequence[float]) -> None:
        """Learn from a page: its outcome labels the link that led to it. `title`: words of the title; `named`: result of `_named`."""
        outcome = self._outcome(page, named)
        urls = self._urls
        row = urls.rows.get(page.came_by)
        if row is not None and urls.waiting[row]:
            self._regression.learn(self._features(np.array([row]))[0], outcome)
            least = NEARBY if self._names is not None else 0.0
            for name, group_rates in urls.group_rates.items():
                group_rates.add(int(urls.groups[name][row]), outcome, least)
            urls.waiting[row] = False
            self._looks.read(urls, row)
        texts = [urls.words_in([title])]
        if row is not None:
            texts.append(urls.words[row])
        label = label_of(page.similarity, self._threshold)
        if self._names is not None:
            label = max(outcome, NEARBY_WORDS * label)
        urls.vocabulary.learn(texts, label)
        self._looks.count(is_target=page.is_target)
        self._fetched = FADE * (self._fetched + 1.0)
        self._relevant = FADE * (self._relevant + outcome)

    def _end(self, ended: Sequence[str]) -> None:
        """Mark URLs that have left the queue without a page."""
        if not ended:
            return
        urls = self._urls
        rows = [row for url in ended if (row := urls.rows.get(url)) is not None]
        urls.waiting[rows] = False
        self._looks.ended(urls, rows)

    def _outcome(self, page: PageObservation, named: Sequence[float]) -> float:
        """Return the outcome of fetching a page, 0..1, as in the class's formula."""
        if page.is_target:
            return 1.0
        nearby = NEARBY * (page.similarity >= self._threshold)
        if self._names is None:
            return nearby
        rows, pairs = self._urls.rows, zip(page.links, named, strict=True)
        new = {link.url: value for link, value in pairs if link.anchor and link.url not in rows}
        count = sum(value == IN_ANCHOR for value in new.values())
        return max(nearby, LISTING * (1.0 - 0.5**count))

    def _named(self, texts: Sequence[str]) -> list[float]:
        """Return for each link of a page IN_ANCHOR if its anchor names the topic, IN_PATH if only its path does, else 0.

        `texts`: the folded anchors of all links, then their folded paths.
        """
        found = [self._names is not None and self._names.search(text) is not None for text in texts]
        pairs = zip(found, found[len(found) // 2 :], strict=False)
        return [IN_ANCHOR if anchor else IN_PATH * path for anchor, path in pairs]

    def _meet(self, page: PageObservation, words: Sequence[Sequence[str]], named: Sequence[float]) -> Numbers:
        """Add a page's links to the columns; return the rows of their waiting URLs. `words`: the words of each anchor."""
        urls = self._urls
        came = urls.rows.get(page.came_by)
        grandparent = float(urls.columns["best_relevance"][came]) if came is not None else 0.0
        rows = urls.rows_of([link.url for link in page.links])
        waits = urls.waiting[rows]
        if not waits.any():
            return rows[waits]
        links, rows = list(compress(page.links, waits)), rows[waits]
        odds = np.clip(np.array(page.odds)[waits], -ODDS_LIMIT, ODDS_LIMIT)
        here = self._promise(page.similarity)
        if self._names is not None:
            np.maximum.at(urls.columns["named"], rows, np.array(named)[waits])
            np.maximum.at(urls.columns["titled"], rows, [titled(link.anchor) for link in links])
            np.maximum.at(urls.columns["listing"], rows, list(map(is_listing, links)))
        return urls.meet(
            page.url,
            links,
            rows,
            anchors=list(compress(words, waits)),
            odds=odds,
            texts=bounded(odds / ODDS_SCALE),
            standings=odds / ODDS_SCALE + here,
            relevance=here,
            grandparent=grandparent,
        )

    def _promise(self, relevance: float) -> float:
        """Convert a page's similarity to the log-odds scale: 0 at the threshold, clipped to -2 .. 1.5."""
        return min(max(math.log((relevance + ROOM) / (self._threshold + ROOM)), -2.0), 1.5)

    def _features(self, rows: Numbers) -> Floats:
        """Return a (rows, features) array, its columns in the order of `share_names`."""
        urls, columns = self._urls, self._urls.columns
        overall = self._relevant / self._fetched
        usual = logit(overall)
        site, source_host = (
            logit(urls.group_rates[name].rate(urls.groups[name][rows], overall, self.smoothing)) - usual
            for name in GROUPS
        )
        met = np.maximum(columns["links"][rows], 1.0)
        kinds: tuple[Floats | float, ...] = (
            1.0,
            bounded(columns["sum_odds"][rows] / met / ODDS_SCALE),
            columns["best_relevance"][rows],
            columns["best_grandparent"][rows],
            site,
            urls.group_rates["site"].text(urls.groups["site"][rows]),
            source_host,
            bounded(urls.vocabulary.log_odds(urls.words[rows]).sum(axis=1) / WORDS_SCALE),
            -np.log1p(urls.group_rates["site"].unproductive[urls.groups["site"][rows]] / UNPRODUCTIVE_SCALE),
            columns["named"][rows],
            columns["titled"][rows] * (columns["named"][rows] == 0.0),
            columns["listing"][rows],
        )
        features: Floats = np.empty((len(rows), len(kinds)))
        for place, values in enumerate(kinds):
            features[:, place] = values
        return features * self._mask
