"""Python's memory, for a crawl that has its process to itself.

A page makes thousands of tuples that are freed by reference counts. Python would still look for cycles every 700 objects, through models,
word lists and the queue's ranks: a sixth of a crawl's CPU. So it looks seldom. After ten thousand pages one full collection takes 250 ms, so
it runs with a response, not in a slice of rescoring.

What was freed while models and topics were read stays with the process, 9 MB with a topic of the catalogue, 20 MB with words of one's own,
unless the C library is asked to return it.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

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


def return_freed() -> None:
    """Return freed memory to the system, where the C library can (glibc)."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
