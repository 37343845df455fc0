"""Anchor text analysis: direct evidence only, shared among a page's links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import (
    Expand,
    Knowledge,
    LinkScorer,
    Strategy,
    check_range,
    link_scorer_of,
    logistic,
)


@dataclass
class AnchorText(Strategy):
    """Fetch links first whose anchors speak of the topic, on relevant pages that speak of little else.

    Idea: the anchor says what a link leads to; the page says how much that is worth; a page shares its worth.
    Formula: priority(i) = sim(i) / (sum over the page's links v of sim(v)) * P(+|page)
        sim(i) = P(+|anchor) if the anchor is classified positive, else `negative`
        P(+|anchor) -> the link model shown the anchor alone; P(+|page) -> `Page.relevance`, at least `negative`.
    Parameters: negative 0.01 (JLSE algorithm 1).
    Reads: anchors through the link model; the parent's relevance.
    Cost: one batch call to the classifier a page, no refresh.
    But: the page classifier is this crawler's page judge, whose relevance stands for P(+|page). Links of pages judged
        negative are not followed unless TOPIC_EXPAND = all; those of seed pages always are.
    Reference: Zhang et al., JLSE, §4.2 (ATA), algorithm 1, eq. 10.
    """

    name: ClassVar[str] = "anchor_text"
    needs_link_scorer: ClassVar[bool] = True
    expand: ClassVar[Expand] = "relevant"
    negative: float = 0.01
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "negative", self.negative, 1e-9, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        similarities = self.similarities(links)
        scale = max(page.relevance, self.negative) / (sum(similarities) or 1.0)
        return [Score(link.url, sim * scale) for link, sim in zip(links, similarities, strict=True)]

    def similarities(self, links: Sequence[Link]) -> list[float]:
        """sim of each link of a page."""
        assert self._scorer is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        anchors = [Link(url="", host="", anchor=link.anchor, title=link.title) for link in links]
        return [logistic(odds) if odds > 0 else self.negative for odds in self._scorer.log_odds(anchors)]
