"""Does a crawl once more without the network after its topic was changed: what was fetched is shown to a new strategy as it is judged
now, and what waits gets the scores that come of it.

The conflict: a strategy has learned from outcomes that are no longer held true, and cannot unlearn them; pages cannot be fetched
again for that. But the crawl log knows their order, and the queue a link to each URL. Of several links to a URL the queue holds the best
alone, so a little less is learned than in a crawl.
Cost: that of the strategy for each page; memory for all links of the queue.
"""

from __future__ import annotations

from collections.abc import Iterable

from topiccrawler.frontier.base import Frontier, State
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import ROOT, Strategy


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
