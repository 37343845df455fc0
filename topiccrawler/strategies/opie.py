"""OPIE: OPIC in which links about the topic receive more cash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import Knowledge, LinkScorer, check_range, link_scorer_of
from topiccrawler.strategies.opic import Opic
from topiccrawler.text.odds import logistic


@dataclass
class Opie(Opic):
    """Fetch the URL first that has received most cash from links about the topic.

    Idea: OPIC with a bias: a page's cash goes to its links in proportion to their similarity to the topic.
    Formula: link i of page T gets cash(T) * sim(i) / sum over T's links of sim(j)
        sim(i) = alpha * P(+|link) + (1 - alpha) * relevance(T); P -> the link model;
        relevance -> `Page.similarity`.
    Parameters: alpha 0.8 (ours: JLSE says that link context and page are weighted, not how).
    Reads: anchor and context through the link model; the parent's relevance.
    Cost: one batch call to the classifier and O(links) a page; refresh as in opic.
    But: as in opic; sim is at least 0.001, so that every link gets something.
    Reference: Guan et al. 2008, as described by Zhang et al. (JLSE), §2 and §3.2.2.
    """

    name: ClassVar[str] = "opie"
    changeable = frozenset({"alpha"})
    needs_link_scorer: ClassVar[bool] = True
    alpha: float = 0.8
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "alpha", self.alpha, 0.0, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)

    def _shares(self, page: Page, links: Sequence[Link]) -> Sequence[float] | None:
        assert self._scorer is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        if page.depth < 0:
            return None
        of_page = (1 - self.alpha) * page.similarity
        return [max(0.001, self.alpha * logistic(odds) + of_page) for odds in self._scorer.log_odds(links)]
