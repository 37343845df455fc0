"""Endless sites, drawn: a crawl comes to its end, keeps what is good, and says which URLs budgets exclude and why."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from message_facts import numbers

from topiccrawler.frontier.budgets import HOST_UNPRODUCTIVE, UNPROVEN

pytestmark = pytest.mark.slow

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8
THIS_YEAR = time.gmtime().tm_year
HUB = "http://hub.example/"


class Endless(dict[str, Any]):
    """Pages given by URL; others are made by the first pattern that matches."""

    def __init__(self, pages: dict[str, Any], *made: tuple[str, Callable[[re.Match[str]], str]]) -> None:
        super().__init__(pages)
        self.made = made

    def get(self, url: str, default: Any = None) -> Any:
        for pattern, make in self.made:
            if found := re.fullmatch(pattern, url):
                return make(found)
        return super().get(url, default)


def page(text: str, *hrefs: str) -> str:
    anchors = "".join(f'<li><a href="{href}">下一个</a></li>' for href in hrefs)
    return f"<html><head><title>页</title></head><body><p>{text}</p><ul>{anchors}</ul></body></html>"


@pytest.fixture
def crawl(forked_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    def run(web: Any, *settings: str) -> Any:
        options = [part for setting in settings for part in ("-s", setting)]
        return forked_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={HUB}", "-a", "strategy=breadth_first",
            "-a", "pages=300", "-s", f"JOBDIR={tmp_path / 'job'}", "-s", "DOWNLOAD_DELAY=0",
            "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "ROBOTSTXT_OBEY=False", "-s", "CONCURRENT_REQUESTS=1",
            *options, proxy=web.proxy,
        )  # fmt: skip

    return run


@pytest.fixture
def frontier(forked_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[[], dict[str, Any]]:
    def show() -> dict[str, Any]:
        ran = forked_scrapy("frontier", str(tmp_path / "job"), "--json")
        assert ran.code == 0, ran.err
        report: dict[str, Any] = json.loads(ran.out)
        return report

    return show


def test_a_calendar_ends_two_years_ahead(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], frontier: Callable[..., Any]
) -> None:
    def month(found: re.Match[str]) -> str:
        year, number = divmod(int(found[1]) * 12 + int(found[2]), 12)
        return page(SPORT + f"{year}年{number + 1}月", f"/cal/{year}/{number + 1:02}/")

    web = draw_web(
        Endless(
            {HUB: page("导航", f"/cal/{THIS_YEAR + 2}/10/")}, (r"http://hub\.example/cal/(\d+)/(\d+)/", month)
        )
    )
    ran = crawl(web)
    assert ran.code == 0, ran.err
    assert web.fetched() == [HUB] + [
        f"{HUB}cal/{THIS_YEAR + years}/{number}/" for years, number in ((2, 10), (2, 11), (2, 12), (3, "01"))
    ]
    [(why, count)] = [found for found in frontier()["discards"].items() if found[0].startswith("trap: ")]
    assert (numbers(why), count) == ([str(THIS_YEAR + 3)], 1)
    assert "'frontier/traps/calendar': 1" in ran.err
    assert "'finish_reason': 'finished'" in ran.err


def test_facets_that_only_sort_the_same_list_anew_are_left_and_the_articles_are_fetched(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], frontier: Callable[..., Any]
) -> None:
    """/list?… shows the same funds under each choice of filters, and offers ten more choices each time."""

    def facets(found: re.Match[str]) -> str:
        return page(FUNDS, *(f"/list?{found[1]}&f{n}=1" for n in range(10)))

    articles = {f"{HUB}fund/{n}": page(f"{FUNDS}第{'甲乙丙丁戊己庚辛'[n]}只基金") for n in range(8)}
    hub = page("导航", "/list?a=1", *(f"/fund/{n}" for n in range(8)))
    web = draw_web(Endless({HUB: hub, **articles}, (r"http://hub\.example/list\?(.*)", facets)))
    ran = crawl(web, "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES=20")
    fetched = web.fetched()
    assert [url for url in fetched if "/fund/" in url] == list(articles)
    assert len([url for url in fetched if "/list?" in url]) == 21  # the first was new
    [trapped] = [
        count for why, count in frontier()["discards"].items() if why.startswith("trap: shape: /list? ")
    ]
    assert trapped > 100
    assert "'finish_reason': 'finished'" in ran.err


def test_a_host_that_stopped_being_useful_is_closed_shown_and_freed_by_a_larger_budget(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], frontier: Callable[..., Any]
) -> None:
    def unproductive(found: re.Match[str]) -> str:
        return page(SPORT + found[1], f"/{found[1]}a", f"/{found[1]}b")

    web = draw_web(
        Endless(
            {HUB: page("导航", "http://unproductive.example/a", "/good"), f"{HUB}good": page(FUNDS)},
            (r"http://unproductive\.example/([ab]+)", unproductive),
        )
    )
    ran = crawl(web, "FRONTIER_HOST_UNPRODUCTIVE_PAGES=5")
    assert len([url for url in web.fetched() if "unproductive" in url]) == 5
    assert f"{HUB}good" in web.fetched()
    assert re.search(
        rf"Host unproductive\.example .*: {HOST_UNPRODUCTIVE} \(FRONTIER_HOST_UNPRODUCTIVE_PAGES\)", ran.err
    )
    assert "'frontier/urls/over_budget': 6" in ran.err
    assert "'frontier/waits/no_longer_useful': 1" in ran.err
    assert "'finish_reason': 'finished'" in ran.err
    report = frontier()
    assert (report["over_budget"], report["states"]["waiting"], report["waits"]) == (
        6,
        6,
        {HOST_UNPRODUCTIVE: 1},
    )
    assert report["waiting_hosts"] == [
        {"host": "unproductive.example", "wait": HOST_UNPRODUCTIVE, "seconds": None}
    ]
    assert {row["wait"] for row in report["top"]} == {HOST_UNPRODUCTIVE}
    crawl(web, "FRONTIER_HOST_UNPRODUCTIVE_PAGES=8")
    assert len([url for url in web.fetched() if "unproductive" in url]) == 8


def test_a_link_farm_gets_its_bound_and_the_good_site_beside_it_all_its_pages(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], frontier: Callable[..., Any]
) -> None:
    """Each page of the farm is about the topic, has fresh words and links to two more, also on hosts of its own."""

    def farm(found: re.Match[str]) -> str:
        number = int(found[2])
        links = (f"http://s{n}.farm.example/{n}" for n in (2 * number + 1, 2 * number + 2))
        return page(f"{FUNDS}第{number}号新词w{number}x", *links)

    good = [f"{HUB}fund/{n}" for n in range(30)]
    pages = {url: page(f"{FUNDS}第{n}只基金", HUB) for n, url in enumerate(good)}
    home = page("导航", "http://s0.farm.example/0", *good)
    web = draw_web(Endless({HUB: home, **pages}, (r"http://s(\d+)\.farm\.example/(\d+)", farm)))
    ran = crawl(web, "FRONTIER_UNPROVEN_PAGES=40", "CONCURRENT_REQUESTS=8")
    fetched = web.fetched()
    assert set(good) <= set(fetched)
    assert len([url for url in fetched if "farm" in url]) == 40
    assert len([url for url in fetched[:60] if "farm" in url]) <= 40
    assert len(re.findall(rf"Site farm\.example .*: {UNPROVEN} \(FRONTIER_UNPROVEN_PAGES\)", ran.err)) == 1
    assert "'finish_reason': 'finished'" in ran.err
    assert set(frontier()["waits"]) == {UNPROVEN}
