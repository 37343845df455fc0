"""The threshold from which a crawl keeps pages, set by itself: each page read is counted, and now and then the threshold moves.

What is fetched next does not hang on it: strategy, tunnels and budgets go on by the threshold of the topic. A strategy that was told of fewer
relevant pages found fewer (docs/lab/growth.md).

Kept as the note `threshold` of the frontier, in one transaction with the page's links; so a crawl that is killed goes on with what it had.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.model import Page
from topiccrawler.relevance.own_threshold import OwnThreshold

logger = logging.getLogger(__name__)

NOTE = "threshold"
EVERY_PAGES = 50
LEAST_CHANGE = 0.05  # of the threshold, that is logged


class ThresholdLearner:
    """Of one crawl. `given`: what its topic says. `durable`: False where other processes have the same notes."""

    def __init__(self, given: float, notes: Notes, *, durable: bool = True) -> None:
        self._notes, self._durable = notes, durable
        self._own = OwnThreshold(given)
        self._pages = 0
        self.moves = True  # False: a person has set it
        self.value = self._logged = given
        if durable:
            self._load(given)

    def read(self, page: Page, expected: float) -> None:
        """A page was read; `expected`: 0..1, how good the link to it looked."""
        self._own.add(page.relevance, expected)
        self._pages += 1
        if self.moves and self._pages % EVERY_PAGES == 0:
            self._move()
        if self._durable:
            kept = {"pages": self._pages, "value": self.value, "own": self._own.save()}
            self._notes.put(NOTE, json.dumps(kept))

    def stop(self) -> None:
        """A person has set the threshold: it moves no more in this run."""
        self.moves = False

    def figures(self) -> Mapping[str, float]:
        """For the stats: by key."""
        return {"topic/page_threshold": round(self.value, 4)} if self.moves else {}

    def _move(self) -> None:
        self.value = self._own.value
        if abs(self.value - self._logged) >= LEAST_CHANGE * self._logged:
            text = "After %d pages those are kept that reach %.3f (before, %.3f)"
            logger.info(text, self._pages, self.value, self._logged)
            self._logged = self.value

    def _load(self, given: float) -> None:
        text = self._notes.get(NOTE)
        if text is None:
            return
        try:
            kept = json.loads(text)
            if float(kept["own"]["given"]) != given:
                return  # the topic says another by now
            self._own = OwnThreshold.load(kept["own"])
            self._pages, self.value = int(kept["pages"]), float(kept["value"])
            self._logged = self.value
        except (ValueError, KeyError, TypeError) as error:
            fault = f"is damaged ({type(error).__name__}: {error})"
            raise StateError(
                "the crawl's page threshold", fault, "put back a copy, or choose another JOBDIR"
            ) from error


def kept_threshold(notes: Notes) -> float | None:
    """What a crawl's threshold was last; None when it set none, or its note is damaged."""
    try:
        return float(json.loads(notes.get(NOTE) or "")["value"])
    except (ValueError, KeyError, TypeError):
        return None
