"""What an ordering is: one batch call a page, one optional call every so many pages.

The conflict: orderings need very different things (nothing, the parent, link text, the whole graph), yet
the caller must not know which one it drives. So the caller keeps these rules and no strategy has a special case:

- `visit` scores only raise a queued URL (the maximum counts); `refresh` scores replace;
- a link without a score is not queued;
- seeds are the out-links of a virtual root page (`ROOT_URL`, relevance 1, depth -1);
- a page whose fetch failed is never shown to a strategy: it teaches nothing and has no links.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from topiccrawler.model import Link, Page, Score

ROOT_URL = "root:"
ROOT = Page(url=ROOT_URL, depth=-1, relevance=1.0, is_target=True)


class LinkScorer(Protocol):
    """What strategies need of a link classifier (topiccrawler.links.classifier.LinkClassifier)."""

    def log_odds(self, links: Sequence[Link]) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All a strategy may know beforehand; it reaches for nothing else."""

    page_threshold: float = 0.5
    link_scorer: LinkScorer | None = None
    seed: int = 0


@dataclass
class Strategy:
    """Base of every ordering. Subclasses are dataclasses; their fields are the strategy's parameters.

    Deterministic under `Knowledge.seed`; what it learns can be saved and loaded in the middle of a crawl.
    """

    name: ClassVar[str]
    needs_link_scorer: ClassVar[bool] = False
    prunes: ClassVar[bool] = False  # the link gate applies to this ordering; baselines are never pruned
    refresh_every: ClassVar[int] = 0  # pages; 0 = never

    def prepare(self, knowledge: Knowledge) -> None:
        """Take what is known before the crawl. Called once, before anything else."""

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        """Score the links of a page just read. Cost: once a page."""
        raise NotImplementedError(f"{type(self).__name__}.visit")

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        """Score queued links anew. Cost: once in `refresh_every` pages."""
        return ()

    def worth(self, value: float) -> float:
        """What a score promises, 0..1, rising with it: patience holds a poor page back while a host with a much more
        promising URL is about to be ready. The default promises nothing, and nothing is held back."""
        return 0.0

    def save(self) -> Mapping[str, Any]:
        """What was learned so far, as JSON values."""
        return {}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on from what `save` returned."""


def logistic(log_odds: float) -> float:
    """P = 1 / (1 + e^-x), without overflow."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))
