"""The files of one job, in its JOBDIR or its folder of TOPIC_DATA_DIR."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from topiccrawler.store.duplicates import DuplicateIndex
from topiccrawler.store.pages import PageStore
from topiccrawler.store.visits import VisitLog

PAGES, DUPLICATES, VISITS = "pages.sqlite", "duplicates.sqlite", "visits.jsonl"
FRONTIER = "frontier.sqlite"  # with JOBDIR only
LINKS = "links.jsonl"  # of `scrapy crawl links`


class JobFiles:
    """The files of one job, in a folder that is made when the first of them is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def store(self) -> PageStore:
        """The pages."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return PageStore(self.folder / PAGES)

    @cached_property
    def duplicates(self) -> DuplicateIndex:
        """Fingerprints of the pages."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return DuplicateIndex(self.folder / DUPLICATES)

    @cached_property
    def visits(self) -> VisitLog:
        """The crawl log."""
        return VisitLog(self.folder / VISITS)

    def commit(self) -> None:
        """Make the pages and visits so far durable; before the frontier hears of them."""
        if "duplicates" in self.__dict__:
            self.duplicates.commit()
        if "store" in self.__dict__:
            self.store.commit()
        self.visits.commit()

    def close(self) -> None:
        """Commit and let go."""
        self.commit()
        for name in ("duplicates", "store"):
            if name in self.__dict__:
                getattr(self, name).close()
