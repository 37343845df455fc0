"""How the crawl is doing: pages fetched, relevant and kept, of which formats, and the harvest rate, of all pages and of the last ones."""

from __future__ import annotations

import json
from collections import Counter, deque

from topiccrawler.errors import StateError

RECENT_PAGES = 200


class HarvestCounter:
    """Counts pages over a whole job; its note in the frontier lets a resumed job count on.

    `begun_with`: pages of earlier runs. `formats`: pages kept, by format; `copies`: those kept without text.
    """

    NOTE = "harvest"

    def __init__(self, note: str | None = None) -> None:
        try:
            kept = json.loads(note) if note else {}
            self.pages, self.relevant, self.kept, self.copies = (
                int(kept.get(name, 0)) for name in ("pages", "relevant", "kept", "copies")
            )
            self.formats: Counter[str] = Counter(kept.get("formats", {}))
        except (ValueError, TypeError, AttributeError) as error:
            raise StateError(
                "the job's page counts", f"are damaged ({error})", "choose another JOBDIR"
            ) from None
        self.begun_with = self.pages
        self._recent: deque[bool] = deque(maxlen=RECENT_PAGES)

    def add(self, *, kept: bool, relevant: bool = False, format: str = "", copy: bool = False) -> None:  # noqa: A002
        """Count one page that was fetched and read; `format` and `copy` of one that was kept."""
        self.pages += 1
        self.relevant += relevant
        self.kept += kept
        self.copies += copy
        if kept and format:
            self.formats[format] += 1
        self._recent.append(kept)

    @property
    def harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, over the whole job."""
        return self.kept / self.pages if self.pages else 0.0

    @property
    def recent_pages(self) -> int:
        """How many pages `recent_harvest_rate` is of: the last of this run, 200 at most."""
        return len(self._recent)

    @property
    def recent_harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, of these."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def note(self) -> str:
        """What a resumed job needs to count on."""
        counts = {name: getattr(self, name) for name in ("pages", "relevant", "kept", "copies", "formats")}
        return json.dumps(counts)
