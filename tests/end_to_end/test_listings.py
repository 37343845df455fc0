"""Sites whose pages stand in a sitemap or feed alone: crawled with TOPIC_LISTINGS, killed in the middle, and left without it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, Crawl, crawl_words
from drawn_web import answer

pytestmark = pytest.mark.slow

HOME, MAP, FEED = "http://a.example/", "http://a.example/map.xml", "http://a.example/rss"
XML = {"Content-Type": "application/xml"}
HIDDEN = [f"http://a.example/hidden/{number}" for number in range(5)]
FED = "http://a.example/fed"


@pytest.fixture
def pages() -> dict[str, Any]:
    """Two pages that link each other; robots.txt names a sitemap and a page a feed, which list all others."""
    locations = "".join(f"<url><loc>{url}</loc></url>" for url in HIDDEN)
    entry = f"<item><title>基金周报</title><link>{FED}</link></item>"
    feed = "<link rel=alternate type=application/rss+xml href=/rss>"
    return {
        "http://a.example/robots.txt": answer(200, f"User-agent: *\nSitemap: {MAP}\n".encode()),
        HOME: f"<title>首页</title><p>{FUNDS}</p><a href=/second>基金</a>",
        "http://a.example/second": f"<head><title>二</title>{feed}</head><p>{FUNDS}</p><a href=/>首页</a>",
        MAP: answer(200, f"<urlset>{locations}</urlset>".encode(), **XML),
        FEED: answer(200, f"<rss><channel><title>财经</title>{entry}</channel></rss>".encode(), **XML),
        **{url: f"<title>第{url[-1]}页</title><p>{FUNDS}</p>" for url in [*HIDDEN, FED]},
    }


OPTIONS = {"seeds": HOME, "strategy": None, "CONCURRENT_REQUESTS": 1, "TOPIC_LISTINGS": True}


def test_pages_that_stand_in_listings_alone_are_found_and_the_listings_asked_once(
    crawl: Crawl, pages: dict[str, Any]
) -> None:
    ran = crawl(pages, **OPTIONS)
    fetched = ran.web.fetched()
    assert set(fetched) == set(pages) - {"http://a.example/robots.txt"}
    assert (fetched.count(MAP), fetched.count(FEED)) == (1, 1)
    assert "'topic/listings/sites': 1" in ran.err
    assert "'topic/listings/read': 2" in ran.err


def test_a_crawl_killed_while_it_reads_a_listing_goes_on_with_it(
    draw_web: Any, forked_scrapy: Any, pages: dict[str, Any], tmp_path: Path
) -> None:
    started: list[Any] = []
    listing = pages[MAP]

    def kill_then_answer() -> Any:
        if len(started) == 1:
            started[0].kill()
        return listing

    web, job = draw_web({**pages, MAP: kill_then_answer}), tmp_path / "job"
    words = crawl_words(job, **OPTIONS)
    started.append(forked_scrapy.begin(*words, proxy=web.proxy))
    assert started[0].wait(60).code != 0
    web.settle()
    before = len(web.fetched())
    started.append(forked_scrapy.begin(*words, proxy=web.proxy))
    ran = started[1].wait(60)
    assert ran.code == 0, ran.err
    after = web.fetched()[before:]
    assert sorted(after) == sorted({MAP, FEED, FED, *HIDDEN} - set(web.fetched()[:before]) | {MAP})
    with closing(sqlite3.connect(job / "job.sqlite")) as database:
        notes = dict(database.execute("SELECT name, text FROM notes WHERE name LIKE 'listings/%'"))
    assert notes == {"listings/a.example": "asked"}
