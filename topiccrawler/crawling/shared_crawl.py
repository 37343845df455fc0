"""A crawl in Redis as `scrapy explain` looks at it: its queue and its recipe; pages and logs are with the processes."""

from __future__ import annotations

from pathlib import Path

from topiccrawler.crawling.history import PastCrawl
from topiccrawler.crawling.job_files import VISITS
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.redis.view import RedisView


class SharedCrawl(PastCrawl):
    """The queue, with what the first of the processes has learned."""

    def __init__(self, url: str, job: str) -> None:
        view = RedisView(url, job)
        self.folder = Path(f"Redis job {job}")
        self.recipe = Recipe.from_json(view.made_of, view.name)
        self._frontier, self._store = view, None
        self._log = self.folder / VISITS  # there is none
