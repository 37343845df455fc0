"""How a crawl is refused, without a process of its own for each slip of a user."""

from collections.abc import Callable

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings

from topiccrawler.errors import CrawlerError
from topiccrawler.spiders.links import LinksSpider
from topiccrawler.spiders.topic import TopicSpider

SPIDERS: dict[str, type[Spider]] = {spider.name: spider for spider in (TopicSpider, LinksSpider)}


@pytest.fixture(scope="session")
def refusal(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """`refusal("topic", {setting: value}, argument=value)`: what the spider says as it refuses to be made."""
    data = tmp_path_factory.mktemp("data")

    def refuse(spider: str, words: dict[str, object], **arguments: str) -> str:
        settings = Settings()
        settings.setmodule("topiccrawler.settings", priority="project")
        settings.setdict({"TOPIC_DATA_DIR": str(data), **words}, priority="cmdline")
        kind = SPIDERS[spider]
        with pytest.raises(CrawlerError) as refused:
            kind.from_crawler(Crawler(kind, settings), **arguments)
        said = str(refused.value)
        assert "\n" not in said
        return said

    return refuse
