"""The five queues of the MySpider thesis (§4.2.2, fig. 4-2) in a real crawl: each URL is in one, and moves as the thesis has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import topic_crawl

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase

pytestmark = pytest.mark.slow

HUB = "http://hub.example"
FUNDS = "基金净值上涨，股票市场成交量放大，投资者關注銀行理財收益與證券公司業績。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8


def page(title: str, text: str, *links: str) -> str:
    return f"<title>{title}</title><p>{text}</p>" + "".join(f"<p><a href={to}>基金</a></p>" for to in links)


def states(job: Path) -> dict[str, tuple[State, str]]:
    with SqliteFrontier(JobDatabase(job / "job.sqlite", read_only=True)) as frontier:
        return {row.link.url.removeprefix(HUB): (row.state, row.reason) for row in frontier.look().rows()}


def test_each_url_is_in_one_queue_and_moves_as_in_figure_4_2(
    forked_scrapy: Callable[..., Any],
    draw_web: Callable[..., Any],
    answer: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """
    The seed and /good are relevant: completed, and their links queued. /poor is below the threshold: discarded, and its link /behind
    is in no queue. /gone fails: an error. /last waits, because four pages are enough; the second run fetches it, and nothing else again.
    """
    web = draw_web(
        {
            f"{HUB}/": page("基金", FUNDS, "/poor", "/gone", "/good"),
            f"{HUB}/poor": page("足球", SPORT, "/behind"),
            f"{HUB}/gone": answer(404, b"gone"),
            f"{HUB}/good": page("股票基金", FUNDS, "/last", "/poor", "/gone"),
            f"{HUB}/behind": page("基金", FUNDS),
            f"{HUB}/last": page("理财基金", FUNDS),
        }
    )
    job = tmp_path / "job"
    settings = {
        "JOBDIR": job, "TOPIC_EXPAND": "relevant", "TOPIC_DUPLICATES": "keep", "CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
    }  # fmt: skip
    line = topic_crawl(f"{HUB}/", "breadth_first", settings)
    ran = forked_scrapy(*line, "-a", "pages=3", proxy=web.proxy)
    assert ran.code == 0, ran.err
    after = states(job)
    assert {url: state for url, (state, _) in after.items()} == {
        "/": State.COMPLETED, "/poor": State.DISCARDED, "/gone": State.ERROR, "/good": State.COMPLETED, "/last": State.WAITING,
    }  # fmt: skip
    assert after["/gone"][1] == "http 404"
    assert forked_scrapy(*line, proxy=web.proxy).code == 0
    assert states(job) == {**after, "/last": (State.COMPLETED, after["/good"][1])}
    assert web.fetched() == [f"{HUB}/{path}" for path in ("", "poor", "gone", "good", "last")]


def test_a_failure_becomes_an_error_after_some_tries(
    forked_scrapy: Callable[..., Any],
    draw_web: Callable[..., Any],
    answer: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """Unlike the thesis, where the first error is final: a server that is overloaded for a moment is asked again (FRONTIER_URL_TRIES)."""
    asked: list[str] = []

    def busy(name: str, fails: int) -> Callable[[], Any]:
        def reply() -> Any:
            asked.append(name)
            return answer(500, b"busy") if asked.count(name) <= fails else page("基金", FUNDS)

        return reply

    pages = {f"{HUB}/": page("基金", FUNDS, "/once", "/always")}
    web = draw_web({**pages, f"{HUB}/once": busy("once", 1), f"{HUB}/always": busy("always", 9)})
    job = tmp_path / "job"
    settings = {
        "JOBDIR": job, "TOPIC_DUPLICATES": "keep", "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False,
        "FRONTIER_BACKOFF_SECONDS": 0.1, "FRONTIER_URL_TRIES": 2,
    }  # fmt: skip
    ran = forked_scrapy(*topic_crawl(f"{HUB}/", "adaptive", settings), proxy=web.proxy)
    assert ran.code == 0, ran.err
    found = {url: state for url, (state, _) in states(job).items()}
    assert found == {"/": State.COMPLETED, "/once": State.COMPLETED, "/always": State.ERROR}
    assert (asked.count("once"), asked.count("always")) == (2, 2)
