"""A project of another name: a spider with a topic has every value of our settings.py, below what the project says itself."""

from pathlib import Path
from typing import Any

import pytest
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.misc import load_object

from topiccrawler import settings as ours
from topiccrawler.engine.defaults import IDENTITY, NAMED
from topiccrawler.engine.middlewares import OutlinksMiddleware
from topiccrawler.spiders.topic import TopicSpider

OURS = {name: value for name, value in vars(ours).items() if name.isupper()}


class Funds(TopicSpider):
    """A stranger's spider."""

    name = "funds"


def test_each_of_our_settings_is_delivered() -> None:
    settings = Crawler(Funds, {"BOT_NAME": "other"}).settings
    assert settings["BOT_NAME"] == "other"
    assert set(OURS) >= IDENTITY
    for name in set(OURS) - IDENTITY:
        configured = settings[name]
        if name in NAMED:
            assert configured.copy_to_dict() == OURS[name], name
        elif isinstance(OURS[name], dict):
            expected = {load_object(path): position for path, position in OURS[name].items()}
            assert {load_object(kind): position for kind, position in configured.items()} == expected, name
        else:
            assert configured == OURS[name], name
            assert (settings.getpriority(name) or 0) <= SETTINGS_PRIORITIES["addon"], name


@pytest.mark.parametrize("priority", ["project", "cmdline"])
def test_what_others_set_wins(priority: str) -> None:
    own = {"TOPIC_DATA_DIR": "elsewhere", "DOWNLOAD_DELAY": 7, "EXTENSIONS": {OutlinksMiddleware: None}}
    settings = Settings()
    settings.setdict(own, priority)
    found = Crawler(Funds, settings).settings
    assert (found["TOPIC_DATA_DIR"], found["DOWNLOAD_DELAY"]) == ("elsewhere", 7)
    assert found["EXTENSIONS"][OutlinksMiddleware] is None
    assert len(found["EXTENSIONS"]) == 1 + len(ours.EXTENSIONS)


def test_a_handler_or_exporter_of_the_project_stays() -> None:
    settings = Settings()
    settings.setdict({"DOWNLOAD_HANDLERS": {"http": "own.Handler", "ftp": None}}, "project")
    handlers = Crawler(Funds, settings).settings.getwithbase("DOWNLOAD_HANDLERS")
    assert (handlers["http"], handlers["ftp"]) == ("own.Handler", None)
    assert handlers["https"] == ours.DOWNLOAD_HANDLERS["https"]


def test_a_runner_that_puts_its_settings_over_those_of_a_crawler_takes_nothing_away(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"TOPIC_DATA_DIR": str(tmp_path), "SPIDER_MIDDLEWARES": {}, "ADDONS": {}}
    runner = AsyncCrawlerRunner(settings)
    crawler = runner.create_crawler(runner.create_crawler(Funds))  # as `scrapy crawl` does
    made = Funds.from_crawler(crawler, topic="finance", strategy="breadth_first", seeds="http://a.example/")
    made.crawl.files.abandon()
    assert OutlinksMiddleware in crawler.settings["SPIDER_MIDDLEWARES"]
    assert list(crawler.settings["ADDONS"].values()) == [500]
