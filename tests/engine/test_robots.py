"""robots.txt kept small answers as Scrapy's own parser does, where that is right."""

import pytest
from scrapy import Request
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.outages import Outages
from topiccrawler.crawling.site_listings import SiteListings
from topiccrawler.engine.politeness import Politeness
from topiccrawler.engine.robots import MOST_BYTES, CompactRobotParser
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Page

RULES = b"User-agent: *\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 2.5\n\nUser-agent: bad\nDisallow: /\n"
BODIES = [
    b"",
    RULES,
    b"\xef\xbb\xbf" + RULES.replace(b"\n", b"\r\n"),
    "User-agent: *\nDisallow: /基金/\n".encode(),
    b"<!DOCTYPE html><title>404</title>",
    b"\x00\xff\xfe" * 100,
]


@pytest.mark.parametrize("body", BODIES)
def test_it_answers_as_protego(body: bytes) -> None:
    ours, theirs = CompactRobotParser(body), ProtegoRobotParser(body, None)
    for path in ("", "private/x", "private/open", "%E5%9F%BA%E9%87%91/a"):
        for agent in ("topiccrawler/0.1", b"bad"):
            assert ours.allowed(f"http://a.cn/{path}", agent) == theirs.allowed(f"http://a.cn/{path}", agent)
            assert ours.crawl_delay(agent) == theirs.crawl_delay(agent)


def test_sitemap_lines_are_declared_for_the_host_that_was_asked() -> None:
    hosts = Hosts()
    listings = SiteListings(MemoryFrontier(hosts).notes, after=1)
    polite = Politeness(
        hosts, Outages(hosts), lambda: 0.0, StatsCollector(get_crawler()), {}, listings=listings, user_agent="x",
    )  # fmt: skip
    body = b"User-agent: *\nSitemap: /map.xml\nSitemap: http://a.cn:81/b.xml\n" + b"Sitemap: x\n" * 50
    polite.robots_parsed(CompactRobotParser(body), Request("http://A.cn/page"))
    found = listings.of(Page("http://a.cn/1", is_target=True))
    assert [link.url for link, _ in found] == ["http://a.cn/map.xml", "http://a.cn/x"]


def test_of_an_endless_file_only_the_beginning_counts() -> None:
    body = b"User-agent: *\n" + b"# nothing\n" * (MOST_BYTES // 10) + b"Disallow: /\n"
    assert CompactRobotParser(body).allowed("http://a.cn/", "x")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("left", range(12))
def test_the_line_that_an_endless_file_is_cut_in_does_not_count(end: bytes, left: int) -> None:
    begin = b"User-agent: *" + end + b"Disallow: /closed/" + end
    filler = b"#" * (MOST_BYTES - len(begin) - len(end) - len(b"Disallow: /") - left) + end
    parser = CompactRobotParser(begin + filler + b"Disallow: /private/" + end)
    assert parser.allowed("http://a.cn/news", "x")
    assert not parser.allowed("http://a.cn/closed/", "x")


def test_of_an_endless_line_nothing_counts() -> None:
    assert CompactRobotParser(b"User-agent: * " * MOST_BYTES).allowed("http://a.cn/", "x")
