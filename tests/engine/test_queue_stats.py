import json
import logging

import pytest
from message_facts import numbers
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.harvest import HarvestCounter
from topiccrawler.crawling.job_files import NOTE, noted_waits
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.engine.queue_stats import QueueStats
from topiccrawler.frontier.budgets import Budgets
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Score
from topiccrawler.strategies import build


@pytest.fixture
def frontier() -> MemoryFrontier:
    made = MemoryFrontier()
    urls = [f"http://{host}.cn/{number}" for host in "abcd" for number in range(2)]
    made.push([(Link(url, url[7:11]), Score(url, 0.0)) for url in urls], now=0.0)
    return made


def queue_stats(frontier: MemoryFrontier) -> tuple[QueueStats, Ordering, StatsCollector]:
    ordering = Ordering(build("breadth_first"), frontier, Budgets(frontier))
    stats = StatsCollector(get_crawler())
    return QueueStats(ordering, HarvestCounter(), stats), ordering, stats


def ours(stats: StatsCollector) -> dict[str, object]:
    return {
        key.removeprefix("frontier/"): value
        for key, value in stats.get_stats().items()
        if key[:9] == "frontier/"
    }


def test_a_resumed_crawl_keeps_the_back_offs_servers_asked_for_and_no_others(
    frontier: MemoryFrontier,
) -> None:
    waits = [
        ["a.cn", "retry-after", 100.0],
        ["b.cn", "back-off", 5.0],
        ["c.cn", "delay", 90.0],
        ["d.cn", "host budget", None],
    ]
    frontier.notes.put(NOTE, json.dumps(waits))
    displayed, _, _ = queue_stats(frontier)
    displayed.restore(10.0)
    assert list(frontier.hosts.waiting(10.0)) == [("a.cn", "retry-after", 100.0)]


def test_the_last_word_counts_urls_by_state_and_those_over_budget(
    frontier: MemoryFrontier, caplog: pytest.LogCaptureFixture
) -> None:
    displayed, ordering, stats = queue_stats(frontier)
    assert ordering.budgets is not None
    ordering.budgets.close("b.cn", "host budget")
    with caplog.at_level(logging.INFO):
        displayed.finish(0.0)
    assert (ours(stats)["urls/waiting"], ours(stats)["urls/over_budget"]) == (8, 2)
    assert [
        "b.cn" in caplog.messages[0],
        "FRONTIER_HOST_PAGES" in caplog.messages[0],
        numbers(caplog.messages[1]),
    ] == [True, True, ["2", "1"]]
    assert stats.get_value("topic/pages") == 0


@pytest.mark.parametrize("text", [None, "", "{", "3", "[1]", '[["a", "b"]]', '[["a", "b", "c"]]'])
def test_a_damaged_note_says_nothing(text: str | None) -> None:
    assert noted_waits(text) == []
