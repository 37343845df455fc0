"""A crawl on a server of several processes as `scrapy explain` looks at it: its queue and its recipe, and its pages when they lie in a database; logs are with the
processes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from topiccrawler.crawling.explanation import PastCrawl
from topiccrawler.crawling.learning import DAMAGED, load_state
from topiccrawler.crawling.page_stores import open_stored
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.servers import SharedView
from topiccrawler.errors import CrawlerError, StateError
from topiccrawler.strategies.base import Strategy


class SharedCrawl(PastCrawl):
    """The queue, with what its learner published last."""

    def __init__(self, view: SharedView, job: str) -> None:
        self.folder = Path(f"job {job}")
        self.recipe = Recipe.from_json(view.made_of, view.name)
        self._frontier = view
        self._store = None
        if self.recipe.store:
            with suppress(CrawlerError):  # what it has is then unknown
                self._store = open_stored(self.recipe.store, self.recipe.store_job)
        self._learned = view.learned()

    def _learn(self, strategy: Strategy) -> None:
        if self._learned is None:
            return
        try:
            load_state(strategy, self._learned.text)
        except DAMAGED as error:
            fault = f"is damaged ({type(error).__name__}: {error})"
            raise StateError(
                f"state {self._learned.number} of {self.folder}", fault, "wait for the next one"
            ) from None
