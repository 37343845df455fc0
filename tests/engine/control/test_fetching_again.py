"""A running crawl that was taught fetches pages again that were off topic, if pages like them are kept now."""

import asyncio
from dataclasses import replace
from pathlib import Path

from page_records import PAGE

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.page_filter import OFF_TOPIC
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.control.relearning import fetch_again
from topiccrawler.frontier.base import State
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Score, Visit


def test_pages_as_relevant_as_sampled_ones_that_are_kept_now_wait_again(tmp_path: Path) -> None:
    relevances = {
        f"http://{name}.example/": at for name, at in (("sampled", 0.2), ("near", 0.25), ("far", 0.1))
    }
    recipe = Recipe("finance", "breadth_first")
    files = JobFiles(tmp_path / "job", recipe, discarded=1)
    crawl = Crawl(assemble(recipe), MemoryFrontier(), files=files)
    files.begin()
    for url, relevance in relevances.items():
        crawl.frontier.push([(Link(url, url[7:-1]), Score(url, 0.5))], now=1.0)
        assert crawl.frontier.lease(1.0) is not None
        crawl.frontier.end(url, State.DISCARDED, OFF_TOPIC, 2.0)
        files.visits.append(Visit(url, 200, 0.5, relevance, stored=False, time=2.0))
    files.discarded.add(
        replace(
            PAGE,
            url="http://sampled.example/",
            keywords="",
            description="",
            title="天气",
            text="周末天气晴朗，适合出门散步。" * 20,
            relevance=0.2,
            stored=False,
            evidence=b"",
        )
    )

    asyncio.run(fetch_again(crawl))
    assert list(crawl.frontier.look().queued()) == []  # as before, none of them is about finance
    crawl.filter.answers = {"http://sampled.example/": True}
    asyncio.run(fetch_again(crawl))
    assert [link.url for link in crawl.frontier.look().queued()] == ["http://near.example/"]
    files.close()
