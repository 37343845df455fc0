"""Stores a random sample of pages of fixed size: the pages whose URLs have the smallest hashes.

The sample depends on the URLs alone, not on the order of pages or on how often a crawl was resumed. Each page has the same probability.
"""

from __future__ import annotations

import heapq
from hashlib import blake2b
from pathlib import Path

from topiccrawler.store.pages import PageRecord, PageStore


class PageSample(PageStore):
    """A random sample of at most `size` pages, in one file; 0 = none. Nothing is durable before commit()."""

    what = "sample of pages"

    def __init__(self, path: Path | str, size: int) -> None:
        self.size = size
        super().__init__(path)
        urls = (record.url for record in self.records())
        self._heap = [(-_number(url), url) for url in urls]  # the largest hash first
        heapq.heapify(self._heap)

    def takes(self, url: str) -> bool:
        """Whether the page of a URL belongs to the sample by now."""
        return len(self._heap) < self.size or (bool(self._heap) and (-_number(url), url) >= self._heap[0])

    def add(self, record: PageRecord) -> None:
        """Store the page if it belongs to the sample, in place of the page with the largest hash if the sample is full."""
        if not self.takes(record.url):
            return
        entry = (-_number(record.url), record.url)
        if self.get(record.url) is None:
            heapq.heappush(self._heap, entry)
        self.put(record)
        while len(self._heap) > self.size:
            self.delete(heapq.heappop(self._heap)[1])


def _number(url: str) -> int:
    return int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=8).digest())
