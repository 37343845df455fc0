"""Stores a random sample of the pages off topic, of fixed size: the pages whose URLs have the smallest hashes.

The sample depends on the URLs alone, not on the order of pages or on how often a crawl was resumed. Each page has the same probability.
"""

from __future__ import annotations

import heapq
from hashlib import blake2b
from pathlib import Path

from topiccrawler.job_database import JobDatabase, storable
from topiccrawler.store.page_store import StoredPages
from topiccrawler.store.pages import PageRecord


class PageSample(StoredPages):
    """A random sample of at most `size` pages; 0 = none."""

    name, table = "samples", "samples WHERE true"

    def __init__(self, place: JobDatabase | Path | str, size: int = 0) -> None:
        super().__init__(place)
        self.size = size
        self._heap = [(-_number(url), url) for (url,) in self._rows("url", "true")]  # the largest hash first
        heapq.heapify(self._heap)

    def add(self, record: PageRecord) -> None:
        """Store the page if it belongs to the sample, in place of the page with the largest hash if the sample is full."""
        entry = (-_number(record.url), record.url)
        if len(self._heap) >= self.size and (not self._heap or entry < self._heap[0]):
            return
        if self.get(record.url) is None:
            heapq.heappush(self._heap, entry)
        self.put(record)
        while len(self._heap) > self.size:
            self.database.write(
                "DELETE FROM samples WHERE url = ?", (storable(heapq.heappop(self._heap)[1]),)
            )


def _number(url: str) -> int:
    return int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=8).digest())
