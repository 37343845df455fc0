"""A crawl over sites that answer with challenges, login walls and soft 404s instead of pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.results.summary import summary_of

FUNDS = "基金净值上涨，股票市场成交量放大，投资者买入债券。" * 12
WALL = (
    "<html><head><title>安全验证</title><meta http-equiv=refresh content='0;url=/trap'></head><body>"
    "<p>系统检测到您的访问过于频繁，请完成验证后继续访问</p><a href=/more>帮助</a></body></html>"
)
LOGIN = "<title>用户登录</title><p>请登录后查看该内容</p><form><input type=password name=p></form>"
SETTINGS = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "ROBOTSTXT_OBEY=False", "FRONTIER_BACKOFF_SECONDS=0.2")  # fmt: skip


def page(title: str, text: str, *hrefs: str) -> str:
    links = "".join(f"<li><a href='{href}'>股票基金</a></li>" for href in hrefs)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p><ul>{links}</ul></body></html>"


@pytest.fixture
def crawl(forked_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    def run(web: Any, *more: str) -> Any:
        options = [part for one in (*SETTINGS, f"JOBDIR={tmp_path / 'job'}") for part in ("-s", one)]
        ran = forked_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", "seeds=http://hub.cn/", *options, *more, proxy=web.proxy
        )  # fmt: skip
        assert ran.code == 0, ran.err
        return ran

    return run


def ends(folder: Path) -> dict[str, tuple[State, str]]:
    with SqliteFrontier(JobDatabase(folder / "job.sqlite", read_only=True)) as frontier:
        return {row.link.url: (row.state, row.reason) for row in frontier.look().rows()}


@pytest.mark.slow
def test_a_challenged_url_waits_behind_the_back_off_of_its_host_and_is_not_lost(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], tmp_path: Path
) -> None:
    answers = iter([WALL, WALL, page("基金", FUNDS, "/next")])
    web = draw_web(
        {
            "http://hub.cn/": page("股票", FUNDS, "http://x.cn/1", "http://y.cn/1"),
            "http://x.cn/1": lambda: next(answers),
            "http://x.cn/next": page("债券", FUNDS + "债券收益率下行。" * 9),
            "http://y.cn/1": WALL,
        }
    )
    ran = crawl(web)
    fetched = web.fetched()
    assert fetched.count("http://x.cn/1") == fetched.count("http://y.cn/1") == 3
    assert "http://x.cn/next" in fetched
    assert not {url for url in fetched if url.endswith(("/trap", "/more"))}  # neither refresh nor link
    found = ends(tmp_path / "job")
    assert found["http://x.cn/1"][0] is State.COMPLETED
    assert found["http://y.cn/1"] == (State.DISCARDED, "challenge: unknown product")
    assert "'frontier/back_offs/challenge': 5" in ran.err
    assert "3 pages of y.cn were challenges (unknown product)" in ran.err
    stats = json.loads((tmp_path / "job/stats.json").read_text())
    assert (stats["topic/challenges/challenge"], stats["topic/challenges/given_up"]) == (5, 1)
    summary = summary_of(tmp_path / "job")
    assert {site.host: (site.fetched, site.challenged, site.failed) for site in summary.sites} == {
        "hub.cn": (1, 0, 0),
        "x.cn": (2, 2, 0),
        "y.cn": (0, 3, 0),
    }


@pytest.mark.slow
def test_a_redirect_to_a_known_challenge_is_that_challenge(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any], tmp_path: Path
) -> None:
    to_verify = answer(302, Location="/verify")
    answers = iter([to_verify, to_verify, page("基金", FUNDS)])
    web = draw_web(
        {
            "http://hub.cn/": page("股票", FUNDS, "http://x.cn/1"),
            "http://x.cn/1": lambda: next(answers),
            "http://x.cn/verify": WALL,
        }
    )
    crawl(web)
    assert web.fetched().count("http://x.cn/verify") == 1
    found = ends(tmp_path / "job")
    assert found["http://x.cn/1"][0] is State.COMPLETED
    assert found["http://x.cn/verify"] == (State.DISCARDED, "challenge: unknown product")


@pytest.mark.slow
def test_login_walls_and_soft_404s_are_discarded_at_once_and_delay_nobody(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], tmp_path: Path
) -> None:
    lost = [f"http://x.cn/lost/{number}" for number in range(6)]
    gone = "<title>提示信息</title><p>您访问的页面不存在或已被删除</p><a href=/again>返回</a>"
    web = draw_web(
        {
            "http://hub.cn/": page("股票", FUNDS, "http://x.cn/wall", *lost),
            "http://x.cn/wall": LOGIN,
            **dict.fromkeys(lost, gone),
        }
    )
    ran = crawl(web)
    found = ends(tmp_path / "job")
    assert found["http://x.cn/wall"] == (State.DISCARDED, "login wall")
    assert [found[url][1] for url in lost].count("soft 404") == 2
    assert web.fetched().count("http://x.cn/wall") == 1
    assert "frontier/back_offs" not in ran.err
    assert "1 pages of x.cn were login walls" in ran.err
    assert "2 pages of x.cn were soft 404s" in ran.err
