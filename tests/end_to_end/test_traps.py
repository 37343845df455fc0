"""Endless sites, drawn: a crawl comes to its end, keeps what is good, and says which URLs budgets exclude and why."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, HUB, SPORT, Crawl, Crawled
from message_facts import numbers

from topiccrawler.frontier.budgets import HOST_UNPRODUCTIVE, UNPROVEN

pytestmark = pytest.mark.slow

THIS_YEAR = time.gmtime().tm_year


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
def crawl_endless(crawl: Crawl) -> Callable[..., Crawled]:
    usual = {"pages": 300, "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": 1}
    return lambda web, **options: crawl(web, **{**usual, **options})


@pytest.fixture
def frontier(forked_scrapy: Any, tmp_path: Path) -> Callable[[], dict[str, Any]]:
    def show() -> dict[str, Any]:
        return json.loads(forked_scrapy("frontier", str(tmp_path / "job"), "--json").out)

    return show


def test_a_calendar_ends_two_years_ahead(crawl_endless: Crawl, frontier: Callable[..., Any]) -> None:
    def month(found: re.Match[str]) -> str:
        year, number = divmod(int(found[1]) * 12 + int(found[2]), 12)
        return page(SPORT + f"{year}年{number + 1}月", f"/cal/{year}/{number + 1:02}/")

    hub = {HUB: page("导航", f"/cal/{THIS_YEAR + 2}/10/")}
    ran = crawl_endless(Endless(hub, (r"http://hub\.example/cal/(\d+)/(\d+)/", month)))
    months = ((2, 10), (2, 11), (2, 12), (3, "01"))
    assert ran.web.fetched() == [
        HUB,
        *(f"{HUB}cal/{THIS_YEAR + years}/{number}/" for years, number in months),
    ]
    [(why, count)] = [found for found in frontier()["discards"].items() if found[0].startswith("trap: ")]
    assert (numbers(why), count) == ([str(THIS_YEAR + 3)], 1)
    assert "'frontier/traps/calendar': 1" in ran.err
    assert "'finish_reason': 'finished'" in ran.err


def test_facets_that_only_sort_the_same_list_anew_are_left_and_the_articles_are_fetched(
    crawl_endless: Crawl, frontier: Callable[..., Any]
) -> None:
    """/list?… shows the same funds under each choice of filters, and offers ten more choices each time."""

    def facets(found: re.Match[str]) -> str:
        return page(FUNDS, *(f"/list?{found[1]}&f{n}=1" for n in range(10)))

    articles = {f"{HUB}fund/{n}": page(f"{FUNDS}第{'甲乙丙丁戊己庚辛'[n]}只基金") for n in range(8)}
    hub = page("导航", "/list?a=1", *(f"/fund/{n}" for n in range(8)))
    web = Endless({HUB: hub, **articles}, (r"http://hub\.example/list\?(.*)", facets))
    ran = crawl_endless(web, FRONTIER_SHAPE_UNPRODUCTIVE_PAGES=20)
    fetched = ran.web.fetched()
    assert [url for url in fetched if "/fund/" in url] == list(articles)
    assert len([url for url in fetched if "/list?" in url]) == 21  # the first was new
    discards = frontier()["discards"].items()
    [trapped] = [count for why, count in discards if why.startswith("trap: shape: /list? ")]
    assert trapped > 100
    assert "'finish_reason': 'finished'" in ran.err


def test_a_host_that_stopped_being_useful_is_closed_shown_and_freed_by_a_larger_budget(
    crawl_endless: Crawl, frontier: Callable[..., Any]
) -> None:
    def unproductive(found: re.Match[str]) -> str:
        return page(SPORT + found[1], f"/{found[1]}a", f"/{found[1]}b")

    pages = {HUB: page("导航", "http://unproductive.example/a", "/good"), f"{HUB}good": page(FUNDS)}
    made = Endless(pages, (r"http://unproductive\.example/([ab]+)", unproductive))
    ran = crawl_endless(made, FRONTIER_HOST_UNPRODUCTIVE_PAGES=5)
    web = ran.web
    assert len([url for url in web.fetched() if "unproductive" in url]) == 5
    assert f"{HUB}good" in web.fetched()
    assert re.search(
        rf"Host unproductive\.example .*: {HOST_UNPRODUCTIVE} \(FRONTIER_HOST_UNPRODUCTIVE_PAGES\)", ran.err
    )
    assert "'frontier/urls/over_budget': 6" in ran.err
    assert "'frontier/waits/no_longer_useful': 1" in ran.err
    assert "'finish_reason': 'finished'" in ran.err
    report = frontier()
    assert (report["over_budget"], report["states"]["waiting"]) == (6, 6)
    assert report["waits"] == {HOST_UNPRODUCTIVE: 1}
    closed = {"host": "unproductive.example", "wait": HOST_UNPRODUCTIVE, "seconds": None}
    assert report["waiting_hosts"] == [closed]
    assert {row["wait"] for row in report["top"]} == {HOST_UNPRODUCTIVE}
    crawl_endless(web, FRONTIER_HOST_UNPRODUCTIVE_PAGES=8)
    assert len([url for url in web.fetched() if "unproductive" in url]) == 8


def test_a_link_farm_gets_its_bound_and_the_good_site_beside_it_all_its_pages(
    crawl_endless: Crawl, frontier: Callable[..., Any]
) -> None:
    """Each page of the farm is about the topic, has fresh words and links to two more, also on hosts of its own."""

    def farm(found: re.Match[str]) -> str:
        number = int(found[2])
        links = (f"http://s{n}.farm.example/{n}" for n in (2 * number + 1, 2 * number + 2))
        return page(f"{FUNDS}第{number}号新词w{number}x", *links)

    good = [f"{HUB}fund/{n}" for n in range(30)]
    pages = {url: page(f"{FUNDS}第{n}只基金", HUB) for n, url in enumerate(good)}
    home = page("导航", "http://s0.farm.example/0", *good)
    web = Endless({HUB: home, **pages}, (r"http://s(\d+)\.farm\.example/(\d+)", farm))
    ran = crawl_endless(web, FRONTIER_UNPROVEN_PAGES=40, CONCURRENT_REQUESTS=8)
    fetched = ran.web.fetched()
    assert set(good) <= set(fetched)
    assert len([url for url in fetched if "farm" in url]) == 40
    assert len([url for url in fetched[:60] if "farm" in url]) <= 40
    assert len(re.findall(rf"Site farm\.example .*: {UNPROVEN} \(FRONTIER_UNPROVEN_PAGES\)", ran.err)) == 1
    assert "'finish_reason': 'finished'" in ran.err
    assert set(frontier()["waits"]) == {UNPROVEN}
