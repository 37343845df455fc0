"""Continues a running crawl with its topic as it was taught: by a person (`scrapy topics teach`), or by second opinions."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.teaching import lessons_of
from topiccrawler.engine.control.changes import rescore, taught_parts
from topiccrawler.engine.control.waiting import slices
from topiccrawler.errors import ArgumentError

logger = logging.getLogger(__name__)

OPINIONS = "second opinions"  # who has answered, in teaching.json
CONTRAST_PAGES = (
    100  # most relevant ones, and as many near the threshold, with which the answered pages are compared
)


async def go_on_taught(crawl: Crawl, *, keep: bool) -> None:
    """Continue with the topic in the job's folder. `keep`: the strategy keeps what it has learned."""
    parts = taught_parts(crawl)
    if keep:
        parts.strategy.load(dict(crawl.strategy.save()))
    crawl.change_topic(parts, crawl.clock(), is_same=True)
    if keep:
        crawl.ordering.ask_refresh()
    else:
        async for links in slices(crawl):
            rescore(crawl, links)
    crawl.checkpoint()


async def teach_by_opinions(crawl: Crawl, answers: Mapping[str, bool]) -> None:
    """Teach the topic of a crawl by second opinions, URL -> whether the page is about it, and continue with it. What a person has
    answered stays. A topic that cannot be taught stays as it is."""
    files = crawl.files
    files.commit()
    pages = files.store
    rows = [*pages.best(limit=CONTRAST_PAGES), *pages.nearest(crawl.filter.threshold, CONTRAST_PAGES)]
    others = {record.url for row in dict.fromkeys(rows) if (record := pages.at(row)) is not None}
    few = False

    def running(keep: bool) -> int:
        nonlocal few
        few = keep
        return 0

    try:
        lessons = lessons_of(files.folder, others | answers.keys())
        new = {url: answer for url, answer in answers.items() if url not in lessons.by_persons}
        lessons.teach(new, running, by=OPINIONS)
    except ArgumentError as fault:
        logger.info("Second opinions do not teach the topic: %s", fault)
        return
    logger.info("The topic was taught by %d second opinions", len(new))
    await go_on_taught(crawl, keep=few)
