"""How what a strategy learns is kept, and known to others: in a crawl of one process here, in one of several by what they share (crawling.sharing)."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence

from topiccrawler.crawling.checkpoints import EVERY_PAGES, Checkpoints
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.rescoring import Rescoring
from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import Strategy

LEARNING_SECONDS = 0.3
DAMAGED = (ValueError, KeyError, TypeError, AttributeError, zlib.error)


class OwnLearning(Checkpoints):
    """Of a crawl of one process."""

    is_shared = False
    leads = True

    def __init__(
        self,
        strategy: Strategy,
        frontier: Frontier,
        rescoring: Rescoring,
        *,
        durable: bool = False,
        every_pages: int = EVERY_PAGES,
    ) -> None:
        super().__init__(strategy, frontier.notes, rescoring, durable=durable, every_pages=every_pages)
        self._view, self._hosts = frontier.look(), frontier.hosts

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        return False

    def look_up(self, urls: Iterable[str]) -> None: ...

    def others_live(self) -> bool:
        return False

    def pending(self) -> bool:
        return self._view.waiting() > 0

    def next_ready(self, now: float) -> float | None:
        return self._hosts.next_ready(now)

    def figures(self) -> Mapping[str, float]:
        return {}

    def ask_ahead(self, urls: Iterable[str]) -> None:
        return None

    def step(self) -> None: ...


def load_state(strategy: Strategy, text: str) -> None:
    """What the process that learns for all published. One of DAMAGED when it is."""
    strategy.load(json.loads(text)["state"])
