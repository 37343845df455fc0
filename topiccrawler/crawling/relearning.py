"""What a strategy knows after its crawl's topic was changed, without the network.

Where the change turned the verdict on many pages, the crawl is done once more: what was fetched is shown to a new strategy as it is judged
now, and what waits gets the scores that come of it. Where it turned few, the new strategy takes over what the old one had learned, and
goes on learning from pages as they were judged before: on another scale they would say something else (docs/lab/teaching.md). Of a narrow
topic it learns from them as they are judged now: there the scale is the same, and what is kept is what the answers change.

The conflict: a strategy has learned from outcomes that are no longer held true, and cannot unlearn them; pages cannot be fetched
again for that. But the crawl log knows their order, and the queue a link to each URL. Of several links to a URL the queue holds the best
alone, so less is learned than in a crawl: after twenty answers, in single runs, that cost more than a few wrong outcomes (docs/lab/teaching.md).
Cost: that of the strategy for each page; memory for all links of the queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from topiccrawler.frontier.base import Frontier, State
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import ROOT, Strategy

FEW = 0.25  # of the pages


def takes_over(strategy: Strategy, turned: int, pages: int) -> bool:
    """A strategy of this kind may keep what it learned when the verdict on so many of its pages turned."""
    return strategy.takes and bool(strategy.refresh_every) and turned < FEW * pages


def take_over(strategy: Strategy, learned: Mapping[str, Any], frontier: Frontier) -> int:
    """Give a strategy what the one before had saved; rescore what waits. Returns how many scores changed."""
    strategy.load(learned)
    waiting = [row.link for row in frontier.listing.rows(State.WAITING)]
    return frontier.rescore(list(strategy.refresh(waiting)))


def relearn(strategy: Strategy, frontier: Frontier, pages: Iterable[Page]) -> int:
    """Show the pages, first to last, to a strategy that has learned nothing; rescore what waits. Returns how many scores changed."""
    links: dict[str, list[Link]] = {}
    waiting: list[str] = []
    for row in frontier.listing.rows():
        links.setdefault(row.link.source_url, []).append(row.link)
        if row.state is State.WAITING:
            waiting.append(row.link.url)
    seeds = links.pop("", [])
    scores = {score.url: score for score in strategy.visit(ROOT, seeds)}
    queued = {link.url: link for link in seeds}
    for number, page in enumerate(pages, 1):
        if page.via is not None:
            queued.pop(page.via.link.url, None)
        shown = links.pop(page.url, [])
        queued.update((link.url, link) for link in shown)
        for score in strategy.visit(page, shown):
            _raise(scores, score)
        if strategy.refresh_every and number % strategy.refresh_every == 0:
            scores.update((score.url, score) for score in strategy.refresh(list(queued.values())))
    scores.update((score.url, score) for score in strategy.refresh(list(queued.values())))
    return frontier.rescore([scores[url] for url in waiting if url in scores])


def _raise(scores: dict[str, Score], score: Score) -> None:
    """A page's score only raises."""
    known = scores.get(score.url)
    if known is None or score.value > known.value:
        scores[score.url] = score
