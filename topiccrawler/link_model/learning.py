"""Learning while crawling: every page that was fetched labels the link it came by.

What a crawl learns counts at once, is forgotten when the crawl moves on, stays small, and survives a restart: a layer of
counts over the model, which itself does not change.

Idea: words of links whose pages were relevant count for a link, words of the others against it; the title of a page is
    counted as an anchor of a link to it. Its site, and the page it stands on, give a link a prior.
Formula: x = b * tanh(base(link) / b) + c * (a * tanh(e(link) / 3) + prior(link))
    base    -> the scorer below, log-odds; b -> bound, its largest value. Default 10 (ours)
    prior   -> of its site and host, and of the page it stands on: link_model.prior
    a       -> the largest value of learned words. Default 0.5 (ours)
    c       -> 5: odds of 5 from the scorer below equal odds of 1 here, since words are not independent (ours)
    e(link) = sum over fields f of t_f * sum over words w of field f of e(f, w)
    e(f, w) = ln (n+ + m * p) / (n- + m * (1 - p)) - ln p / (1 - p)
    n+, n-  -> counts of the word in links to relevant and other pages, decayed: a page `half_life_pages` ago counts half
    p       -> share of relevant pages among those counted in the field, decayed as well; a fifth at least
    m       -> smoothing. Default 2: with as many + as - this is the paper's Laplace count of 1 in each class.
    t_f     -> trust in a field: anchor 1, context 0.4, url 0.5 (ours)
    label of a page = r^2 / (1 + r^2), r = relevance / page threshold: half at the threshold
Parameters: half_life_pages 500, bound 10, smoothing 2, least share 0.2, most_words 50 000 (ours; docs/lab/learning.md).
Reads: anchor, context and URL words of links; title and relevance of the pages they led to.
Cost: 0.03 ms a page learned from; 20 ms for 1 000 links, 2 of them for the prior. Memory: at most `most_words` words, 60
    bytes of state each, and the counts of link_model.prior.
But: smoothing goes to the share p instead of to even odds: a word met once on an irrelevant page says little where most
    pages are irrelevant. p is at least a fifth, or a crawl without relevant pages would follow the least irrelevant site
    to its end. Labels are shares, not 0 or 1: near its threshold the page classifier is right about every other page. All
    words of an address count, since they are used where they were learned. Text is bounded, the site is not: ten keywords
    must not hide that a site's pages are irrelevant. A failed fetch teaches nothing; a seed has no text, and teaches by
    its title and site alone.
Reference: Han et al. 2010, eq. 1-2 for the counts; decay and smoothing are ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from topiccrawler.link_model.prior import LinkPrior
from topiccrawler.links.features import FIELDS, LinkWords, url_words, words_of_links
from topiccrawler.model import Link
from topiccrawler.urls.canonical import registered_domain

HALF_LIFE_PAGES = 500.0
BOUND = 10.0  # log-odds
WORDS_MOST, WORDS_SCALE = 0.5, 3.0  # log-odds of learned words
WORTH = 5.0  # of honest odds, in those of the scorer below
RELEVANT = 0.5  # label of a page at the threshold
SMOOTHING = 2.0
LEAST_SHARE = 0.2  # of relevant pages; else a crawl without relevant pages follows the least irrelevant ones
MOST_WORDS = 50_000
KEPT_SHARE = 0.8  # of most_words, when there are too many
_HEAVIEST = 1e9  # weight of a page at which all counts are scaled down
VERSION = 2
TRUST: Mapping[str, float] = {"anchor": 1.0, "context": 0.4, "url": 0.5}
_ANCHOR = FIELDS.index("anchor")


class Scorer(Protocol):
    """The scorer below the learner."""

    def log_odds(self, links: Sequence[Link]) -> list[float]: ...


@runtime_checkable
class WordScorer(Protocol):
    """A scorer that reads the words of links, so that they are segmented once."""

    def log_odds_of_words(self, links: Sequence[LinkWords]) -> list[float]: ...


@runtime_checkable
class Explainer(Protocol):
    """A scorer that can explain its scores."""

    def explain(self, link: Link) -> list[tuple[str, float]]: ...


def label_of(relevance: float, threshold: float) -> float:
    """0..1: how far a page counts as relevant; a half at the threshold."""
    if threshold <= 0:
        return 1.0 if relevance > 0 else 0.0
    ratio = max(0.0, relevance) / threshold
    return ratio * ratio / (1.0 + ratio * ratio)


class LinkLearner:
    """Scores links by another scorer, corrected by what the crawl has learned. Deterministic."""

    def __init__(
        self,
        base: Scorer,
        *,
        half_life_pages: float = HALF_LIFE_PAGES,
        bound: float = BOUND,
        smoothing: float = SMOOTHING,
        most_words: int = MOST_WORDS,
    ) -> None:
        self.base = base
        self.pages = 0  # learned from
        self._growth = 2.0 ** (1.0 / half_life_pages) if half_life_pages > 0 else 1.0
        self._bound, self._smoothing, self._most_words = bound, smoothing, most_words
        self._trust = [TRUST.get(name, 0.0) for name in FIELDS]
        self._weight = 1.0  # of the page learned last; earlier ones count less
        self._totals = [[0.0, 0.0] for _ in FIELDS]  # (-, +)
        self._counts: list[dict[str, list[float]]] = [{} for _ in FIELDS]
        self._odds: list[dict[str, float]] = [{} for _ in FIELDS]  # computed when asked for
        self._prior = LinkPrior()

    def __len__(self) -> int:
        return sum(map(len, self._counts))

    def learn(self, link: Link, label: float, title: str = "", page_url: str = "") -> None:
        """The page behind a link was read; `label` (0..1) says how relevant it was, `title` is the page's own,
        `page_url` its final address (default: where the link pointed).
        """
        named, came_by = _words([Link("", "", title), link])
        self.pages += 1
        self._prior.count(link, label >= RELEVANT, page_url or link.url)
        self._weight *= self._growth
        if named.anchor:
            self._count(_ANCHOR, named.anchor, label)
        if link.source_url:
            for place, words in enumerate(came_by):
                self._count(place, words, label)
        if self._weight > _HEAVIEST:
            self._scale_down()
        if len(self) > self._most_words:
            self._forget()
        self._odds = [{} for _ in FIELDS]

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """ln P(+|link) - ln P(-|link), for the links of a page at once."""
        words = words_of_links(links)
        if isinstance(self.base, WordScorer):
            base = self.base.log_odds_of_words(words)
        else:
            base = self.base.log_odds(links)
        return [
            self._bounded(score) + WORTH * (self._learned_odds(link, found) + self._prior.log_odds(link))
            for link, score, found in zip(links, base, words, strict=True)
        ]

    def explain(self, link: Link) -> list[tuple[str, float]]:
        """The shares of the base, of each learned word ("learned anchor:基金"), of site and page; they add up to the score."""
        score = self.base.log_odds([link])[0]
        if isinstance(self.base, Explainer) and score:
            scale = self.bounded_share(score)
            shares = [(name, share * scale) for name, share in self.base.explain(link)]
        else:
            shares = [("model", self._bounded(score))]
        found = list(self._shares(_words([link])[0]))
        total = sum(share for _, _, share in found)
        scale = WORTH * WORDS_MOST * math.tanh(total / WORDS_SCALE) / total if total else 0.0
        shares += [(f"learned {field}:{word}", share * scale) for field, word, share in found if share]
        named = (f"learned site:{registered_domain(link.url)}", "learned source page")
        of_prior = self._prior.parts(link)
        shares += [(name, WORTH * share) for name, share in zip(named, of_prior, strict=True) if share]
        return sorted(shares, key=lambda share: (-abs(share[1]), share[0]))

    def bounded_share(self, base: float) -> float:
        """How much of the base's log-odds counts, 0..1."""
        return self._bounded(base) / base if base else 1.0

    def save(self) -> dict[str, Any]:
        """What was learned, as JSON values."""
        return {
            "version": VERSION,
            "pages": self.pages,
            "weight": self._weight,
            "prior": self._prior.save(),
            "totals": {name: list(pair) for name, pair in zip(FIELDS, self._totals, strict=True)},
            "counts": {
                name: {word: list(pair) for word, pair in counts.items()}
                for name, counts in zip(FIELDS, self._counts, strict=True)
            },
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on from what `save` returned; ValueError when it is of another version or damaged."""
        if state["version"] != VERSION:
            raise ValueError(f"learned counts of version {state['version']}, not {VERSION}")
        pairs = [_numbers(pair) for pair in state["totals"].values()]
        kept = state["counts"]
        counts = [{str(word): _numbers(pair) for word, pair in kept[name].items()} for name in FIELDS]
        weight, prior = float(state["weight"]), LinkPrior.load(state["prior"])
        if len(pairs) != len(FIELDS) or not 0 < weight < math.inf:
            raise ValueError("learned counts are damaged")
        self._prior = prior
        self.pages, self._weight, self._totals, self._counts = int(state["pages"]), weight, pairs, counts
        self._odds = [{} for _ in FIELDS]

    def _bounded(self, score: float) -> float:
        return self._bound * math.tanh(score / self._bound)

    def _learned_odds(self, link: Link, words: LinkWords) -> float:
        total = sum(share for _, _, share in self._shares(_whole_address(link, words)))
        return WORDS_MOST * math.tanh(total / WORDS_SCALE)

    def _count(self, place: int, words: Sequence[str], label: float) -> None:
        shares = (self._weight * (1.0 - label), self._weight * label)
        counts, totals = self._counts[place], self._totals[place]
        totals[0] += shares[0]
        totals[1] += shares[1]
        for word in dict.fromkeys(words):
            if word.isalpha():
                pair = counts.setdefault(word, [0.0, 0.0])
                pair[0] += shares[0]
                pair[1] += shares[1]

    def _shares(self, words: LinkWords) -> Iterator[tuple[str, str, float]]:
        for place, (name, found) in enumerate(zip(FIELDS, words, strict=True)):
            if not self._trust[place]:
                continue
            odds, counts = self._odds[place], self._counts[place]
            for word in dict.fromkeys(found):
                if word in counts:
                    if word not in odds:
                        odds[word] = self._log_odds_of(place, counts[word])
                    yield name, word, odds[word]

    def _log_odds_of(self, place: int, pair: Sequence[float]) -> float:
        negative, positive = self._totals[place]
        one = self._weight  # a page of today on either side, so that both classes always exist
        share = max(LEAST_SHARE, (positive + one) / (positive + negative + 2 * one))
        smoothing = self._smoothing * self._weight
        odds = (pair[1] + smoothing * share) / (pair[0] + smoothing * (1.0 - share))
        return self._trust[place] * math.log(odds * (1.0 - share) / share)

    def _scale_down(self) -> None:
        for pair in (*self._totals, *(pair for counts in self._counts for pair in counts.values())):
            pair[0] /= self._weight
            pair[1] /= self._weight
        self._weight = 1.0

    def _forget(self) -> None:
        """Drop the words with the smallest decayed counts."""
        ranked = sorted(
            (-sum(pair), place, word)
            for place, counts in enumerate(self._counts)
            for word, pair in counts.items()
        )
        for _, place, word in ranked[int(self._most_words * KEPT_SHARE) :]:
            del self._counts[place][word]


def _words(links: Sequence[Link]) -> list[LinkWords]:
    return [_whole_address(link, found) for link, found in zip(links, words_of_links(links), strict=True)]


def _whole_address(link: Link, words: LinkWords) -> LinkWords:
    return words._replace(url=[*url_words(link.url), *words.url])


def _numbers(pair: Sequence[Any]) -> list[float]:
    negative, positive = (float(number) for number in pair)
    if not (0 <= negative < math.inf and 0 <= positive < math.inf):
        raise ValueError("a learned count is no number from 0 on")
    return [negative, positive]
