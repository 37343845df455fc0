"""Implements the strategy `naive_bayes`, which scores a link by its own words, independent of its page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.errors import StrategyError
from topiccrawler.link_model.classifier import LinkClassifier
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import (
    Explainer,
    Knowledge,
    LinkScorer,
    OfferedLinks,
    Shares,
    Strategy,
    link_scorer_of,
)
from topiccrawler.text.weights import logistic

_EXACT = 1e-6
ANOTHER_MODEL = "a link model of another time"


OVERCONFIDENCE = 4.0  # words are not independent: with log-odds of -15, a URL with -3 is worth waiting for


@dataclass
class NaiveBayes(Strategy):
    """Fetch the links first that a trained classifier holds most likely to lead to the topic.

    Idea: anchor text and the text around it announce the target; a classifier trained on labelled links
        evaluates them.
    Formula: score = ln P(+|F) - ln P(-|F) = prior + sum over features f of ln P(f|+)/P(f|-); F are the words
        of anchor and context (topiccrawler.link_model.classifier).
    Parameters: every_link false; true: each link to a waiting URL is scored, as in algorithm 1; probability
        false; true: the score is P(+|F), as algorithm 1 prints it, first in, first out where it is 1. All else
        belongs to the model (`scrapy train`): TOPIC_LINK_MODELS=paper is the published one, none the keywords'.
    Reads: anchor, context and title of the link; not its page.
    Cost: one batch call to the classifier a page.
    But: the paper queues the probability; the log-odds give the same order and do not tie at 1.0. A link found
        again keeps the larger score, as in algorithm 1; without `every_link` a URL is scored once for each
        different anchor, so that a single context among a hundred copies of a menu does not decide
        (docs/lab.md).
    Reference: Han et al., "Naive Bayes classifier guided focused crawling", 2010 (algorithm 1, eq. 1-2).
    """

    name: ClassVar[str] = "naive_bayes"
    share_names: ClassVar[tuple[str, ...]] = ("prior", "anchor", "context", "url")
    needs_link_scorer: ClassVar[bool] = True
    prunes: ClassVar[bool] = True
    reads_terms: ClassVar[bool] = False
    every_link: bool = False
    probability: bool = False
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)

    @property
    def offered_links(self) -> OfferedLinks:
        return "waiting" if self.every_link else "new"

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return self._scores(links)

    def shares(self, link: Link, score: float, kept: bytes) -> Shares:
        """Return the model's shares by field. What is left of the score is that of a model that has changed since."""
        of_fields = dict.fromkeys(self.share_names, 0.0)
        for name, share in _explained(self._scorer, link):
            of_fields[name.partition(":")[0]] += share
        left = 0.0 if self.probability else score - sum(of_fields.values())
        return [*of_fields.items(), *([] if abs(left) < _EXACT else [(ANOTHER_MODEL, left)])]

    def worth(self, value: float) -> float:
        return value if self.probability else logistic(value / OVERCONFIDENCE)

    def _scores(self, links: Sequence[Link]) -> list[Score]:
        if self._scorer is None:
            remedy = "call prepare(Knowledge(...)) first"
            raise StrategyError("strategy 'naive_bayes'", "was not prepared", remedy)
        odds = self._scorer.log_odds(links)
        values = map(logistic, odds) if self.probability else odds
        return [Score(link.url, value) for link, value in zip(links, values, strict=True)]


def _explained(model: object, link: Link) -> Shares:
    """Return the shares of a link's score by field, else by word; empty if the model cannot explain its scores."""
    if isinstance(model, LinkClassifier):
        return model.by_field(link)
    return model.explain(link) if isinstance(model, Explainer) else []
