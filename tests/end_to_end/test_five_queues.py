"""The five queues of the MySpider thesis (§4.2.2, fig. 4-2) in a real crawl: each URL is in one, and moves as the thesis has it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import HUB, SPORT, Crawl, ends, page
from drawn_web import answer

from topiccrawler.frontier.base import State

pytestmark = pytest.mark.slow

FUNDS = "基金净值上涨，股票市场成交量放大，投资者關注銀行理財收益與證券公司業績。" * 8


def states(job: Path) -> dict[str, tuple[State, str]]:
    return {url.removeprefix(HUB): end for url, end in ends(job).items()}


def test_each_url_is_in_one_queue_and_moves_as_in_figure_4_2(crawl: Crawl) -> None:
    """
    The seed and /good are relevant: completed, and their links queued. /poor is below the threshold: discarded, and its link /behind
    is in no queue. /gone fails: an error. /last waits, because four pages are enough; the second run fetches it, and nothing else again.
    """
    pages = {
        HUB: page("基金", FUNDS, "/poor", "/gone", "/good"),
        f"{HUB}poor": page("足球", SPORT, "/behind"),
        f"{HUB}gone": answer(404, b"gone"),
        f"{HUB}good": page("股票基金", FUNDS, "/last", "/poor", "/gone"),
        f"{HUB}behind": page("基金", FUNDS),
        f"{HUB}last": page("理财基金", FUNDS),
    }
    options = {"TOPIC_EXPAND": "relevant", "TOPIC_DUPLICATES": "keep", "CONCURRENT_REQUESTS": 1}
    ran = crawl(pages, pages=3, **options)
    after = states(ran.job)
    assert {url: state for url, (state, _) in after.items()} == {
        "": State.COMPLETED, "poor": State.DISCARDED, "gone": State.ERROR, "good": State.COMPLETED, "last": State.WAITING,
    }  # fmt: skip
    assert after["gone"][1] == "http 404"
    crawl(ran.web, **options)
    assert states(ran.job) == {**after, "last": (State.COMPLETED, after["good"][1])}
    assert ran.web.fetched() == [f"{HUB}{path}" for path in ("", "poor", "gone", "good", "last")]


def test_a_failure_becomes_an_error_after_some_tries(crawl: Crawl) -> None:
    """Unlike the thesis, where the first error is final: a server that is overloaded for a moment is asked again (FRONTIER_URL_TRIES)."""
    asked: list[str] = []

    def busy(name: str, fails: int) -> Callable[[], Any]:
        def reply() -> Any:
            asked.append(name)
            return answer(500, b"busy") if asked.count(name) <= fails else page("基金", FUNDS)

        return reply

    pages = {HUB: page("基金", FUNDS, "/once", "/always")}
    pages |= {f"{HUB}once": busy("once", 1), f"{HUB}always": busy("always", 9)}
    tries = {"FRONTIER_BACKOFF_SECONDS": 0.1, "FRONTIER_URL_TRIES": 2}
    ran = crawl(pages, strategy="adaptive", TOPIC_DUPLICATES="keep", **tries)
    found = {url: state for url, (state, _) in states(ran.job).items()}
    assert found == {"": State.COMPLETED, "once": State.COMPLETED, "always": State.ERROR}
    assert (asked.count("once"), asked.count("always")) == (2, 2)
