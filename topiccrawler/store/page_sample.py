"""A random sample of pages, as many as asked for, however many come: those whose URLs have the smallest hashes.

Which pages stay depends on their URLs alone, not on when they come or how often a crawl was resumed; each has the same chance.
"""

from __future__ import annotations

import heapq
from hashlib import blake2b
from pathlib import Path

from topiccrawler.store.pages import PageRecord, PageStore


class PageSample(PageStore):
    """At most `size` pages by URL; 0 keeps none. Nothing is durable before commit()."""

    what = "sample of pages"

    def __init__(self, path: Path | str, size: int) -> None:
        self.size = size
        super().__init__(path)
        urls = (record.url for record in self.records())
        self._heap = [(-_number(url), url) for url in urls]  # the largest hash first
        heapq.heapify(self._heap)

    def add(self, record: PageRecord) -> None:
        """Keep the page if it is among the sample."""
        entry = (-_number(record.url), record.url)
        if len(self._heap) >= self.size and (not self._heap or entry < self._heap[0]):
            return
        if self.get(record.url) is None:
            heapq.heappush(self._heap, entry)
        self.put(record)
        while len(self._heap) > self.size:
            self.delete(heapq.heappop(self._heap)[1])


def _number(url: str) -> int:
    return int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=8).digest())
