"""Settings of Scrapy that our road could bypass, in crawls over real HTTP (docs/settings.md has the table of all)."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, HUB, Crawl, crawl_words, json_lines
from drawn_web import answer

SPIDER = """
from topiccrawler.spiders.topic import TopicSpider


class OnSite(TopicSpider):
    name = "on_site"
    allowed_domains = ["hub.example"]
    custom_settings = {"TOPIC": "finance", "DEPTH_LIMIT": 2, "DEPTH_STATS_VERBOSE": True, "URLLENGTH_LIMIT": 60}
"""


def page(title: str, *links: str) -> str:
    """A page on topic."""
    anchors = "".join(f'<a href="{link}">链接{number}</a>' for number, link in enumerate(links))
    return f"<html><head><title>{title}</title></head><body><p>{FUNDS}</p>{anchors}</body></html>"


def stats(log: str) -> dict[str, str]:
    """The stats at the end of a log, values as they are printed."""
    return dict(re.findall(r"^[ {]'([\w/]+)': (.*?)[,}]?$", log, re.MULTILINE))


def test_depth_length_domain_and_referer(
    draw_web: Callable[..., Any], forked_scrapy: Any, tmp_path: Path
) -> None:
    web = draw_web(
        {
            HUB: page("首页", "/a", f"/{'x' * 60}", "http://off.example/", "http://sub.hub.example/"),
            f"{HUB}a": page("一", "/b"),
            f"{HUB}b": page("二", "/c"),
            "http://sub.hub.example/": page("分站"),
        }
    )
    spider = tmp_path / "on_site.py"
    spider.write_text(SPIDER)
    options = crawl_words(tmp_path / "job", topic=None, ROBOTSTXT_OBEY=False, REFERRER_POLICY="origin")[2:]
    ran = forked_scrapy("runspider", str(spider), *options, proxy=web.proxy)
    assert ran.code == 0, ran.err
    assert sorted(web.asked) == [HUB, f"{HUB}a", f"{HUB}b", "http://sub.hub.example/"]
    found = stats(ran.err)
    for refused in ("depth/", "urllength/", "offsite/filtered"):
        assert next(value for key, value in found.items() if key.startswith(refused)) == "1", refused
    assert found["request_depth_max"] == "2"
    assert [found[f"request_depth_count/{depth}"] for depth in range(3)] == ["1", "2", "1"]
    assert found["offsite/domains"] == "1"
    referers = {asked: sent.get("Referer") for asked, sent in zip(web.asked, web.headers, strict=True)}
    assert (referers[HUB], referers["http://hub.example/b"]) == (None, HUB)


@pytest.mark.parametrize(
    ("setting", "value", "reason", "pages"),
    [
        ("CLOSESPIDER_PAGECOUNT", 3, "closespider_pagecount", {3, 4}),
        ("CLOSESPIDER_ITEMCOUNT", 3, "closespider_itemcount", {3, 4}),
        ("CLOSESPIDER_TIMEOUT", 0.5, "closespider_timeout", set(range(21))),
    ],
)
def test_a_crawl_closes_when_enough_was_fetched(
    crawl: Crawl, setting: str, value: float, reason: str, pages: set[int]
) -> None:
    web = {HUB: page("首页", *(f"/{number}" for number in range(30)))}
    web |= {f"{HUB}{number}": page("页") for number in range(30)}
    slow = {"DOWNLOAD_DELAY": 0.1} if setting == "CLOSESPIDER_TIMEOUT" else {}
    ran = crawl(web, CONCURRENT_REQUESTS=1, ROBOTSTXT_OBEY=False, **slow, **{setting: value})
    assert stats(ran.err)["finish_reason"] == f"'{reason}'"
    assert len(ran.web.asked) in pages


def test_pages_of_an_error_are_read_when_they_are_allowed(crawl: Crawl, tmp_path: Path) -> None:
    moved = f"{HUB}moved"
    pages = {HUB: page("首页", "/gone"), f"{HUB}gone": answer(410, page("旧", "/moved")), moved: page("新")}
    feed = tmp_path / "out.jsonl"
    ran = crawl(pages, "-o", str(feed), HTTPERROR_ALLOW_ALL=True, TOPIC_DUPLICATES="keep")
    assert ran.web.asked[-1] == moved
    assert [item["status"] for item in json_lines(feed.read_text())] == [200, 410, 200]
