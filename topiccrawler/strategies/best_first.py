"""Best first: a link is scored by the relevance of the page it stands on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy


@dataclass
class BestFirst(Strategy):
    """Fetch the links of the most relevant pages first.

    Idea: pages link to pages of the same topic, so a link is worth what its page is worth.
    Formula: score = similarity(parent); `similarity` is `Page.similarity` (0..1, by the page classifier). A link
        on several pages has the largest of their scores, because a queued URL keeps its larger score.
    Parameters: none.
    Reads: the parent's similarity; no link text.
    Cost: O(links) a page, no refresh.
    But: seeds stand on the virtual root page (similarity 1), so they go first.
    Reference: Cho, Garcia-Molina & Page 1998 (similarity ordering); the baseline of the link model (2014).
    """

    name: ClassVar[str] = "best_first"
    share_names: ClassVar[tuple[str, ...]] = ("relevance of the linking page",)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        return [Score(link.url, page.similarity) for link in links]

    def worth(self, value: float) -> float:
        return value
