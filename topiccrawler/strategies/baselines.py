"""Implements the baseline strategies and others with a one-line formula.

They are `breadth_first`, `depth_first`, `random_order`, `best_first` and `anchor_text`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Expand, Knowledge, LinkScorer, Strategy, check_range, link_scorer_of
from topiccrawler.text.weights import logistic


@dataclass
class BreadthFirst(Strategy):
    """Fetch what lies nearest to the seeds first.

    Idea: fetch all pages one link from the seeds, then all pages two links away, in the order of discovery.
    Formula: score = -depth(link); `depth` is `Link.depth`, equal scores go first in, first out.
    Parameters: none.
    Reads: depth only, neither text nor relevance.
    Cost: O(links) a page, no refresh.
    But: nothing.
    Reference: the baseline of every paper here; as a crawl order, Najork & Wiener, WWW 2001.
    """

    name: ClassVar[str] = "breadth_first"
    share_names: ClassVar[tuple[str, ...]] = ("depth",)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, -float(link.depth)) for link in links]


@dataclass
class DepthFirst(Strategy):
    """Fetch the link found last first.

    Idea: follow one path to its end before beginning another.
    Formula: score = running number of the link; a link found again gets a new number.
    Parameters: none.
    Reads: nothing but the order of links.
    Cost: O(links) a page, no refresh.
    But: seeds keep their order: the first seed goes first.
    Reference: a baseline; Cho, Garcia-Molina & Page 1998 compare it with breadth first.
    """

    name: ClassVar[str] = "depth_first"
    learned: ClassVar[tuple[str, ...]] = ("_found",)
    share_names: ClassVar[tuple[str, ...]] = ("order of finding",)
    _found: int = field(default=0, init=False, repr=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if page.depth < 0:
            return [Score(link.url, 0.0) for link in links]
        begun = self._found + 1
        self._found += len(links)
        return [Score(link.url, float(begun + place)) for place, link in enumerate(links)]


@dataclass
class RandomOrder(Strategy):
    """Fetch queued links in a random order, which is the same for the same seed.

    Idea: the lower bound of a comparison: a strategy must do better than chance.
    Formula: score = BLAKE2b(seed, URL) / 2^64, in 0..1.
    Parameters: none; the seed is the crawl's (setting TOPIC_SEED, default 0).
    Reads: the URL as a number.
    Cost: O(links) a page, no refresh, no state.
    But: a link found again keeps its number, so a URL with many links is no more likely than one with few.
    Reference: a baseline (Cho, Garcia-Molina & Page 1998).
    """

    name: ClassVar[str] = "random_order"
    share_names: ClassVar[tuple[str, ...]] = ("draw",)
    _key: bytes = field(default=b"0", init=False, repr=False)

    def prepare(self, knowledge: Knowledge) -> None:
        self._key = str(knowledge.seed).encode()[:64]

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, self._draw(link.url)) for link in links]

    def _draw(self, url: str) -> float:
        digest = hashlib.blake2b(url.encode(), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "big") / 2**64


@dataclass
class BestFirst(Strategy):
    """Fetch the links of the most relevant pages first.

    Idea: pages link to pages of the same topic, so a link is worth what its page is worth.
    Formula: score = similarity(parent); `similarity` is `Page.similarity` (0..1, by the page classifier). A link
        on several pages has the largest of their scores, because a queued URL keeps its larger score.
    Parameters: none.
    Reads: the parent's similarity; no link text.
    Cost: O(links) a page, no refresh.
    But: seeds are links of the virtual root page (similarity 1), so they go first.
    Reference: Cho, Garcia-Molina & Page 1998 (similarity ordering); the baseline of the link model (2014).
    """

    name: ClassVar[str] = "best_first"
    share_names: ClassVar[tuple[str, ...]] = ("relevance of the linking page",)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, page.similarity) for link in links]

    def worth(self, value: float) -> float:
        return value


@dataclass
class AnchorText(Strategy):
    """Fetch links first whose anchors are about the topic, on relevant pages with few such anchors.

    Idea: the anchor says what a link leads to; the page says how reliable that is; the links of a page share
        its relevance.
    Formula: priority(i) = sim(i) / (sum over the page's links v of sim(v)) * P(+|page)
        sim(i) = P(+|anchor) if the anchor is classified positive, else `negative`
        P(+|anchor) -> eq. 1-2 over the anchors of sample pages (relevance.published)
        P(+|page) -> `Page.similarity`, at least `negative`
    Parameters: negative 0.01 (JLSE algorithm 1); sample_anchors true; false: P(+|anchor) is that of the link
        model, as always for a topic without sample anchors; terminal false: links of result pages are followed
        too; detail false: every relevant page is a result page; true: it must also be a detail page
        (relevance.detail, the paper's SVM of §3.1). The paper has true for both (algorithm 2, step 1).
    Reads: anchors; the parent's relevance; with `detail` whether it is a detail page.
    Cost: one batch call to the classifier a page, no refresh. `detail` adds a tenth to the time to read a page.
    But: P(+|page) is the relevance of the crawl's page classifier; for the paper's naive Bayes (eq. 1-2) set
        TOPIC_PAGE_CLASSIFIER = naive_bayes:published=true. `terminal` suits shops; on blogs it loses half of the
        relevant pages (docs/papers.md). Links of pages classified negative are not followed unless
        TOPIC_EXPAND = all; those of seed pages always are.
    Reference: Zhang et al., JLSE, §3.1, §4.2 (ATA), algorithms 1 and 2, eq. 10.
    """

    name: ClassVar[str] = "anchor_text"
    changeable = frozenset({"negative"})
    share_names: ClassVar[tuple[str, ...]] = ("anchor by page",)
    needs_link_scorer: ClassVar[bool] = True
    expand: Expand = field(default="relevant", init=False, repr=False)
    negative: float = 0.01
    detail: bool = False
    terminal: bool = False
    sample_anchors: bool = True
    _scorer: LinkScorer | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_range(self.name, "negative", self.negative, 1e-9, 1.0)

    def prepare(self, knowledge: Knowledge) -> None:
        self._scorer = link_scorer_of(knowledge, self.name)

    @property
    def needs_detail(self) -> bool:
        return self.detail

    @property
    def reads_sample_anchors(self) -> bool:
        return self.sample_anchors

    def is_result(self, page: Page) -> bool:
        """Whether the page is a result: relevant and, with `detail`, a detail page."""
        return page.is_target and (page.is_detail or not self.detail)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        if self.terminal and self.is_result(page) and page.via is not None and page.via.link.source_url:
            return ()
        similarities = self.similarities(links)
        scale = max(page.similarity, self.negative) / (sum(similarities) or 1.0)
        return [Score(link.url, sim * scale) for link, sim in zip(links, similarities, strict=True)]

    def similarities(self, links: Sequence[Link]) -> list[float]:
        """Return sim(i), 0..1, for each link of a page."""
        assert self._scorer is not None, "prepare comes first"  # noqa: S101 a fault of the caller's, not of the user's
        anchors = [Link(url="", host="", anchor=link.anchor, title=link.title) for link in links]
        return [logistic(odds) if odds > 0 else self.negative for odds in self._scorer.log_odds(anchors)]
