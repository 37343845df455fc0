"""What a past crawl knows of one URL: its path from the seed, the scores it had, and what became of it.

The conflict: the answer lies in three files that know nothing of each other: the queue (who linked to it, with which
text and score, and how it ended), the crawl log (the score it was fetched with) and the page store. A crawl without
JOBDIR leaves no queue; then what the store knows must do, and what it does not is said to be unknown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topiccrawler.crawl.checkpoints import NOTE
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Row
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Visit
from topiccrawler.store.pages import PageRecord, PageStore
from topiccrawler.store.visits import read_visits
from topiccrawler.urls.canonical import host_of

LONGEST_PATH = 1000  # steps


@dataclass(frozen=True, slots=True)
class Step:
    """One page on the way from a seed."""

    link: Link
    score: float | None  # None where no file tells
    state: str


@dataclass(frozen=True, slots=True)
class History:
    """All of one URL."""

    link: Link
    state: str  # of the queue, or "stored"
    reason: str
    queued_score: float | None  # the last one it had in the queue
    tunnel: int
    added: float | None  # seconds since the epoch
    changed: float | None
    path: tuple[Step, ...]  # from the seed to the URL itself
    whole: bool  # the path begins at a seed
    visits: tuple[Visit, ...]
    record: PageRecord | None


class PastCrawl:
    """The files of a job's folder, opened to be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        queue, pages = folder / "frontier.sqlite", folder / "pages.sqlite"
        self._visits = folder / "visits.jsonl"
        if not (queue.is_file() or pages.is_file() or self._visits.is_file()):
            raise StateError(
                f"folder {folder}",
                "holds no crawl",
                "name the JOBDIR of a crawl, or its folder in TOPIC_DATA_DIR",
            )
        self._frontier = SqliteFrontier(queue, read_only=True) if queue.is_file() else None
        self._store = PageStore(pages, create=False) if pages.is_file() else None

    def close(self) -> None:
        """Let go of the files."""
        if self._frontier is not None:
            self._frontier.close()
        if self._store is not None:
            self._store.close()

    def strategy(self) -> tuple[str, Mapping[str, Any]] | None:
        """The strategy's name and what it had learned at its last checkpoint."""
        text = self._frontier.notes.get(NOTE) if self._frontier is not None else None
        if text is None:
            return None
        try:
            kept = json.loads(text)
            return str(kept["strategy"]), dict(kept["state"])
        except (ValueError, KeyError, TypeError) as error:
            raise StateError(
                str(self.folder), f"the strategy's state is damaged: {error}", "use a copy"
            ) from None

    def job(self) -> Mapping[str, object]:
        """What it noted when it began: topic, strategy, link_models, keywords; empty when that is not on file."""
        text = self._frontier.notes.get("job") if self._frontier is not None else None
        try:
            found = json.loads(text or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def topic(self) -> str | None:
        """The topic it was begun with, as far as its files tell."""
        if named := self.job().get("topic"):
            return str(named)
        first = next(self._store.records(), None) if self._store is not None else None
        return first.topic if first is not None else None

    def of(self, url: str) -> History:
        """What is known of a canonical URL; StateError when the crawl never met it."""
        row = self._frontier.listing.row(url) if self._frontier is not None else None
        record = self._store.get(url) if self._store is not None else None
        visits = tuple(visit for visit in self._all_visits() if visit.url == url)
        if row is None and record is None and not visits:
            raise StateError(
                f"URL {url}", f"was never met by the crawl in {self.folder}", "check its spelling"
            )
        path, whole = self._path(url)
        return History(
            link=path[-1].link,
            state=path[-1].state,
            reason=row.reason if row is not None else "",
            queued_score=row.score if row is not None else None,
            tunnel=row.tunnel if row is not None else 0,
            added=row.added if row is not None else None,
            changed=row.changed if row is not None else None,
            path=path,
            whole=whole,
            visits=visits,
            record=record,
        )

    def _all_visits(self) -> list[Visit]:
        return list(read_visits(self._visits)) if self._visits.is_file() else []

    def _path(self, url: str) -> tuple[tuple[Step, ...], bool]:
        steps: list[Step] = []
        met: set[str] = set()
        while url and url not in met and len(steps) < LONGEST_PATH:
            met.add(url)
            step = self._step(url)
            steps.append(step)
            url = step.link.source_url
        whole = not url and steps[-1].state != "unknown"
        return tuple(reversed(steps)), whole

    def _step(self, url: str) -> Step:
        row: Row | None = self._frontier.listing.row(url) if self._frontier is not None else None
        if row is not None:
            return Step(row.link, row.score, row.state.value)
        record = self._store.get(url) if self._store is not None else None
        if record is not None:
            link = Link(url, host_of(url), record.anchor, depth=record.depth, source_url=record.source_url)
            return Step(link, record.score, "stored" if record.stored else "off topic")
        return Step(Link(url, host_of(url)), None, "unknown")


def with_text(link: Link, *, anchor: str | None, before: str | None, after: str | None) -> Link:
    """The link with the texts that are given in place of its own."""
    return link._replace(
        anchor=link.anchor if anchor is None else anchor,
        before=link.before if before is None else before,
        after=link.after if after is None else after,
    )
