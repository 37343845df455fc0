"""Naive Bayes: what a link says of itself decides, whatever page it stands on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.errors import StrategyError
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Knowledge, LinkScorer, Strategy, logistic


@dataclass
class NaiveBayes(Strategy):
    """Fetch the links first that a trained classifier holds most likely to lead to the topic.

    Idea: anchor text and the text around it announce the target; a classifier trained on labelled links reads them.
    Formula: score = ln P(+|F) - ln P(-|F) = prior + sum over features f of ln P(f|+)/P(f|-); F are the words of
        anchor and context (topiccrawler.links.features).
    Parameters: none here; they belong to the model (`scrapy train`).
    Reads: anchor, context and title of the link; not its page.
    Cost: one batch call to the classifier a page, no refresh.
    But: the paper queues the probability; the log-odds order the same and do not tie at 1.0. A link met again keeps
        the larger score, as in the paper's algorithm 1.
    Reference: Han et al., "Naive Bayes classifier guided focused crawling", 2010 (algorithm 1, eq. 1-2).
    """

    name: ClassVar[str] = "naive_bayes"
    needs_link_scorer: ClassVar[bool] = True
    prunes: ClassVar[bool] = True
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def prepare(self, knowledge: Knowledge) -> None:
        if knowledge.link_scorer is None:
            raise StrategyError(
                "strategy 'naive_bayes'", "needs a link model", "train one: scrapy train TOPIC --links FILE"
            )
        self._scorer = knowledge.link_scorer

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if self._scorer is None:
            raise StrategyError(
                "strategy 'naive_bayes'", "was not prepared", "call prepare(Knowledge(...)) first"
            )
        return [
            Score(link.url, value) for link, value in zip(links, self._scorer.log_odds(links), strict=True)
        ]

    def worth(self, value: float) -> float:
        return logistic(value)
