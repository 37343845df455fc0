"""How a crawl is refused, without a process of its own for each slip of a user."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from topiccrawler.spiders.links import LinksSpider
from topiccrawler.spiders.topic import TopicSpider

SPIDERS: dict[str, type[Spider]] = {spider.name: spider for spider in (TopicSpider, LinksSpider)}


@pytest.fixture(scope="session")
def refusal() -> Callable[..., str]:
    """`refusal("topic", {setting: value}, argument=value)`: what the spider says as it ends the process."""

    def refuse(spider: str, given: dict[str, object], **arguments: str) -> str:
        settings = Settings()
        settings.setmodule("topiccrawler.settings", priority="project")
        settings.setdict(given, priority="cmdline")
        kind = SPIDERS[spider]
        with pytest.raises(SystemExit) as end:
            kind.from_crawler(Crawler(kind, settings), **arguments)
        assert isinstance(end.value.code, str)  # the interpreter prints it and ends with status 1
        return end.value.code

    return refuse
