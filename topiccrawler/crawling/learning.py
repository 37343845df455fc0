"""The learning of a crawl of one process: stored by checkpoints, shared with nobody. Of several processes: cluster.learning."""

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
    """See crawling.sharing.Learning."""

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

    def prefetch(self, urls: Iterable[str]) -> None:
        return None

    def step(self) -> None: ...


def load_state(strategy: Strategy, text: str) -> None:
    """Load a state that another process published. Raises one of DAMAGED when it is damaged."""

    strategy.load(json.loads(text)["state"])
