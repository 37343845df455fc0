"""All objects are looked through with every so many responses, and never by themselves."""

from __future__ import annotations

import gc

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from topiccrawler.engine import cycle_search


def test_the_search_comes_with_responses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: done.append(numbers))
    monkeypatch.setattr(gc, "collect", lambda: done.append("collect"))
    monkeypatch.setattr(cycle_search, "EVERY_RESPONSES", 3)
    crawler = get_crawler()
    cycle_search.search_seldom(crawler)
    assert done == ["freeze", (cycle_search.YOUNG_OBJECTS, cycle_search.MIDDLE, cycle_search.NEVER)]
    for _ in range(7):
        crawler.signals.send_catch_log(signals.response_received)
    assert done[2:] == ["collect", "collect"]
