"""A crawl over sites that answer with challenges, login walls and soft 404s instead of pages."""

import pytest
from drawn_crawls import Crawl, ends, page, stats_of
from drawn_web import answer

from topiccrawler.frontier.base import State
from topiccrawler.results.summary import summary_of

pytestmark = pytest.mark.slow

FUNDS = "基金净值上涨，股票市场成交量放大，投资者买入债券。" * 12
WALL = (
    "<html><head><title>安全验证</title><meta http-equiv=refresh content='0;url=/trap'></head><body>"
    "<p>系统检测到您的访问过于频繁，请完成验证后继续访问</p><a href=/more>帮助</a></body></html>"
)
LOGIN = "<title>用户登录</title><p>请登录后查看该内容</p><form><input type=password name=p></form>"
HUB = "http://hub.cn/"
OPTIONS = {"seeds": HUB, "strategy": None, "ROBOTSTXT_OBEY": False, "FRONTIER_BACKOFF_SECONDS": 0.2}


def test_a_challenged_url_waits_behind_the_back_off_of_its_host_and_is_not_lost(
    crawl: Crawl,
) -> None:
    answers = iter([WALL, WALL, page("基金", FUNDS, "/next")])
    pages = {
        HUB: page("股票", FUNDS, "http://x.cn/1", "http://y.cn/1"),
        "http://x.cn/1": lambda: next(answers),
        "http://x.cn/next": page("债券", FUNDS + "债券收益率下行。" * 9),
        "http://y.cn/1": WALL,
    }
    ran = crawl(pages, **OPTIONS)
    fetched = ran.web.fetched()
    assert fetched.count("http://x.cn/1") == fetched.count("http://y.cn/1") == 3
    assert "http://x.cn/next" in fetched
    assert not {url for url in fetched if url.endswith(("/trap", "/more"))}  # neither refresh nor link
    found = ends(ran.job)
    assert found["http://x.cn/1"][0] is State.COMPLETED
    assert found["http://y.cn/1"] == (State.DISCARDED, "challenge: unknown product")
    assert "'frontier/back_offs/challenge': 5" in ran.err
    assert "3 pages of y.cn were challenges (unknown product)" in ran.err
    stats = stats_of(ran.job)
    assert (stats["topic/challenges/challenge"], stats["topic/challenges/given_up"]) == (5, 1)
    counts = {site.host: (site.fetched, site.challenged, site.failed) for site in summary_of(ran.job).sites}
    assert counts == {"hub.cn": (1, 0, 0), "x.cn": (2, 2, 0), "y.cn": (0, 3, 0)}


def test_a_redirect_to_a_known_challenge_is_that_challenge(crawl: Crawl) -> None:
    to_verify = answer(302, Location="/verify")
    answers = iter([to_verify, to_verify, page("基金", FUNDS)])
    pages = {HUB: page("股票", FUNDS, "http://x.cn/1"), "http://x.cn/1": lambda: next(answers)}
    ran = crawl({**pages, "http://x.cn/verify": WALL}, **OPTIONS)
    assert ran.web.fetched().count("http://x.cn/verify") == 1
    found = ends(ran.job)
    assert found["http://x.cn/1"][0] is State.COMPLETED
    assert found["http://x.cn/verify"] == (State.DISCARDED, "challenge: unknown product")


def test_login_walls_and_soft_404s_are_discarded_at_once_and_delay_nobody(
    crawl: Crawl,
) -> None:
    lost = [f"http://x.cn/lost/{number}" for number in range(6)]
    gone = "<title>提示信息</title><p>您访问的页面不存在或已被删除</p><a href=/again>返回</a>"
    pages = {HUB: page("股票", FUNDS, "http://x.cn/wall", *lost), "http://x.cn/wall": LOGIN}
    ran = crawl({**pages, **dict.fromkeys(lost, gone)}, **OPTIONS)
    found = ends(ran.job)
    assert found["http://x.cn/wall"] == (State.DISCARDED, "login wall")
    assert [found[url][1] for url in lost].count("soft 404") == 2
    assert ran.web.fetched().count("http://x.cn/wall") == 1
    assert "frontier/back_offs" not in ran.err
    assert "1 pages of x.cn were login walls" in ran.err
    assert "2 pages of x.cn were soft 404s" in ran.err
