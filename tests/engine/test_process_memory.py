"""All objects are looked through with every so many responses, and never by themselves; freed memory is returned."""

import gc
import os
import platform
from pathlib import Path

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from topiccrawler.engine import process_memory


def test_the_search_comes_with_responses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: done.append(numbers))
    monkeypatch.setattr(gc, "collect", lambda: done.append("collect"))
    monkeypatch.setattr(process_memory, "EVERY_RESPONSES", 3)
    crawler = get_crawler()
    process_memory.search_seldom(crawler)
    assert done == ["freeze", (process_memory.YOUNG_OBJECTS, process_memory.MIDDLE, process_memory.NEVER)]
    for _ in range(7):
        crawler.signals.send_catch_log(signals.response_received)
    assert done[2:] == ["collect", "collect"]


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc returns memory when asked")
def test_freed_memory_is_returned() -> None:
    texts = [
        bytes(2_000 + number % 100) for number in range(20_000)
    ]  # too small for pages of memory of their own
    last = texts[-1]  # above them all in the C library's heap, so that it keeps them
    del texts
    before = resident_mb()
    process_memory.return_freed()
    assert last
    assert resident_mb() < before - 10
