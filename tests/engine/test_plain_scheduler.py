"""Who gets Scrapy's scheduler where SCHEDULER is ours, and what is ours for them."""

from pathlib import Path

from scrapy import Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter, RFPDupeFilter
from scrapy.utils.spider import DefaultSpider
from scrapy.utils.test import get_crawler

from topiccrawler.engine.scheduler import FocusedScheduler


def crawler_of(kind: type[Spider], jobdir: Path) -> Crawler:
    crawler = get_crawler(kind, {"JOBDIR": str(jobdir)})
    crawler.spider = kind("plain")
    return crawler


def test_a_spider_without_a_topic_has_scrapys_queue_and_dupefilter_in_its_jobdir(tmp_path: Path) -> None:
    scheduler = FocusedScheduler.from_crawler(crawler_of(Spider, tmp_path))
    assert type(scheduler) is Scheduler
    assert type(scheduler.df) is RFPDupeFilter
    assert {path.name for path in tmp_path.iterdir()} == {"requests.queue", "requests.seen"}
    scheduler.df.close("finished")


def test_shell_and_fetch_keep_nothing_in_the_folder_of_a_job(tmp_path: Path) -> None:
    crawler = crawler_of(DefaultSpider, tmp_path)
    for spider in (crawler.spider, None):
        crawler.spider = spider
        scheduler = FocusedScheduler.from_crawler(crawler)
        assert (type(scheduler), type(scheduler.df)) == (Scheduler, BaseDupeFilter)
    assert list(tmp_path.iterdir()) == []
