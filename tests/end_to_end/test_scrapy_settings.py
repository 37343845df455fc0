"""Settings of Scrapy that our road could bypass, in crawls over real HTTP (docs/scrapy-settings.md has the table of all)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
HUB = "http://hub.example/"
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


@pytest.fixture
def crawl(forked_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Crawl a drawn web; `settings` by name. Results lie in tmp_path/job."""

    def run(web: Any, *words: str, **settings: Any) -> Any:
        configured = {
            "TOPIC_DATA_DIR": tmp_path,
            "TOPIC_JOB": "job",
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            **settings,
        }
        words = words or ("crawl", "topic", "-a", "topic=finance")
        options = [word for name, value in configured.items() for word in ("-s", f"{name}={value}")]
        start = ("-a", "strategy=breadth_first", "-a", f"seeds={HUB}")
        return forked_scrapy(*words, *start, *options, proxy=web.proxy)

    return run


def stats(log: str) -> dict[str, str]:
    """The stats at the end of a log, values as they are printed."""
    return dict(re.findall(r"^[ {]'([\w/]+)': (.*?)[,}]?$", log, re.MULTILINE))


def test_depth_length_domain_and_referer(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], tmp_path: Path
) -> None:
    long = f"/{'x' * 60}"
    web = draw_web(
        {
            HUB: page("首页", "/a", long, "http://off.example/", "http://sub.hub.example/"),
            "http://hub.example/a": page("一", "/b"),
            "http://hub.example/b": page("二", "/c"),
            "http://sub.hub.example/": page("分站"),
        }
    )
    spider = tmp_path / "on_site.py"
    spider.write_text(SPIDER)
    ran = crawl(web, "runspider", str(spider), REFERRER_POLICY="origin")
    assert ran.code == 0, ran.err
    assert sorted(web.asked) == [
        HUB, "http://hub.example/a", "http://hub.example/b", "http://sub.hub.example/",
    ]  # fmt: skip
    found = stats(ran.err)
    counted = {"depth": "depth/", "length": "urllength/", "domain": "offsite/filtered"}
    refused = {
        name: next((value for key, value in found.items() if key.startswith(start)), None)
        for name, start in counted.items()
    }
    assert refused == {"depth": "1", "length": "1", "domain": "1"}
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
    draw_web: Callable[..., Any],
    crawl: Callable[..., Any],
    setting: str,
    value: float,
    reason: str,
    pages: set[int],
) -> None:
    links = [f"/{number}" for number in range(30)]
    web = draw_web({HUB: page("首页", *links), **{f"{HUB}{number}": page("页") for number in range(30)}})
    slow = {"DOWNLOAD_DELAY": 0.1} if setting == "CLOSESPIDER_TIMEOUT" else {}
    ran = crawl(web, CONCURRENT_REQUESTS=1, **slow, **{setting: value})
    assert ran.code == 0, ran.err
    assert stats(ran.err)["finish_reason"] == f"'{reason}'"
    assert len(web.asked) in pages


def test_pages_of_an_error_are_read_when_they_are_allowed(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web(
        {
            HUB: page("首页", "/gone"),
            "http://hub.example/gone": answer(410, page("旧", "/moved").encode()),
            "http://hub.example/moved": page("新"),
        }
    )
    feed = tmp_path / "out.jsonl"
    ran = crawl(
        web, "crawl", "topic", "-a", "topic=finance", "-o", str(feed),
        HTTPERROR_ALLOW_ALL=True, TOPIC_DUPLICATES="keep",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert web.asked[-1] == "http://hub.example/moved"
    assert [json.loads(line)["status"] for line in feed.read_text().splitlines()] == [200, 410, 200]
