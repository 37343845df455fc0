"""A setting of Scrapy that cannot be obeyed in a crawl by topic is refused in one line."""

from typing import Any

import pytest
from message_facts import one_line
from scrapy.settings import Settings

from topiccrawler.engine.focused_spider import refuse_settings
from topiccrawler.errors import ArgumentError

CHANGED: dict[str, Any] = {
    "DEPTH_PRIORITY": "soon",
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_START_DISK_QUEUE": None,
    "SCHEDULER_START_MEMORY_QUEUE": "scrapy.squeues.LifoMemoryQueue",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "CONCURRENT_REQUESTS_PER_IP": 4,
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_cannot_be_obeyed_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ArgumentError, match=one_line(f'put "{name}": ', begin=f"{name}={CHANGED[name]!r}: ")):
        refuse_settings(Settings({name: CHANGED[name]}))
