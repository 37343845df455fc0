"""The harvest is counted by the plan's truth."""

import math

from topiccrawler.demo.harvest import Harvest, harvest, table, times_as_good
from topiccrawler.demo.plan import Web


def test_pages_count_in_order_and_what_is_no_page_does_not() -> None:
    urls = [
        "http://daohang.example/",
        "http://finance.yunting.example/",
        "http://finance.yunting.example/gone.html",
        "http://sport.yunting.example/",
        "http://www.qianzhuang.example/",
    ]
    found = harvest(Web(), urls)
    assert found.on_topic == (False, True, False, True)
    assert [found.rate(pages) for pages in (1, 2, 3, 4, 9)] == [0.0, 0.5, 1 / 3, 0.5, 0.5]


def test_two_crawls_are_set_side_by_side_over_the_pages_both_fetched() -> None:
    focused = Harvest((True, True, True, False, True, True))
    assert times_as_good(focused, Harvest((False, True, False, False))) == 3.0
    assert times_as_good(focused, Harvest((False, False))) == math.inf
    assert times_as_good(Harvest((False,)), Harvest((False,))) == 1.0


def test_the_table_shows_pages_found_and_rate_at_each_step() -> None:
    lines = table({"ours": Harvest((True,) * 5), "theirs": Harvest((False, True, False))}, step_pages=2)
    assert [line.split() for line in lines] == [
        ["pages", "ours", "theirs"],
        ["2", "2", "100.0%", "1", "50.0%"],
        ["4", "4", "100.0%", "1", "33.3%"],
        ["5", "5", "100.0%", "-"],
    ]
