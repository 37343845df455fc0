"""Learns to score links during a crawl: every fetched page labels the link that led to it.

`LinkLearner` is a layer of counts over a link model, which itself does not change. So what it learns takes effect at once, decays as the
crawl moves on, stays small, and survives a restart.

Idea: words of links whose pages were relevant count for a link, words of other links against it; the title of a page is
    counted as an anchor of a link to it. The link's site and its page determine a prior.
Formula: x = b * tanh(base(link) / b) + c * (a * tanh(e(link) / 3) + prior(link))
    base    -> the base scorer (the link model), log-odds; b -> bound, its largest value. Default 10 (ours)
    prior   -> by the link's site and host, and by the page with the link, see `LinkPrior`
    a       -> the largest value of learned words. Default 0.5 (ours)
    c       -> 5: log-odds of 5 from the base scorer equal 1 here, since words are not independent (ours)
    e(link) = sum over fields f of t_f * sum over words w of field f of e(f, w), which WordStatistics learns (strategies.numbering)
    t_f     -> trust in a field: anchor 1, context 0.4, url 0.5 (ours)
    label of a page: strategies.numbering.label_of
Parameters: half_life_pages 500, bound 10, smoothing 2 (at even classes the paper's Laplace count of 1 in each class),
    least share 0.2, most_words 50 000 a field (ours; docs/lab/learning.md).
Reads: anchor, context and URL words of links; title and relevance of the pages they led to.
Cost: 0.1 ms a page learned from; 20 ms for 1 000 links, 2 of them for the prior. Memory: at most `most_words` words a field, and
    the counts of LinkPrior.
But: counts are smoothed towards the share p instead of even odds: a word seen once on an irrelevant page says little where
    most pages are irrelevant. p is at least a fifth; otherwise a crawl without relevant pages would follow the least irrelevant
    site to its end. Labels are shares, not 0 or 1: near its threshold the page classifier is wrong about half of the pages. All
    words of a URL count, since they are used on the sites where they were learned. The text score is bounded, the site's is not: ten
    keywords must not hide that a site's pages are irrelevant. Nothing is learned from a failed fetch. A seed has no text, so
    only its title and its site are learned from.
Reference: Han et al. 2010, eq. 1-2 for the counts; decay and smoothing are ours.

`LinkPrior` is the prior of a link, before its words: from the success rate of its site and host, and from the page with the link.

Idea: a page of a site that recently gave relevant pages is likely relevant, whatever the link says. A portal is one site with
    many channels, so its hosts have counts of their own, smoothed towards those of the site. And relevant pages link to relevant
    pages more often than others do; how much more often is learned in the crawl.
Formula: prior(link) = s + g
    s       =  logit q(host) - logit p;  q(host) = (r_h + m * q(site)) / (n_h + m);  q(site) = (r_s + m * p) / (n_s + m)
    g       =  logit (r_c + k * p) / (n_c + k) - logit p, c = the class of the page with the link: relevant or not
    n, r    -> pages read of the host or site, or reached from pages of the class, and how many of them were relevant; these counts
        decay with each further page (sites by KEEP, classes by KEEP_CLASS), so the crawl soon leaves an unproductive site
    p       -> the relevant share of all pages, decayed by FADE, initially .1;  m, k -> SMOOTHING_SITE, SMOOTHING_CLASS
    logit q = ln q / (1 - q), q clipped to .001 .. .999
Reads: URLs of links and of the pages with the links; which pages were relevant.
Cost: some look-ups a link. Memory: at most MOST sites, hosts and relevant pages; the least recently updated are forgotten first.
But: site and page are not independent; adding both in full gave the best crawls (docs/lab/learning.md).
Reference: ours; `adaptive` has the same features in columns (strategies.link_features).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Protocol, runtime_checkable

import numpy as np

from topiccrawler.link_model.classifier import LinkWords, url_words, words_of_links
from topiccrawler.model import Link
from topiccrawler.strategies.numbering import WordStatistics
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.urls.canonical import registered_domain

KEEP = 0.9
KEEP_CLASS = 0.99
FADE = 0.999
SMOOTHING_SITE = 0.5
SMOOTHING_CLASS = 4.0
MOST = 20_000
_LEAST = 1e-3

Share = tuple[float, float]  # number of pages, of relevant pages
_NONE: Share = (0.0, 0.0)


class LinkPrior:
    """The prior log-odds of links, from decayed counts of the pages read. Deterministic."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._all: Share = (1.0, 0.1)
        self._classes: list[Share] = [_NONE, _NONE]  # pages reached from irrelevant and from relevant pages
        # most recently updated last
        self._sites: dict[str, Share] = {}
        self._hosts: dict[str, Share] = {}
        self._relevant: dict[str, None] = {}  # URLs of relevant pages

    def count(self, link: Link, relevant: bool, page_url: str) -> None:
        """Count the page that a link led to; `page_url` is its final URL, after redirects."""
        self._all = _more(self._all, relevant, FADE, own=FADE)
        self._keep(self._sites, registered_domain(link.url), relevant)
        self._keep(self._hosts, link.host, relevant)
        if link.source_url:
            place = self._class(link)
            self._classes[place] = _more(self._classes[place], relevant, KEEP_CLASS)
        if relevant:
            self._relevant.pop(page_url, None)
            self._relevant[page_url] = None
            _bound(self._relevant, self._most)

    def log_odds(self, link: Link) -> float:
        """Return the prior of a link, to be added to its log-odds; 0 as long as nothing is known."""
        return sum(self.parts(link))

    def parts(self, link: Link) -> tuple[float, float]:
        """Return the two terms of the prior: by the link's site and host, and by the page with the link."""
        overall = self._all[1] / self._all[0]
        site = overall
        for counts, name in ((self._sites, registered_domain(link.url)), (self._hosts, link.host)):
            site = _smoothed(counts.get(name, _NONE), site, SMOOTHING_SITE)
        page = overall
        if link.source_url:
            page = _smoothed(self._classes[self._class(link)], overall, SMOOTHING_CLASS)
        return _logit(site) - _logit(overall), _logit(page) - _logit(overall)

    def save(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {
            "all": list(self._all),
            "classes": [list(share) for share in self._classes],
            "sites": {name: list(share) for name, share in self._sites.items()},
            "hosts": {name: list(share) for name, share in self._hosts.items()},
            "relevant": list(self._relevant),
        }

    @classmethod
    def load(cls, state: Mapping[str, Any], most: int = MOST) -> LinkPrior:
        """Restore what `save` returned. Raises ValueError for damaged values."""
        prior = cls(most)
        prior._all = _share(state["all"])
        if not prior._all[0]:
            raise ValueError("a count of pages is 0 where there were some")
        unlike, alike = map(_share, state["classes"])
        prior._classes = [unlike, alike]
        prior._sites, prior._hosts = (
            {str(name): _share(share) for name, share in state[kind].items()} for kind in ("sites", "hosts")
        )
        prior._relevant = dict.fromkeys(map(str, state["relevant"]))
        return prior

    def _class(self, link: Link) -> int:
        return int(link.source_url in self._relevant)

    def _keep(self, counts: dict[str, Share], name: str, relevant: bool) -> None:
        counts[name] = _more(counts.pop(name, _NONE), relevant, KEEP)
        _bound(counts, self._most)


def _more(share: Share, relevant: bool, keep: float, *, own: float = 1.0) -> Share:
    """Add a page with the weight `own` to a count, after multiplying the count by `keep`."""
    return keep * share[0] + own, keep * share[1] + own * relevant


def _smoothed(share: Share, prior: float, strength: float) -> float:
    return (share[1] + strength * prior) / (share[0] + strength)


def _bound(names: dict[str, Any], most: int) -> None:
    if len(names) > most:
        del names[next(iter(names))]


def _share(pair: Any) -> Share:
    pages, relevant = (float(number) for number in pair)
    if not (0 <= pages < math.inf and 0 <= relevant <= pages * (1 + 1e-9)):
        raise ValueError("a count of pages is no number, or smaller than that of its relevant ones")
    return pages, relevant


def _logit(probability: float) -> float:
    kept = min(max(probability, _LEAST), 1.0 - _LEAST)
    return math.log(kept / (1.0 - kept))


HALF_LIFE_PAGES = 500.0
BOUND = 10.0  # log-odds
WORDS_MOST, WORDS_SCALE = 0.5, 3.0  # log-odds of learned words
WORTH = 5.0  # factor on learned log-odds: the base scorer overestimates its own, as words are not independent
RELEVANT = 0.5  # label of a page at the threshold
SMOOTHING = 2.0
LEAST_SHARE = 0.2  # of relevant pages; else a crawl without relevant pages follows the least irrelevant ones
MOST_WORDS = 50_000  # a field
KEPT_SHARE = 0.8  # share of most_words that is left when words are forgotten
WORDS_OF_A_TEXT = 64
VERSION = 3
TRUST: Mapping[str, float] = {"anchor": 1.0, "context": 0.4, "url": 0.5}


class Scorer(Protocol):
    """The base scorer of a LinkLearner."""

    def log_odds(self, links: Sequence[Link]) -> list[float]: ...


@runtime_checkable
class WordScorer(Protocol):
    """A base scorer that accepts the words of links, so that their texts are segmented only once."""

    def log_odds_of_words(self, links: Sequence[LinkWords]) -> list[float]: ...


@runtime_checkable
class Explainer(Protocol):
    """A scorer that can explain its scores."""

    def explain(self, link: Link) -> list[tuple[str, float]]: ...


class LinkLearner:
    """Scores links by a base scorer plus what the crawl has learned. Deterministic."""

    def __init__(
        self,
        base: Scorer,
        *,
        segmenter: Segmenter = PLAIN,
        half_life_pages: float = HALF_LIFE_PAGES,
        bound: float = BOUND,
        smoothing: float = SMOOTHING,
        most_words: int = MOST_WORDS,
    ) -> None:
        self.base, self._segmenter = base, segmenter
        self.pages = 0  # number of pages learned from
        self._bound, self._most_words = bound, most_words
        self._words = {
            name: WordStatistics(half_life_pages, smoothing, LEAST_SHARE, most_words) for name in TRUST
        }
        self._prior = LinkPrior()

    def learn(self, link: Link, label: float, title: str = "", page_url: str = "") -> None:
        """Learn from the page that a link led to. `label`: its relevance, 0..1; `title`: the page's title; `page_url`: its final URL after
        redirects (default: the URL of the link).
        """
        named, came_by = self._words_of([Link("", "", title), link])
        self.pages += 1
        self._prior.count(link, label >= RELEVANT, page_url or link.url)
        for name, words in self._words.items():
            if len(words) + 2 * WORDS_OF_A_TEXT > self._most_words:
                words.keep_most_counted(int(KEPT_SHARE * self._most_words))
            texts = [getattr(came_by, name)] if link.source_url else []
            if name == "anchor":
                texts.append(named.anchor)
            words.learn(words.of(texts, WORDS_OF_A_TEXT), label)

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """Return ln P(+|link) - ln P(-|link) for all links of a page."""
        words = words_of_links(links, self._segmenter)
        if isinstance(self.base, WordScorer):
            base = self.base.log_odds_of_words(words)
        else:
            base = self.base.log_odds(links)
        learned = self._learned(
            [_whole_address(link, found) for link, found in zip(links, words, strict=True)]
        )
        return [
            self._bounded(score) + WORTH * (of_words + self._prior.log_odds(link))
            for link, score, of_words in zip(links, base, learned, strict=True)
        ]

    def explain(self, link: Link) -> list[tuple[str, float]]:
        """Return the shares of the base scorer, of each learned word ("learned anchor:基金"), of site and page; they add up to the score."""
        score = self.base.log_odds([link])[0]
        if isinstance(self.base, Explainer) and score:
            scale = self.bounded_share(score)
            shares = [(name, share * scale) for name, share in self.base.explain(link)]
        else:
            shares = [("model", self._bounded(score))]
        found = list(self._shares(self._words_of([link])[0]))
        total = sum(share for _, _, share in found)
        scale = WORTH * WORDS_MOST * math.tanh(total / WORDS_SCALE) / total if total else 0.0
        shares += [(f"learned {field}:{word}", share * scale) for field, word, share in found if share]
        named = (f"learned site:{registered_domain(link.url)}", "learned source page")
        of_prior = self._prior.parts(link)
        shares += [(name, WORTH * share) for name, share in zip(named, of_prior, strict=True) if share]
        return sorted(shares, key=lambda share: (-abs(share[1]), share[0]))

    def bounded_share(self, base: float) -> float:
        """Return the share of the base scorer's log-odds that remains after bounding, 0..1."""
        return self._bounded(base) / base if base else 1.0

    def save(self) -> dict[str, Any]:
        """Return what was learned as JSON values."""
        return {
            "version": VERSION,
            "pages": self.pages,
            "prior": self._prior.save(),
            "words": {name: words.save() for name, words in self._words.items()},
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Restore what `save` returned. Raises ValueError for another version or damaged values."""
        if state["version"] != VERSION:
            raise ValueError(f"learned counts of version {state['version']}, not {VERSION}")
        kept, prior = state["words"], LinkPrior.load(state["prior"])
        for name, words in self._words.items():
            words.load(kept[name])
        self._prior, self.pages = prior, int(state["pages"])

    def _words_of(self, links: Sequence[Link]) -> list[LinkWords]:
        words = words_of_links(links, self._segmenter)
        return [_whole_address(link, found) for link, found in zip(links, words, strict=True)]

    def _bounded(self, score: float) -> float:
        return self._bound * math.tanh(score / self._bound)

    def _learned(self, links: Sequence[LinkWords]) -> list[float]:
        """Return the bounded log-odds of the learned words of each link, before multiplication by WORTH."""
        sums = np.zeros(len(links))
        for name, words in self._words.items():
            numbers = words.of([getattr(link, name) for link in links], WORDS_OF_A_TEXT, add=False)
            sums += TRUST[name] * words.log_odds(numbers).sum(axis=1)
        learned: list[float] = (WORDS_MOST * np.tanh(sums / WORDS_SCALE)).tolist()
        return learned

    def _shares(self, link: LinkWords) -> Iterator[tuple[str, str, float]]:
        """Yield field, word, and learned log-odds times the trust in the field, for each word of a link."""
        for name, words in self._words.items():
            found = list(dict.fromkeys(getattr(link, name)))
            odds = TRUST[name] * words.log_odds(words.of([[word] for word in found], 1, add=False))
            yield from zip(repeat(name), found, odds.ravel().tolist())


def _whole_address(link: Link, words: LinkWords) -> LinkWords:
    return words._replace(url=[*url_words(link.url), *words.url])
