"""The pages of a job as they come, read beside the crawl that writes them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from topiccrawler.crawling.job_files import PAGES
from topiccrawler.crawling.page_stores import open_pages, stored_in
from topiccrawler.store.pages import PageRecord, PageStore

BATCH = 100  # pages read at a time


class Arrivals:
    """Each kept page once. Each look opens the file anew: looks may come from several threads, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last = 0  # row

    def new(self) -> list[PageRecord]:
        """Some of those that came since the last look; none when there are no more, or the crawl has not begun to write.

        StateError for a file that cannot be read.
        """
        if not PageStore.is_begun(self._folder / PAGES) and stored_in(self._folder) is None:
            return []
        with closing(open_pages(self._folder)) as store:
            found = store.after(self._last, BATCH)
        if found:
            self._last = found[-1][0]
        return [record for _, record in found]
