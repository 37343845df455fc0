"""When Python looks for cycles of objects that nothing else holds: seldom, and not in the middle of a page.

A page makes thousands of tuples that soon go by themselves; Python would look through them every 700, and through models, word lists
and the queue's ranks, which stay as long as the crawl: a sixth of a crawl's CPU. After ten thousand pages one look through
everything takes 250 ms, so it comes with a response, not whenever it falls due, which may be in a slice of rescoring.
"""

from __future__ import annotations

import gc

from scrapy import signals
from scrapy.crawler import Crawler

YOUNG_OBJECTS = 10_000  # looked through at this many; more pages in memory, fewer looks
MIDDLE = 3  # looks through the young ones before those that stayed are looked through
NEVER = 1_000_000_000
EVERY_RESPONSES = 2_000  # all objects are looked through


def search_seldom(crawler: Crawler) -> None:
    """From now on, in this process. For a crawl that has its process to itself: it is the whole process's setting."""
    responses = 0

    def count() -> None:
        nonlocal responses
        responses += 1
        if responses % EVERY_RESPONSES == 0:
            gc.collect()

    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, MIDDLE, NEVER)
    crawler.signals.connect(count, signals.response_received, weak=False)
