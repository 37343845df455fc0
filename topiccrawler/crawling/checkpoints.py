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

`relearn` trains a new strategy: it visits all fetched pages again in the order of the crawl log, without the network, and the waiting URLs
are rescored.

`transfer_state` loads what another strategy has learned. A change of topic may change the verdict on pages fetched before. If many change,
a new strategy relearns; if few change, it loads the state of the old one. Relearning is less exact than a crawl, because the queue has
only the best of several links to a URL: after twenty answers, in single runs, that cost more than a few wrong outcomes
(docs/lab.md). Cost of relearning: that of the strategy for each page; memory for all links of the queue.

`Rescoring` computes new scores for queued links without stopping the crawl, one slice per page. A strategy may have to rescore a million
links, but the engine must not be blocked for more than about 50 ms, and a run must be repeatable. So a slice is a fixed number of links,
not a time. Scores of a slice apply at once; links that were not reached yet keep their old scores.

The position of a resumed refresh is the last URL whose new score was applied. A strategy that yields scores in another order than
that of the queue must compute them from its own state alone, and store in that state which are still to come; its position is
the number of scores applied ("#1000").
"""

from __future__ import annotations

import json
import logging
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from time import perf_counter
from typing import Any

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Frontier, Notes, State
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.strategies.base import ROOT, Strategy

logger = logging.getLogger(__name__)

OBSERVATION = "observation"  # the stored key
LEARNING_SECONDS = 0.3  # between two published states; longer where a state takes more than a tenth of it
DAMAGED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, zlib.error)


SLICE_URLS = 1000  # 35 ms with the link classifier on a 2 GHz core; 50 ms are allowed

COUNTED = "#"  # prefix of a position that is a number; no URL begins with it

Refresh = Callable[[Iterable[Link]], Iterable[Score]]
Apply = Callable[[Sequence[Score]], int]


class Rescoring:
    """Rescores the queue in slices, one refresh at a time.

    `apply`: writes new scores to the queue and returns how many have changed; None = Frontier.rescore.
    """

    def __init__(self, frontier: Frontier, slice_urls: int = SLICE_URLS, apply: Apply | None = None) -> None:
        self.frontier = frontier
        self._apply = frontier.rescore if apply is None else apply
        self.slice_urls = slice_urls
        self.slices = 0  # number of slices since the start of the run
        self.changed = 0  # number of scores changed since then
        self.slowest_seconds = 0.0  # duration of the slowest slice
        self.running = False  # a refresh is in progress
        self._scores: Iterator[Score] = iter(())
        self._unscored: deque[str] = deque()  # URLs passed to the strategy and not scored yet
        # the last URL scored; "" = the beginning, None = scores come out of order
        self._place: str | None = ""
        self._applied = 0  # number of scores applied in this refresh

    @property
    def place(self) -> str | None:
        """The position at which to resume after a restart: a URL, "#" and a number of scores, or "" for the beginning.

        None = no refresh is running.
        """
        if not self.running:
            return None
        return f"{COUNTED}{self._applied}" if self._place is None else self._place

    def begin(self, refresh: Refresh, after: str = "", *, at_once: bool = False) -> None:
        """Start a refresh, or resume one after the position `after`.

        `at_once`: compute the first score now, so that the strategy learns now what it learns before it, not in the next step.
        """
        self.running = True
        self._unscored.clear()
        counted = after.startswith(COUNTED)
        self._applied = int(after.removeprefix(COUNTED)) if counted else 0
        self._place = None if counted else after
        self._scores = islice(refresh(self._queued("" if counted else after)), self._applied, None)
        if at_once:
            self._scores = chain(list(islice(self._scores, 1)), self._scores)

    def stop(self) -> None:
        """Cancel a running refresh."""
        self.running, self._scores = False, iter(())
        self._unscored.clear()

    def step(self) -> int:
        """Score one slice and apply the scores. Returns the number of scores."""
        if not self.running:
            return 0
        began = perf_counter()
        batch = list(islice(self._scores, self.slice_urls))
        self.changed += self._apply(batch)
        for score in batch:
            self._follow(score.url)
        self._applied += len(batch)
        if len(batch) < self.slice_urls:
            self.running = False
        self.slices += 1
        self.slowest_seconds = max(self.slowest_seconds, perf_counter() - began)
        return len(batch)

    def _queued(self, after: str) -> Iterator[Link]:
        for link in self.frontier.look().queued(after):
            self._unscored.append(link.url)
            yield link

    def _follow(self, url: str) -> None:
        """Advance the position to a scored URL. The strategy may skip links; a score out of order changes the position to a number."""
        if self._place is None:
            return
        while self._unscored:
            if self._unscored.popleft() == url:
                self._place = url
                return
        self._place = None


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
    """The checkpoints of one strategy, in the notes of its frontier.

    `durable`: write an entry for every page (a frontier on disk), else only `save` writes. `every_pages`: the least number of pages
    between two states.
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

    def _is_due(self) -> bool:
        """Whether to write the whole state: never during a refresh, because a crawl cannot resume from such a state."""
        many = self._entries >= self.every_pages and self._entries_length >= self._state_length
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


class OwnLearning(Checkpoints):
    """The learning of a crawl of one process, stored by checkpoints (for several processes: cluster.redis.shared_learning)."""

    whole = False
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

    def hand_over(self, page: Page, links: Sequence[Link]) -> bool:
        return False

    def figures(self) -> Mapping[str, float]:
        return {}

    def step(self) -> Iterable[tuple[Page | None, Sequence[Link]]]:
        return ()


def load_state(strategy: Strategy, text: str) -> None:
    """Load a state that another process has published. Raises one of DAMAGED if it is damaged."""
    strategy.load(json.loads(text)["state"])
