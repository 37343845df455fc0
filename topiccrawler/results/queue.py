"""How the queue of a job stands, read from its files while the crawl may be running: counts, what comes next and why, why hosts wait."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.explanation import heaviest_shares
from topiccrawler.crawling.harvest_counter import HarvestCounter
from topiccrawler.crawling.job_files import FRONTIER, read_recipe
from topiccrawler.crawling.noted_waits import NOTE, noted_waits
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.topic_names import topic_display_name
from topiccrawler.errors import CrawlerError
from topiccrawler.frontier.base import Row
from topiccrawler.frontier.overview import Overview, notes_as_json, overview
from topiccrawler.model import Link
from topiccrawler.strategies.shares import Shares


def queue_report(folder: Path, top: int, now: float) -> dict[str, Any]:
    """JSON values, of the `top` first of each kind. `now`: seconds since the epoch. StateError when there is no queue."""
    return report_of(overview(folder / FRONTIER, top), read_recipe(folder), top, now)


def report_of(seen: Overview, recipe: Recipe | None, top: int, now: float) -> dict[str, Any]:
    """The same of a queue that was looked at already, wherever it is kept."""
    waits = {
        host: (reason, until) for host, reason, until in noted_waits(seen.notes.get(NOTE)) if until > now
    }
    harvest = notes_as_json(seen.notes, HarvestCounter.NOTE)
    counts: dict[str, int] = {}
    for reason, _ in waits.values():
        counts[reason] = counts.get(reason, 0) + 1
    return {
        **({} if recipe is None else _made_with(recipe)),
        "pages": harvest.get("pages", 0),
        "kept": harvest.get("kept", 0),
        "relevant": harvest.get("relevant", 0),
        "states": seen.states,
        "hosts": len(seen.hosts),
        "waits": counts,
        "over_budget": sum(
            seen.hosts.get(host, {}).get("waiting", 0) for host, (_, until) in waits.items() if isinf(until)
        ),
        "top_hosts": [
            {"host": host, **seen.hosts[host], **_wait(waits.get(host), now)}
            for host in list(seen.hosts)[:top]
        ],
        "waiting_hosts": [{"host": host, **_wait(wait, now)} for host, wait in list(waits.items())[:top]],
        "top": [
            {**_link(row.link), "score": row.score, "shares": shares, **_wait(waits.get(row.link.host), now)}
            for row, shares in zip(seen.top, _shares(seen.top, recipe), strict=True)
        ],
        "failures": dict(list(seen.failures.items())[:top]),
        "discards": dict(list(seen.discards.items())[:top]),
    }


def _made_with(recipe: Recipe) -> dict[str, Any]:
    names = {"topic": recipe.topic, "topic_name": topic_display_name(recipe)}
    return {**names, "strategy": recipe.strategy}


def _shares(rows: Sequence[Row], recipe: Recipe | None) -> list[Shares]:
    """What the score of each row is made of, the heaviest first; nothing when the job kept no recipe, or its models went."""
    if recipe is None or not rows:
        return [[] for _ in rows]
    try:
        parts = assemble(recipe)
        return [heaviest_shares(parts, row) for row in rows]
    except CrawlerError:
        return [[] for _ in rows]


def _link(link: Link) -> dict[str, Any]:
    return {"url": link.url, "anchor": link.anchor, "source_url": link.source_url, "depth": link.depth}


def _wait(wait: tuple[str, float] | None, now: float) -> dict[str, Any]:
    """`seconds` is None for a host that is asked no more."""
    if wait is None:
        return {}
    return {"wait": wait[0], "seconds": None if wait[1] == inf else round(wait[1] - now, 1)}
