"""The naive Bayes link classifier: is this link likely to lead to the topic?

The conflict: the score decides what is fetched next, so it must be right on sites never seen, cost microseconds, and
be explained to a person word by word. A sum over dictionary entries is all three.

Idea: anchor and context of a link announce its target; words are taken as independent given the class.
Formula: x = ln(p / (1 - p)) + sum over fields f of t_f * sum over words w of field f of ln P(w|+)/P(w|-)
    p    -> prior, share of relevant links taken for granted. Default 0.5 (ours): x = 0 means even odds.
    t_f  -> trust, a number for each field. Defaults (ours, chosen on links of other sites): anchor 1, context 0.5,
            url 1; the paper's own model is anchor 1, context 1, url 0.
    P(w|C) -> counts (links.counts)
    P(+|link) = 1 / (1 + e^-x); x is what queues compare, because P ties at 1.0.
Reads: anchor, title, before, after, url of the link; not its page.
Cost: one tokenizer call a page; then 3 to 4 µs a link, flags included (benchmarks/scoring.py).
But: the paper takes the prior from the training set, an accident of the crawl that collected it; and weighs context as
    the anchor, although context mostly belongs to the neighbours.
    An anchor's compound that training has not met says what its known parts say (links.evidence).
    Shares are rounded to multiples of 2^-24: such sums are exact in any order, so words may be taken as a set.
Reference: Han et al., "Naive Bayes classifier guided focused crawling", 2010, eq. 1-2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from topiccrawler.links.counts import Counts, Event
from topiccrawler.links.evidence import Evidence
from topiccrawler.links.features import FIELDS, GROUP_2, LEXICON, Lexicon, LinkWords, words_of_links
from topiccrawler.model import Link

TRUST: Mapping[str, float] = {"anchor": 1.0, "context": 0.5, "url": 1.0}
_GRAINS = 2.0**24
PAPER_TRUST: Mapping[str, float] = {"anchor": 1.0, "context": 1.0, "url": 0.0}


@dataclass
class LinkClassifier:
    """Scores links. Made by `links.training`, loaded by `links.modelfile`."""

    topic: str
    counts: Counts
    context: str = "window"  # the context maker it was trained with
    event: Event = "bernoulli"
    prior: float = 0.5
    trust: Mapping[str, float] = field(default_factory=lambda: dict(TRUST))
    threshold: float = 0.0  # log-odds from which a link counts as relevant
    lexicon: Lexicon = field(default_factory=lambda: Lexicon(()))
    training: Mapping[str, object] = field(default_factory=dict)  # what it was trained from
    scores: Mapping[str, object] = field(default_factory=dict)  # what it reached on held-out links

    def __post_init__(self) -> None:
        self._bias = _exact(math.log(self.prior) - math.log(1.0 - self.prior))
        self._tables = [self._table(name) for name in FIELDS]
        self._flags = [
            table.get(LEXICON, 0.0) if name in GROUP_2 and self.lexicon else 0.0
            for name, table in zip(FIELDS, self._tables, strict=True)
        ]

    def _table(self, name: str) -> Evidence:
        trust = self.trust.get(name, 0.0)
        odds = self.counts.evidence(name, self.event) if trust else {}
        shares = {word: _exact(trust * share) for word, share in odds.items()}
        return Evidence(shares, compounds=name == "anchor")

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        """ln P(+|link) - ln P(-|link), for the links of a page at once."""
        return self.log_odds_of_words(words_of_links(links))

    def log_odds_of_words(self, links: Sequence[LinkWords]) -> list[float]:
        """The same, the words given."""
        anchor, context, url = (table.__getitem__ for table in self._tables)
        bias = self._bias
        scores = [
            sum(
                map(anchor, set(on_it)),
                sum(map(context, set(beside)), sum(map(url, set(address)), bias)),
            )
            for on_it, beside, address in links
        ]
        in_lexicon = self.lexicon.in_words
        for place, flag in enumerate(self._flags):
            if flag:
                holding = (in_lexicon(link[place]) for link in links)
                scores = [
                    score + flag if holds else score for score, holds in zip(scores, holding, strict=True)
                ]
        return scores

    def probability(self, log_odds: float) -> float:
        """P = 1 / (1 + e^-x), without overflow."""
        if log_odds >= 0:
            return 1.0 / (1.0 + math.exp(-log_odds))
        return math.exp(log_odds) / (1.0 + math.exp(log_odds))

    def explain(self, link: Link) -> list[tuple[str, float]]:
        """The share of the prior and of each word ("anchor:基金"), largest first; they add up to the score."""
        found = words_of_links([link])[0]
        shares = [("prior", self._bias)]
        for name, table, flag, words in zip(FIELDS, self._tables, self._flags, found, strict=True):
            shares += [(f"{name}:{word}", table[word]) for word in set(words) if table[word]]
            if flag and self.lexicon.in_words(words):
                shares.append((f"{name}:{LEXICON}", flag))
        return sorted(shares, key=lambda share: (-abs(share[1]), share[0]))


def _exact(share: float) -> float:
    return round(share * _GRAINS) / _GRAINS
