"""A crawl of a drawn web, and how one is refused without a process of its own for each slip of a user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import Crawl, Crawled, crawl_words
from forked_scrapy import ForkedScrapy
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


@pytest.fixture
def crawl(forked_scrapy: ForkedScrapy, draw_web: Callable[..., Any], tmp_path: Path) -> Crawl:
    """`crawl({url: page}, pages=3, TOPIC_DUPLICATES="keep")`: a crawl to its end, in a job of this name; `code`: how it must end; without a web
    it is on servers of loopback."""

    def run(
        web: Any, *more: str, job: str = "job", code: int = 0, constants: Mapping[str, float] = {},
        environment: Mapping[str, str] = {}, **options: object,
    ) -> Crawled:  # fmt: skip
        web = draw_web(web) if isinstance(web, dict) else web
        proxy = web.proxy if web else None
        words = crawl_words(tmp_path / job, *more, **options)
        ran = forked_scrapy(*words, proxy=proxy, constants=constants, **environment)
        assert ran.code == code, ran.err
        return Crawled(**asdict(ran), web=web, job=tmp_path / job)

    return run
