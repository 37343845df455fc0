"""What schedules a spider without a topic where SCHEDULER is ours: Scrapy's own scheduler, with dupefilter, disk queue and all.

`scrapy shell` and `fetch` have a spider of their own. They get one that keeps nothing: on disk Scrapy would lose what they wait
for, and write into the folder of a job of ours.
"""

from __future__ import annotations

from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.spider import DefaultSpider


def plain_scheduler(crawler: Crawler) -> Scheduler:
    """Scrapy's; `shell` makes its spider last, so it has none yet."""
    if crawler.spider is not None and not isinstance(crawler.spider, DefaultSpider):
        return build_from_crawler(Scheduler, crawler)
    settings = crawler.settings
    return Scheduler(
        BaseDupeFilter(),
        mqclass=load_object(settings["SCHEDULER_MEMORY_QUEUE"]),
        pqclass=load_object(settings["SCHEDULER_PRIORITY_QUEUE"]),
        stats=crawler.stats,
        crawler=crawler,
    )
