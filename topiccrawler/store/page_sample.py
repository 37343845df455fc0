"""Stores a random sample of the pages off topic, of fixed size: the pages whose URLs have the smallest hashes.

The sample depends on the URLs alone, not on the order of pages or on how often a crawl was resumed. Each page has the same probability.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
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
        self._urls = {url for _, url in self._heap}

    def takes(self, url: str) -> bool:
        """Whether the page of a URL belongs to the sample by now."""
        return len(self._heap) < self.size or (bool(self._heap) and (-_number(url), url) >= self._heap[0])

    def add(self, record: PageRecord) -> None:
        """Store the page if it belongs to the sample, in place of the page with the largest hash if the sample is full."""
        if not self.takes(record.url):
            return
        entry = (-_number(record.url), record.url)
        if record.url not in self._urls:
            heapq.heappush(self._heap, entry)
            self._urls.add(record.url)
        self.put(record)
        while len(self._heap) > self.size:
            self._delete(heapq.heappop(self._heap)[1])

    def delete(self, url: str) -> None:
        """Remove the page with a URL, if there is one."""
        self._heap = [entry for entry in self._heap if entry[1] != url]
        heapq.heapify(self._heap)
        self._delete(url)

    def judge_pages(self, relevances: Mapping[str, float]) -> None:
        """Set what judging pages again has found: their relevance, by URL."""
        rows = [(storable(relevance), storable(url)) for url, relevance in relevances.items()]
        self.database.write_many("UPDATE samples SET relevance = ? WHERE url = ?", rows)

    def _delete(self, url: str) -> None:
        self._urls.discard(url)
        self.database.write("DELETE FROM samples WHERE url = ?", (storable(url),))


def _number(url: str) -> int:
    return int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=8).digest())
