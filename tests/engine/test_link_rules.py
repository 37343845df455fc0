"""Which links of a page may be queued, and what a leased one is given."""

from collections.abc import Sequence
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.settings import Settings
from scrapy.spidermiddlewares.depth import DepthMiddleware
from scrapy.spidermiddlewares.referer import RefererMiddleware
from scrapy.spidermiddlewares.urllength import UrlLengthMiddleware
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.admission import Admission
from topiccrawler.engine.link_rules import LinkRules
from topiccrawler.model import Link

LINKS = [
    Link("http://a.example/", "a.example", depth=1, source_url="http://a.example/s"),
    Link("http://www.a.example:81/", "www.a.example:81", depth=2, source_url="http://a.example/s"),
    Link("http://b.example/long", "b.example", depth=1, source_url="http://a.example/s"),
]


class AnyPath(OffsiteMiddleware):
    """A project's own rule."""

    def should_follow(self, request: Request, spider: Spider) -> bool:
        return request.url.endswith("long")


def rules_of(given: dict[str, Any], offsite: type[OffsiteMiddleware] | None = None) -> LinkRules:
    """With the middlewares as Scrapy makes them; `get_crawler` makes none."""
    crawler = get_crawler(Spider, given)
    crawler.spider = Spider("own", allowed_domains=["a.example"])
    return LinkRules(
        crawler,
        crawler.stats,
        DepthMiddleware.from_crawler(crawler),
        UrlLengthMiddleware.from_crawler(crawler),
        RefererMiddleware(Settings(given)),
        offsite.from_crawler(crawler) if offsite is not None else None,
    )


def offered(rules: LinkRules) -> Sequence[Link]:
    return Admission(rules.rules(), rules.refused).offered(LINKS)


@pytest.mark.parametrize(
    ("words", "offsite", "admitted", "counted"),
    [
        ({}, None, [0, 1, 2], {}),
        ({"DEPTH_LIMIT": 1}, None, [0, 2], {"depth/request_ignored_count": 1}),
        ({"URLLENGTH_LIMIT": 17}, None, [0], {"urllength/request_ignored_count": 2}),
        ({}, OffsiteMiddleware, [0, 1], {"offsite/filtered": 1, "offsite/domains": 1}),
        ({}, AnyPath, [0, 1, 2], {}),  # asked by the downloader, for each Request
    ],
)
def test_links_are_admitted_by_the_rules_for_requests(
    words: dict[str, Any],
    offsite: type[OffsiteMiddleware] | None,
    admitted: list[int],
    counted: dict[str, int],
) -> None:
    rules = rules_of(words, offsite)
    assert [LINKS.index(link) for link in offered(rules)] == admitted
    assert rules.stats.get_stats() == counted


def test_a_domain_is_counted_once_and_a_spider_may_change_its_mind() -> None:
    rules = rules_of({}, OffsiteMiddleware)
    for _ in range(2):
        offered(rules)
    assert rules.stats.get_stats() == {"offsite/filtered": 2, "offsite/domains": 1}
    rules.crawler.spider.allowed_domains = []
    assert offered(rules) == LINKS


def test_a_secret_page_does_not_tell_an_open_one_where_the_link_stood() -> None:
    rules = rules_of({})
    for source, sent in (
        ("https://bank.example/account", None),
        ("http://a.example/x#y", b"http://a.example/x"),
    ):
        request = Request("http://b.example/")
        rules.mark(request, Link(request.url, "b.example", source_url=source, depth=3))
        assert request.headers.get("Referer") == sent
        assert "allow_offsite" not in request.meta
    assert rules.stats.get_stats() == {"request_depth_max": 3}
