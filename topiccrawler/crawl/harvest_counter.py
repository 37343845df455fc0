"""How the crawl is doing: pages fetched, pages kept, and the harvest rate, of all pages and of the last ones."""

from __future__ import annotations

import json
from collections import deque

RECENT_PAGES = 200


class HarvestCounter:
    """Counts pages over a whole job; its note in the frontier lets a resumed job count on."""

    NOTE = "harvest"

    def __init__(self, note: str | None = None) -> None:
        kept = json.loads(note) if note else {}
        self.pages: int = kept.get("pages", 0)
        self.kept: int = kept.get("kept", 0)
        self._recent: deque[bool] = deque(maxlen=RECENT_PAGES)

    def add(self, *, kept: bool) -> None:
        """Count one page that was fetched and read."""
        self.pages += 1
        self.kept += kept
        self._recent.append(kept)

    @property
    def harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, over the whole job."""
        return self.kept / self.pages if self.pages else 0.0

    @property
    def recent_harvest_rate(self) -> float:
        """The same over the last 200 pages of this run."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def note(self) -> str:
        """What a resumed job needs to count on."""
        return json.dumps({"pages": self.pages, "kept": self.kept})
