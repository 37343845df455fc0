"""Continues a running crawl with its topic as it was taught: by a person (`scrapy topics teach`), or by second opinions.

A person's command judges the stored pages again at once (crawling.judging). What second opinions teach judges them when the crawl has
ended, because it would wait for that: `judge_stored`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.judging import Judge, JudgedAgain, changes_of, queue_again, to_fetch_again
from topiccrawler.crawling.teaching import answered, lessons_of
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
    crawl.filter.answers = answered(crawl.files.folder)
    if keep:
        crawl.ordering.ask_refresh()
    else:
        async for links in slices(crawl):
            rescore(crawl, links)
    crawl.checkpoint()


async def teach_by_opinions(crawl: Crawl, answers: Mapping[str, bool]) -> bool:
    """Teach the topic of a crawl by second opinions, URL -> whether the page is about it, and continue with it. What a person has
    answered stays. A topic that cannot be taught stays as it is. Returns whether it was taught."""
    files = crawl.files
    files.commit()
    pages = files.store
    rows = [*pages.best(limit=CONTRAST_PAGES), *pages.nearest(crawl.filter.threshold, CONTRAST_PAGES)]
    others = {record.url for row in dict.fromkeys(rows) if (record := pages.at(row)) is not None}
    try:
        lessons = lessons_of(files.folder, others | answers.keys())
        new = {url: answer for url, answer in answers.items() if url not in lessons.by_persons}
        lessons.learn(new, by=OPINIONS)
        few = lessons.is_small()
        lessons.store()
    except ArgumentError as fault:
        logger.info("Second opinions do not teach the topic: %s", fault)
        return False
    logger.info("The topic was taught by %d second opinions", len(new))
    await go_on_taught(crawl, keep=few)
    await fetch_again(crawl)
    return True


async def fetch_again(crawl: Crawl) -> None:
    """Queue pages again that were off topic, whose text is not at hand, and that may be kept now."""
    crawl.files.commit()
    judge = _judge_of(crawl)
    for urls in to_fetch_again(crawl.files.folder, crawl.files.discarded, judge):
        if urls:
            queued = queue_again(crawl.frontier, urls, crawl.clock())
            logger.info("%d pages that were off topic are fetched again", queued)
        await asyncio.sleep(0)


def _judge_of(crawl: Crawl) -> Judge:
    """The judge of pages by the present topic of a crawl."""
    kept, given = crawl.filter, None if crawl.opinions is None else crawl.opinions.on_pages()
    classifier, limits = crawl.parts.page_classifier, kept.restrictions
    return Judge(crawl.topic, classifier, kept.answers, kept.threshold, given, limits, crawl.known)


async def judge_stored(crawl: Crawl) -> None:
    """Judge the stored pages of a crawl by its present topic, in slices between which other work goes on. Nothing is queued again."""
    files = crawl.files
    files.commit()
    judge, found = _judge_of(crawl), JudgedAgain()
    try:
        for changes in changes_of(files.store, files.discarded, judge, found, {}):
            changes.write(files.store, files.discarded, crawl.keep, crawl.clock())
            await asyncio.sleep(0)
    finally:  # also of what was written when the time for the last opinions is over
        crawl.correct_counts(found.gained, found.copies, found.kinds, found.formats)
        files.commit()
    logger.info(
        "Stored pages were judged again: %d refused, %d restored, %d found",
        *(found.refused, found.restored, found.found),
    )
