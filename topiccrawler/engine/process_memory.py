"""Tunes Python's memory management for a crawl that has its process to itself.

`search_seldom` makes garbage collections rare. A page makes thousands of tuples, which are freed by reference counts. By default Python
would still search for cycles every 700 objects, through models, word lists and the queue's ranks: a sixth of a crawl's CPU time. After ten
thousand pages one full collection takes 250 ms, so it runs when a response arrives, not within a slice of rescoring.

`return_freed` returns memory to the system that was freed while models and topics were read: 9 MB with a topic of the catalogue, 20 MB with
the user's own words. The C library would keep it for the process.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

from scrapy import signals
from scrapy.crawler import Crawler

YOUNG_OBJECTS = 10_000  # threshold of generation 0; larger = fewer collections, more garbage in memory
MIDDLE = 3  # collections of generation 0 before one of generation 1
NEVER = 1_000_000_000
EVERY_RESPONSES = 2_000  # responses between two full collections


def search_seldom(crawler: Crawler) -> None:
    """Collect garbage rarely from now on, and completely every EVERY_RESPONSES responses. This affects the whole process, so use it only
    for a crawl that has its process to itself."""
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
    """Return freed memory to the system; no effect where the C library (other than glibc) cannot do it."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
