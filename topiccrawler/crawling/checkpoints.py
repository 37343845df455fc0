"""Stores what a strategy has learned with the queue, so that a killed crawl resumes exactly where its queue is.

`Checkpoints` stores the state. The conflict: the queue is durable page by page, but the whole state of a strategy (a model, a graph) is too
large to write with every page. So the state is written at intervals, and an entry for each page between two states. Opening loads the
state and replays the entries; their scores are in the queue already. The state is written again when the entries since then are as long
as the state, so that the cost per page does not grow with what was learned. A strategy that does not learn only costs a page count.

    ordering          strategy, page count, state (JSON)                                 at intervals
    ordering/now      page count, entries since then, position of a running refresh      every page
    ordering/page/N   the Nth entry: page and links, or the strategy's observation;      every page, if it learns
                      whether a refresh began with it (JSON)

A refresh that has ended is replayed with an empty queue. So a strategy must learn in a refresh from earlier pages only, before it yields
the first score. Links that an unfinished refresh had read but not scored are read again; their state or score may have changed since.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from topiccrawler.crawling.rescoring import COUNTED, Rescoring
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.base import Strategy

logger = logging.getLogger(__name__)

OBSERVATION = "observation"  # the stored key
DAMAGED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, zlib.error)


def entry_of(strategy: Strategy, page: Page, links: Sequence[Link], **first: object) -> str:
    """The entry of the page that the strategy visited last, as JSON; `first`: fields to put before its own."""
    learned = strategy.observation()
    return _text(
        {**first, **({OBSERVATION: learned} if learned is not None else _whole(strategy, page, links))}
    )


def whole_entry_of(strategy: Strategy, page: Page, links: Sequence[Link]) -> str:
    """The entry of a page that the strategy of this process did not visit: page and links, as JSON."""
    return _text(_whole(strategy, page, links))


def replay_entry(strategy: Strategy, kept: Mapping[str, Any]) -> None:
    """Let the strategy learn from an entry. Raises ValueError, KeyError or TypeError if the entry is damaged."""
    if OBSERVATION in kept:
        strategy.observe(kept[OBSERVATION])
    else:
        deque(strategy.visit(*page_of(kept)), maxlen=0)


def page_of(kept: Mapping[str, Any]) -> tuple[Page, list[Link]]:
    """The page and the links in an entry. Raises ValueError, KeyError or TypeError if the entry is damaged."""
    make_link: Callable[..., Link] = Link
    make_page: Callable[..., Page] = Page
    via = None
    if kept["via"] is not None:
        fields, score, carry, tunnel = kept["via"]
        via = Via(make_link(*fields), score, carry, tunnel)
    page = make_page(*kept["page"], via, bool(kept.get("detail")))
    return page, [make_link(*fields) for fields in kept["links"]]


def _whole(strategy: Strategy, page: Page, links: Sequence[Link]) -> dict[str, Any]:
    via = page.via
    terms = dict(page.terms) if strategy.reads_terms else {}
    plain = (page.url, page.depth, page.title, terms, page.similarity, page.is_target, page.seconds)
    return {
        "page": plain,
        "detail": page.is_detail,
        "via": None if via is None else (via.link, via.score, via.carry, via.tunnel),
        "links": list(links),
    }


def _text(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, allow_nan=False, ensure_ascii=False)


LEARNED_NOTE, NOW, PAGE, SEEDS = "ordering", "ordering/now", "ordering/page/", "ordering/seeds"
EVERY_PAGES = 100  # least number of pages between two writes of the whole state

_REFRESHED = '{"refreshed": true'
_REMEDY = "choose another JOBDIR"


class Checkpoints:
    """The learning of a crawl of one process: the checkpoints of its strategy, in the notes of its frontier (crawling.sharing.Learning; for
    several processes: cluster.redis.shared_learning).

    `durable`: write an entry for every page (a frontier on disk), else only `save` writes.
    """

    whole, leads = False, True

    def __init__(
        self,
        strategy: Strategy,
        notes: Notes,
        rescoring: Rescoring,
        *,
        durable: bool = False,
    ) -> None:
        self.strategy = strategy
        self.notes = notes
        self.rescoring = rescoring
        self.durable = durable
        # a strategy that learns always saves something, at first empty lists
        self.learns = bool(strategy.save())
        self._entries = 0  # number of entries since the state was written
        self._entries_length = self._state_length = 0  # characters

    def change_strategy(self, strategy: Strategy) -> None:
        """Save another strategy from now on; its state replaces that of the previous one, so that later entries follow on it."""
        self.strategy, self.learns = strategy, bool(strategy.save())
        if self.durable:
            self.save_in_place()

    def load(self) -> int:
        """Restore strategy and refresh to the state that the queue has. Returns the page count.

        Raises StateError if the job was begun with another strategy, or if the state cannot be read.
        """
        whole, latest = self.notes.get(LEARNED_NOTE), self.notes.get(NOW)
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
        except DAMAGED as error:
            raise StateError(
                "the strategy's state", f"cannot be read ({type(error).__name__}: {error})", _REMEDY
            ) from error
        raise StateError(
            f"strategy {self.strategy.name!r}",
            f"this job was begun with {begun_with!r}",
            f"go on with -a strategy={begun_with} or choose another JOBDIR",
        )

    def seeds_are_known(self, links: Sequence[Link]) -> bool:
        """Whether a strategy that learns has visited these seeds already, as in a resumed crawl. Records them as visited."""
        if not self.durable or not self.learns:
            return False
        text = json.dumps([link.url for link in links])
        known = self.notes.get(SEEDS) == text
        self.notes.put(SEEDS, text)
        return known

    def record_visit(self, pages: int, page: Page, links: Sequence[Link], *, refreshed: bool) -> None:
        """Write an entry for a page that the strategy visited, or the whole state when it is due; `refreshed`: a refresh began with it."""
        if not self.durable:
            return
        if self._is_due():
            self.save(pages)
            return
        entry = entry_of(self.strategy, page, links, refreshed=refreshed) if self.learns else ""
        self._entries += self.learns
        self._entries_length += len(entry)
        now = self._now(pages)
        if self.learns:
            self.notes.put(f"{PAGE}{self._entries}", entry)
        self.notes.put(NOW, now)

    def save(self, pages: int) -> None:
        """Write the whole state; during a refresh only the page count, because a crawl cannot resume from a state in between."""
        if not (self.durable and self.learns and self.rescoring.running):
            state = dict(self.strategy.save())
            self.learns = bool(state)
            kept = {"strategy": self.strategy.name, "pages": pages, "state": state}
            text = json.dumps(kept, ensure_ascii=False, allow_nan=False)
            self.notes.put(LEARNED_NOTE, text)
            self._entries, self._entries_length, self._state_length = 0, 0, len(text)
        self.notes.put(NOW, self._now(pages))

    def save_in_place(self) -> None:
        """Replace all that is stored by the state of the strategy; the page count stays."""
        latest = json.loads(self.notes.get(NOW) or "{}")
        self.save(int(latest.get("pages", 0)))

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        return False

    def figures(self) -> Mapping[str, float]:
        return {}

    def step(self) -> Iterable[tuple[Page | None, Sequence[Link]]]:
        return ()

    def _is_due(self) -> bool:
        """Whether to write the whole state: never during a refresh, because a crawl cannot resume from such a state."""
        many = self._entries >= EVERY_PAGES and self._entries_length >= self._state_length
        return self.learns and many and not self.rescoring.running

    def _now(self, pages: int) -> str:
        now = {
            "strategy": self.strategy.name,
            "pages": pages,
            "entries": self._entries,
            "refreshing": self.rescoring.place,
        }
        return json.dumps(now)

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
            replay_entry(self.strategy, json.loads(text))
            if number == last and place is not None:
                self.rescoring.begin(self.strategy.refresh, place, at_once=True)
            elif text.startswith(_REFRESHED):
                deque(self.strategy.refresh(()), maxlen=0)
        if place is not None and not self.rescoring.running:
            self.rescoring.begin(self.strategy.refresh, "" if place.startswith(COUNTED) else place)


def load_state(strategy: Strategy, text: str) -> None:
    """Load a state that another process has published. Raises one of DAMAGED if it is damaged."""
    strategy.load(json.loads(text)["state"])
