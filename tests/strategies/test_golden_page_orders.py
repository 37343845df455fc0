"""Golden orders of the strategies that look at the page a link stands on, or at the link alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge, LinkScorer

GoldenOrder = Callable[..., list[str]]


def test_breadth_first_goes_level_by_level_in_order_of_discovery(golden_order: GoldenOrder) -> None:
    r"""
        hub ── sport ── ball, odd
          ├─── bank ─── fund ── stock
          │      └───── about
          └─── misc ─── late
    depth 0: hub; 1: sport bank misc; 2: ball odd fund about late; 3: stock
    """
    assert golden_order(build("breadth_first")) == [
        "hub", "sport", "bank", "misc", "ball", "odd", "fund", "about", "late", "stock",
    ]  # fmt: skip


def test_best_first_follows_the_links_of_the_most_relevant_page(golden_order: GoldenOrder) -> None:
    """
    hub (.3) queues sport bank misc at .3, first in first out: sport (0) queues ball odd at 0; bank (.9) queues fund
    about at .9 and raises misc from .3 to .9. fund (.8) queues stock at .8. about gives nothing. misc (.6) queues late
    at .6. Then stock .8, late .6, ball 0, odd 0.
    """
    assert golden_order(build("best_first")) == [
        "hub", "sport", "bank", "misc", "fund", "about", "stock", "late", "ball", "odd",
    ]  # fmt: skip


def test_naive_bayes_follows_the_most_telling_link_whatever_its_page(
    golden_order: GoldenOrder, word_odds: LinkScorer
) -> None:
    """
    log-odds: 银行理财 2, 更多 0, 体育新闻 -2 from hub. bank gives 基金定投 3, 关于我们 -1 and raises misc 0 -> 2 (银行公告).
    fund 3 gives stock 4. Then stock 4, misc 2 (gives late 4), late 4, about -1, sport -2 (gives ball -3, odd 3),
    odd 3, ball -3.
    """
    strategy = build("naive_bayes")
    strategy.prepare(Knowledge(link_scorer=word_odds))
    assert golden_order(strategy) == [
        "hub", "bank", "fund", "stock", "misc", "late", "about", "sport", "odd", "ball",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["breadth_first", "best_first"])
def test_seeds_go_first_in_the_order_given(golden_order: GoldenOrder, name: str) -> None:
    assert golden_order(build(name), ["sport", "bank"])[:2] == ["sport", "bank"]


def test_seed_selector_in_stages_fetches_all_links_of_the_chosen_page_first(
    crawl_order: Callable[..., list[str]],
) -> None:
    """hub is chosen with its first link. In stages b follows a though a's page is better than the hub; without, x does."""
    site = {"hub": (0.3, [("a", ""), ("b", "")]), "a": (0.9, [("x", "")]), "b": (0.0, []), "x": (0.0, [])}
    assert crawl_order(build("seed_selector", {"stages": "true"}), site, ["hub"]) == ["hub", "a", "b", "x"]
    assert crawl_order(build("seed_selector"), site, ["hub"]) == ["hub", "a", "x", "b"]
