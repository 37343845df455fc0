"""The one object that both the live crawl and the replay drive: a strategy and the queue it orders.

The conflict: a strategy must not know how URLs are kept, a frontier must not know what a score means, and the two
callers (an engine with many requests in flight, a replay with one) must get the same order. So the rules between
them stand here, once: strategies.base says which.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Accept, Frontier, Leased, Pushed, State
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import ROOT, Strategy

NOTE = "ordering"


class Ordering:
    """Gives pages to the strategy and its scores to the frontier."""

    def __init__(self, strategy: Strategy, frontier: Frontier) -> None:
        self.strategy = strategy
        self.frontier = frontier
        self.pages = 0
        self._load()

    def seed(self, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Queue the seeds: the out-links of the virtual root page."""
        return self._push(self.strategy.visit(ROOT, links), links, 0, now)

    def visit(self, page: Page, links: Sequence[Link], now: float) -> Mapping[Pushed, int]:
        """Show a fetched page with all its links to the strategy and queue what it scores."""
        self.pages += 1
        tunnel = 0 if page.is_target or page.via is None else page.via.tunnel
        pushed = self._push(self.strategy.visit(page, links), links, tunnel, now)
        every = self.strategy.refresh_every
        if every and self.pages % every == 0:
            self.frontier.rescore(self.strategy.refresh(self.frontier.queued()))
        return pushed

    def lease(self, now: float, accept: Accept | None = None) -> Leased | None:
        """The best URL that may be fetched now."""
        return self.frontier.lease(now, accept)

    def acknowledge(self, url: str, state: State, reason: str, now: float) -> None:
        """Say what became of a leased URL."""
        self.frontier.acknowledge(url, state, reason, now)

    def checkpoint(self) -> None:
        """Keep what the strategy has learned beside the queue."""
        state = {"strategy": self.strategy.name, "pages": self.pages, "state": dict(self.strategy.save())}
        self.frontier.put_note(NOTE, json.dumps(state, ensure_ascii=False, allow_nan=False))

    def _push(
        self, scores: Iterable[Score], links: Sequence[Link], tunnel: int, now: float
    ) -> Mapping[Pushed, int]:
        """Pair scores with links. A page may link one URL several times: its best score decides which link is kept."""
        by_url: dict[str, list[Link]] = {}
        for link in links:
            by_url.setdefault(link.url, []).append(link)
        best: dict[str, tuple[Link, Score]] = {}
        for score in scores:
            group = by_url.get(score.url)
            if group is None:
                continue
            link = group.pop(0) if len(group) > 1 else group[0]
            if score.url not in best or score.value > best[score.url][1].value:
                best[score.url] = (link, score)
        return self.frontier.push(best.values(), now=now, tunnel=tunnel)

    def _load(self) -> None:
        text = self.frontier.note(NOTE)
        if text is None:
            return
        kept: dict[str, Any] = json.loads(text)
        if kept["strategy"] != self.strategy.name:
            raise StateError(
                f"strategy {self.strategy.name!r}",
                f"this job was begun with {kept['strategy']!r}",
                f"go on with -a strategy={kept['strategy']} or take another JOBDIR",
            )
        self.pages = int(kept["pages"])
        self.strategy.load(kept["state"])
