"""Lets a new strategy take the place of another in a crawl that has fetched pages.

`relearn` trains a new strategy: it visits all fetched pages again in the order of the crawl log, without the network, and the waiting URLs
are rescored.

`transfer_state` loads what another strategy has learned. A change of topic may change the verdict on pages fetched before. If many change,
a new strategy relearns; if few change, it loads the state of the old one. Relearning is less exact than a crawl, because the queue has
only the best of several links to a URL: after twenty answers, in single runs, that cost more than a few wrong outcomes
(docs/lab.md). Cost of relearning: that of the strategy for each page; memory for all links of the queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from topiccrawler.frontier.base import Frontier, State
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import ROOT, Strategy

FEW = 0.25  # share of the pages


def can_transfer(strategy: Strategy, changed: int, pages: int) -> bool:
    """Whether a strategy of this kind may keep what it has learned although the verdict on `changed` of its `pages` has changed."""
    return strategy.observes and bool(strategy.refresh_every) and changed < FEW * pages


def transfer_state(strategy: Strategy, learned: Mapping[str, Any], frontier: Frontier) -> int:
    """Load what the previous strategy has saved, and rescore the waiting URLs. Returns how many scores have changed."""
    strategy.load(learned)
    waiting = [row.link for row in frontier.look().rows(State.WAITING)]
    return frontier.rescore(list(strategy.refresh(waiting)))


def relearn(strategy: Strategy, frontier: Frontier, pages: Iterable[Page]) -> int:
    """Let an untrained strategy visit the pages, in the order they were fetched, and rescore the waiting URLs.

    Returns how many scores have changed.
    """
    links: dict[str, list[Link]] = {}
    waiting: list[str] = []
    for row in frontier.look().rows():
        links.setdefault(row.link.source_url, []).append(row.link)
        if row.state is State.WAITING:
            waiting.append(row.link.url)
    seeds = links.pop("", [])
    scores = {score.url: score for score in strategy.visit(ROOT, seeds)}
    queued = {link.url: link for link in seeds}
    for number, page in enumerate(pages, 1):
        if page.via is not None:
            queued.pop(page.via.link.url, None)
        offered = links.pop(page.url, [])
        queued.update((link.url, link) for link in offered)
        for score in strategy.visit(page, offered):
            _raise(scores, score)
        if strategy.refresh_every and number % strategy.refresh_every == 0:
            scores.update((score.url, score) for score in strategy.refresh(list(queued.values())))
    scores.update((score.url, score) for score in strategy.refresh(list(queued.values())))
    return frontier.rescore([scores[url] for url in waiting if url in scores])


def _raise(scores: dict[str, Score], score: Score) -> None:
    """Store a score of a page's link, unless the URL has a higher one."""
    known = scores.get(score.url)
    if known is None or score.value > known.value:
        scores[score.url] = score
