"""A crawl under Scrapy's own scheduler counts what it fetched and kept, and writes its stats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import topic_crawl

from topiccrawler.store.pages import PageStore

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
FLOWERS = "春天的花园里开满了郁金香和玫瑰，园丁修剪枝叶，浇水施肥，蜜蜂飞舞。" * 8
PAGES, FUND_PAGES = 15, 9


def address(number: int) -> str:
    return f"http://h{number % 3}.example/p{number}"


def page(number: int) -> str:
    own = "".join(chr(0x4E00 + (number * 7919 + place * 104729) % 20000) for place in range(200))
    links = "".join(
        f'<li><a href="{address(to)}">基金{to}</a>'
        for to in range(2 * number + 1, 2 * number + 3)
        if to < PAGES
    )
    return f"<title>{number}</title><p>{FUNDS if number < FUND_PAGES else FLOWERS}{own}</p>{links}"


@pytest.mark.slow
def test_pages_and_kept_pages_are_counted_and_the_stats_written(
    forked_scrapy: Callable[..., Any], draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    web, job = draw_web({address(number): page(number) for number in range(PAGES)}), tmp_path / "job"
    settings = {
        "SCHEDULER": "scrapy.core.scheduler.Scheduler", "JOBDIR": job, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False, "TOPIC_LINK_THRESHOLD": 0,
    }  # fmt: skip
    line = topic_crawl(address(0), "breadth_first", settings)
    ran = forked_scrapy(*line, proxy=web.proxy)
    assert ran.code == 0, ran.err
    assert set(web.asked) == set(web.pages)
    with closing(PageStore(job / "pages.sqlite")) as store:
        assert len(list(store.records())) == FUND_PAGES
    share = f"{FUND_PAGES / PAGES:.0%}"
    assert (
        f"{PAGES} pages fetched, {FUND_PAGES} relevant ({share}), {FUND_PAGES} kept: {FUND_PAGES} articles, 0 lists, 0 stubs ({FUND_PAGES} html)"
        in ran.err
    )
    [progress] = re.findall(r"INFO: (.*harvest rate.*)", ran.err)[-1:]
    assert (
        progress
        == f"{PAGES} pages, {FUND_PAGES} kept, harvest rate 0.60 (last {PAGES}: 0.60); kept: {FUND_PAGES} articles, 0 lists, 0 stubs"
    )
    assert json.loads((job / "stats.json").read_text(encoding="utf-8"))["item_scraped_count"] == FUND_PAGES
    again = forked_scrapy(*line, proxy=web.proxy)
    assert again.code == 0, again.err
    assert f"{PAGES} pages fetched (0 in this run)" in again.err
