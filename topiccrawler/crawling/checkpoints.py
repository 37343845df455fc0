"""What a strategy has learned, kept with the queue so that a killed crawl goes on exactly where its queue stands.

The conflict: the queue is durable page by page, but a strategy's whole state (a model, a graph) is too large to write
with every page. So it is written now and then, and in between what the strategy was shown is: opening loads the state
and shows it the same again, whose scores the queue has already. A state is written again when what was written in between is
as long as it, so that a page costs the same however much was learned. A strategy that learns nothing costs a page count.

    ordering          strategy, page count, state (JSON)                              now and then
    ordering/now      page count, entries since then, place of a refresh under way    every page
    ordering/page/N   the Nth entry: page and links, or what it took from them;       every page, if it learns
                      did a refresh begin then (JSON)

What a strategy learns from a refresh must come from what it was shown before, not from the queue, and be learned
before its first score: a refresh that has ended is repeated here with an empty queue. Links that a strategy drew from
the queue but had not scored yet are drawn again; they may have been fetched or raised since.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import Any

from topiccrawler.crawling.page_entries import entry_of, show_again
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.frontier.rescoring import COUNTED, Rescoring
from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import Strategy

NOTE, NOW, PAGE, SEEDS = "ordering", "ordering/now", "ordering/page/", "ordering/seeds"
EVERY_PAGES = 100

_REFRESHED = '{"refreshed": true'
_REMEDY = "put back a copy, or choose another JOBDIR"


class Checkpoints:
    """Of one strategy, in the notes of its frontier.

    `durable`: keep every page (a frontier on disk), not only when asked to. `every_pages`: at least so many lie between two
    states.
    """

    def __init__(
        self,
        strategy: Strategy,
        notes: Notes,
        rescoring: Rescoring,
        *,
        durable: bool = False,
        every_pages: int = EVERY_PAGES,
    ) -> None:
        self.strategy = strategy
        self.notes = notes
        self.rescoring = rescoring
        self.durable = durable
        self.every_pages = every_pages
        self.learns = bool(strategy.save())  # one that will learn has something to save, be it empty lists
        self._entries = 0  # since the state was written
        self._entries_length = self._state_length = 0  # characters

    def change_strategy(self, strategy: Strategy) -> None:
        """From now on another one is kept; what the one before has learned is dropped with the next `save`."""
        self.strategy, self.learns = strategy, bool(strategy.save())

    def load(self) -> int:
        """Bring strategy and refresh to where the queue stands. Returns the page count."""
        whole, latest = self.notes.get(NOTE), self.notes.get(NOW)
        if whole is None and latest is None:
            return 0
        try:
            kept: dict[str, Any] = json.loads(whole or "{}")
            now: dict[str, Any] = json.loads(latest or "{}")
            begun_with = kept.get("strategy") or now["strategy"]
            if begun_with == self.strategy.name:
                if whole is not None:
                    self.strategy.load(kept["state"])
                    self._state_length = len(whole)
                self._entries = int(now.get("entries", 0))
                place = now.get("refreshing")
                self._replay(None if place is None else str(place))
                return int(now["pages"] if "pages" in now else kept["pages"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(
                "the strategy's state", f"is damaged ({type(error).__name__}: {error})", _REMEDY
            ) from error
        raise StateError(
            f"strategy {self.strategy.name!r}",
            f"this job was begun with {begun_with!r}",
            f"go on with -a strategy={begun_with} or take another JOBDIR",
        )

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """These seeds were shown to a strategy that learns already; a resumed crawl brings them again."""
        if not self.durable or not self.learns:
            return False
        text = json.dumps([link.url for link in links])
        known = self.notes.get(SEEDS) == text
        self.notes.put(SEEDS, text)
        return known

    def shown(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """The strategy was shown a page, and a refresh began then."""
        if not self.durable:
            return
        if self._is_due():
            self.save(pages)
            return
        if self.learns:
            entry = entry_of(self.strategy, page, links, refreshed=refreshed)
            self._entries += 1
            self._entries_length += len(entry)
            self.notes.put(f"{PAGE}{self._entries}", entry)
        self._now(pages)

    def save(self, pages: int) -> None:
        """Write the whole state; while a refresh is under way the entries since the last time say more than it."""
        if not (self.durable and self.learns and self.rescoring.running):
            state = {"strategy": self.strategy.name, "pages": pages, "state": dict(self.strategy.save())}
            self.learns = bool(state["state"])
            text = json.dumps(state, ensure_ascii=False, allow_nan=False)
            self.notes.put(NOTE, text)
            self._entries, self._entries_length, self._state_length = 0, 0, len(text)
        self._now(pages)

    def save_in_place(self) -> None:
        """Write the strategy's state in place of all that was kept; the page count stays."""
        latest = json.loads(self.notes.get(NOW) or "{}")
        self.save(int(latest.get("pages", 0)))

    def _is_due(self) -> bool:
        """While a refresh is under way, no state can be written that a resumed crawl could go on from."""
        many = self._entries >= self.every_pages and self._entries_length >= self._state_length
        return self.learns and many and not self.rescoring.running

    def _now(self, pages: int) -> None:
        now = {
            "strategy": self.strategy.name,
            "pages": pages,
            "entries": self._entries,
            "refreshing": self.rescoring.place,
        }
        self.notes.put(NOW, json.dumps(now))

    def _replay(self, place: str | None) -> None:
        entries = []
        for number in range(1, self._entries + 1):
            text = self.notes.get(f"{PAGE}{number}")
            if text is None:
                raise ValueError(f"entry {number} is missing")
            entries.append(text)
        self._entries_length = sum(map(len, entries))
        last = max((n for n, text in enumerate(entries) if text.startswith(_REFRESHED)), default=-1)
        for number, text in enumerate(entries):
            show_again(self.strategy, json.loads(text))
            if number == last and place is not None:
                self.rescoring.begin(self.strategy.refresh, place, at_once=True)
            elif text.startswith(_REFRESHED):
                deque(self.strategy.refresh(()), maxlen=0)
        if place is not None and not self.rescoring.running:
            self.rescoring.begin(self.strategy.refresh, "" if place.startswith(COUNTED) else place)
