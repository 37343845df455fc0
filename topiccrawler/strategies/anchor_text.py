"""Anchor text analysis (ATA): direct evidence only, normalised over a page's links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Expand, Knowledge, LinkScorer, Strategy, check_range, link_scorer_of
from topiccrawler.text.odds import logistic


@dataclass
class AnchorText(Strategy):
    """Fetch links first whose anchors are about the topic, on relevant pages with few such anchors.

    Idea: the anchor says what a link leads to; the page says how reliable that is; a page shares its worth.
    Formula: priority(i) = sim(i) / (sum over the page's links v of sim(v)) * P(+|page)
        sim(i) = P(+|anchor) if the anchor is classified positive, else `negative`
        P(+|anchor) -> the link model on the anchor alone; P(+|page) -> `Page.similarity`, at least `negative`.
    Parameters: negative 0.01 (JLSE algorithm 1); terminal false: links of result pages are followed; detail
        false: a relevant page is a result page; true: it must also be a detail page (relevance.detail, the
        paper's SVM of §3.1). The paper has true for both (algorithm 2, step 1).
    Reads: anchors through the link model; the parent's relevance; with `detail` whether it is a detail page.
    Cost: one batch call to the classifier a page, no refresh. `detail` adds a tenth to the reading of a page.
    But: P(+|page) is the relevance of the crawl's page classifier; for the paper's naive Bayes (eq. 1-2) set
        TOPIC_PAGE_CLASSIFIER = naive_bayes (docs/page-classifiers.md). Terminal pages suit shops; on blogs
        they cost half of the finds (docs/lab/experiments.md). Links of pages classified negative are not
        followed unless TOPIC_EXPAND = all; those of seed pages always are.
    Reference: Zhang et al., JLSE, §3.1, §4.2 (ATA), algorithms 1 and 2, eq. 10.
    """

    name: ClassVar[str] = "anchor_text"
    changeable = frozenset({"negative"})
    share_names: ClassVar[tuple[str, ...]] = ("anchor by page",)
    needs_link_scorer: ClassVar[bool] = True
    expand: ClassVar[Expand] = "relevant"
    negative: float = 0.01
    detail: bool = False
    terminal: bool = False
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "negative", self.negative, 1e-9, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)

    @property
    def needs_detail(self) -> bool:
        return self.detail

    def is_result(self, page: Page) -> bool:
        """Is it what the crawl is after?"""
        return page.is_target and (page.is_detail or not self.detail)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if self.terminal and self.is_result(page) and page.via is not None and page.via.link.source_url:
            return ()
        similarities = self.similarities(links)
        scale = max(page.similarity, self.negative) / (sum(similarities) or 1.0)
        return [Score(link.url, sim * scale) for link, sim in zip(links, similarities, strict=True)]

    def similarities(self, links: Sequence[Link]) -> list[float]:
        """sim of each link of a page."""
        assert self._scorer is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        anchors = [Link(url="", host="", anchor=link.anchor, title=link.title) for link in links]
        return [logistic(odds) if odds > 0 else self.negative for odds in self._scorer.log_odds(anchors)]
