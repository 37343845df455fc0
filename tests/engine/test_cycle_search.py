"""All objects are looked through with every so many responses, and never by themselves."""

from __future__ import annotations

import gc

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from topiccrawler.engine import progress


def test_the_search_comes_with_responses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: done.append(numbers))
    monkeypatch.setattr(gc, "collect", lambda: done.append("collect"))
    monkeypatch.setattr(progress, "EVERY_RESPONSES", 3)
    crawler = get_crawler()
    progress.search_seldom(crawler)
    assert done == ["freeze", (progress.YOUNG_OBJECTS, progress.MIDDLE, progress.NEVER)]
    for _ in range(7):
        crawler.signals.send_catch_log(signals.response_received)
    assert done[2:] == ["collect", "collect"]
