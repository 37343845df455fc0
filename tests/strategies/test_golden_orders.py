"""For each strategy, a drawn site and the exact order in which its pages are fetched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge

CrawlOrder = Callable[..., list[str]]

SITE = {
    "hub": (0.3, [("sport", "体育新闻"), ("bank", "银行理财"), ("misc", "更多")]),
    "sport": (0.0, [("ball", "足球"), ("odd", "基金赛场")]),
    "bank": (0.9, [("fund", "基金定投"), ("about", "关于我们"), ("misc", "银行公告")]),
    "misc": (0.6, [("late", "股票")]),
    "ball": (0.0, []),
    "odd": (0.1, []),
    "fund": (0.8, [("stock", "股票"), ("hub", "首页")]),
    "about": (0.2, []),
    "late": (0.5, []),
    "stock": (0.7, []),
}


def test_breadth_first_goes_level_by_level_in_order_of_discovery(crawl_order: CrawlOrder) -> None:
    r"""
        hub ── sport ── ball, odd
          ├─── bank ─── fund ── stock
          │      └───── about
          └─── misc ─── late
    depth 0: hub; 1: sport bank misc; 2: ball odd fund about late; 3: stock
    """
    assert crawl_order(build("breadth_first"), SITE, ["hub"]) == [
        "hub", "sport", "bank", "misc", "ball", "odd", "fund", "about", "late", "stock",
    ]  # fmt: skip


def test_best_first_follows_the_links_of_the_most_relevant_page(crawl_order: CrawlOrder) -> None:
    """
    hub (.3) queues sport bank misc at .3, first in first out: sport (0) queues ball odd at 0; bank (.9) queues fund
    about at .9 and raises misc from .3 to .9. fund (.8) queues stock at .8. about gives nothing. misc (.6) queues late
    at .6. Then stock .8, late .6, ball 0, odd 0.
    """
    assert crawl_order(build("best_first"), SITE, ["hub"]) == [
        "hub", "sport", "bank", "misc", "fund", "about", "stock", "late", "ball", "odd",
    ]  # fmt: skip


class WordOdds:
    """A link scorer by hand: log-odds by the words an anchor holds."""

    def log_odds(self, links: object) -> list[float]:
        odds = {"银行": 2.0, "基金": 3.0, "股票": 4.0, "体育": -2.0, "足球": -3.0, "关于": -1.0}
        return [sum(value for word, value in odds.items() if word in link.anchor) for link in links]  # type: ignore[attr-defined]


def test_naive_bayes_follows_the_most_telling_link_whatever_its_page(crawl_order: CrawlOrder) -> None:
    """
    log-odds: 银行理财 2, 更多 0, 体育新闻 -2 from hub. bank gives 基金定投 3, 关于我们 -1 and raises misc 0 -> 2 (银行公告).
    fund 3 gives stock 4. Then stock 4, misc 2 (gives late 4), late 4, about -1, sport -2 (gives ball -3, odd 3),
    odd 3, ball -3.
    """
    strategy = build("naive_bayes")
    strategy.prepare(Knowledge(link_scorer=WordOdds()))
    assert crawl_order(strategy, SITE, ["hub"]) == [
        "hub", "bank", "fund", "stock", "misc", "late", "about", "sport", "odd", "ball",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["breadth_first", "best_first"])
def test_seeds_go_first_in_the_order_given(crawl_order: CrawlOrder, name: str) -> None:
    assert crawl_order(build(name), SITE, ["sport", "bank"])[:2] == ["sport", "bank"]
