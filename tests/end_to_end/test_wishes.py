"""Crawls obey what pages ask of crawlers, keep what sites say about the use of pages, and count both."""

import threading
from functools import partial
from typing import Any

import pytest
from drawn_crawls import Crawl, ends, json_lines, stats_of
from drawn_web import answer

from topiccrawler import Job
from topiccrawler.crawling.page_stores import open_sample
from topiccrawler.frontier.base import State

pytestmark = pytest.mark.slow

FUNDS = "基金净值上涨，股票市场成交量放大，投资者买入债券。"
OPTIONS = {"seeds": "http://hub.cn/", "strategy": None, "pages": 40}


def page(title: str, *hrefs: str, head: str = "", text: str = FUNDS) -> str:
    links = "".join(f"<li><a href='{href}'>股票基金</a></li>" for href in hrefs)
    return f"<html><head><title>{title}</title>{head}</head><body><p>{title}：{text * 12}</p><ul>{links}</ul></body></html>"


def test_a_page_that_asks_so_is_not_kept_and_its_links_are_not_queued(
    crawl: Crawl, forked_scrapy: Any
) -> None:
    asks = '<meta name="robots" content="noindex">'
    old = "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"
    pages = {
        "http://hub.cn/": page("股票", *(f"/{n}" for n in range(1, 9))),
        "http://hub.cn/1": page("私密基金一", "/from1", head=asks),
        "http://hub.cn/from1": page("链接来的基金"),
        "http://hub.cn/2": page("基金二", "/from2", head='<meta name="topiccrawler" content="nofollow">'),
        "http://hub.cn/from2": page("没有人跟来"),
        "http://hub.cn/3": answer(200, page("基金三", "/from3").encode(), X_Robots_Tag="noindex, nofollow"),
        "http://hub.cn/from3": page("没有人跟来"),
        "http://hub.cn/4": answer(200, page("基金四", "/from4").encode(), X_Robots_Tag="otherbot: none"),
        "http://hub.cn/from4": page("跟来了的基金"),
        "http://hub.cn/5": answer(200, page("基金五").encode(), X_Robots_Tag=old),
        "http://hub.cn/6": page("天气", head=asks, text="周末天气晴朗，适合出门散步。"),
        "http://hub.cn/7": page("私密基金七", head='<meta name="robots" content="index">' + asks),
        "http://hub.cn/8": page("基金八", head='<meta name="googlebot" content="noindex">'),
    }
    ran = crawl(pages, **OPTIONS)
    web, folder = ran.web, ran.job
    assert sorted(one.url for one in Job(folder).pages()) == [
        f"http://hub.cn/{path}" for path in ("", "2", "4", "8", "from1", "from4")
    ]
    found = ends(folder)
    assert {path: found[f"http://hub.cn/{path}"] for path in "123567"} == {
        "1": (State.DISCARDED, "noindex (meta robots)"),
        "2": (State.COMPLETED, "kept; links not followed: nofollow (meta topiccrawler)"),
        "3": (State.DISCARDED, "noindex (X-Robots-Tag); links not followed: nofollow (X-Robots-Tag)"),
        "5": (State.DISCARDED, "unavailable_after (X-Robots-Tag)"),
        "6": (State.DISCARDED, "off topic"),
        "7": (State.DISCARDED, "noindex (meta robots)"),
    }
    assert not {"http://hub.cn/from2", "http://hub.cn/from3"} & {*found, *web.fetched()}
    stats = stats_of(folder)
    assert {key: count for key, count in stats.items() if "robots_tags" in key} == {
        "topic/robots_tags/nofollow": 2,
        "topic/robots_tags/noindex": 4,
    }
    assert list(open_sample(folder).records()) == []
    why = forked_scrapy("explain", "http://hub.cn/3", "--job", str(folder))
    assert (
        "State     discarded: noindex (X-Robots-Tag); links not followed: nofollow (X-Robots-Tag)" in why.out
    )

    folder = crawl(web, job="other", TOPIC_ROBOTS_TAGS_OBEY=False, **OPTIONS).job
    assert len(list(Job(folder).pages())) == 12
    assert not [key for key in stats_of(folder) if "robots_tags" in key]


def test_a_page_that_asks_so_when_it_is_looked_at_again_leaves_the_corpus(
    crawl: Crawl, forked_scrapy: Any
) -> None:
    asks = '<meta name="robots" content="noindex">'
    pages = {
        "http://hub.cn/": page("股票", "/1", "/2", "/3", "/4"),
        "http://hub.cn/1": page("基金一", text="基金一号净值上涨，投资者买入。"),
        "http://hub.cn/2": page("基金二", text="基金二号净值下跌，投资者卖出。"),
        "http://hub.cn/3": page("天气", "/5", text="周末天气晴朗，适合出门散步。"),
        "http://hub.cn/4": page("基金一", text="基金一号净值上涨，投资者买入。"),  # a copy of the first
        "http://hub.cn/5": page("基金五", text="基金五号净值持平，投资者等待。"),
    }
    ran = crawl(pages, **OPTIONS)
    web, folder = ran.web, ran.job
    before = {one.url[-1] for one in Job(folder).pages()}
    assert before >= {"1", "2", "5"}
    assert [one.url for one in open_sample(folder).records()] == ["http://hub.cn/3"]
    for number, title in ((1, "基金一"), (3, "天气")):
        web.pages[f"http://hub.cn/{number}"] = page(title, head=asks)
    crawl(web, revisit="true", **OPTIONS)
    assert {one.url[-1] for one in Job(folder).pages()} == before - {"1", "4"}
    assert list(open_sample(folder).records()) == []
    listed = forked_scrapy("pages", str(folder), "--refused", "--json").out
    refused = {line["url"][-1]: line["refusal"] for line in json_lines(listed)}
    assert refused == {"1": "noindex (meta robots)", "4": "noindex (meta robots)"}
    assert "(noindex (meta robots))" in forked_scrapy("pages", str(folder), "--refused").out
    why = forked_scrapy("explain", "http://hub.cn/1", "--job", str(folder)).out
    assert "by the page's own wish, noindex (meta robots): not kept any more" in why
    assert forked_scrapy("pages", str(folder), "judge").code == 0
    assert {one.url[-1] for one in Job(folder).pages()} == before - {"1", "4"}


ROBOTS = """
User-agent: *
Content-Usage: train-ai=y
Content-Usage: /ai/no/ train-ai=n, search=y
Content-Usage: /%E5%9F%BA%E9%87%91/ train-ai=n
Content-Signal: search=yes, ai-train=no, ai-input=no

User-agent: otherbot
Content-Usage: search=n
"""
TDM = b"""[
 {"location": "/open/*", "tdm-reservation": 0},
 {"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://a.cn/policy; v=1"}]"""
SIGNAL = "train-ai=n, ai-use=n; source=robots.txt Content-Signal"


def test_what_is_said_about_use_is_kept_with_each_page_and_its_source(crawl: Crawl) -> None:
    noai = '<meta name="robots" content="noai, noimageai">'
    both = {"tdm-reservation": "1", "Content-Usage": "train-ai=n;x=1, search=y, ai-use=?1"}
    pages = {
        "http://hub.cn/": page(
            "股票", "/ai/no/1", "/基金/2", "http://a.cn/", "http://a.cn/open/1", "http://a.cn/open/2",
            "http://b.cn/", "http://c.cn/", "http://c.cn/2", "http://d.cn/",
        ),
        "http://hub.cn/robots.txt": answer(200, ROBOTS.replace("search=yes, ", "").encode(), Content_Type="text/plain"),
        "http://hub.cn/ai/no/1": page("基金一"),
        "http://hub.cn/%E5%9F%BA%E9%87%91/2": page("基金二"),
        "http://a.cn/.well-known/tdmrep.json": answer(200, TDM, Content_Type="application/json"),
        "http://a.cn/": page("债券一"),
        "http://a.cn/open/1": page("债券二"),
        "http://a.cn/open/2": page("债券三", head='<meta name="tdm-reservation" content="1">'),
        "http://b.cn/": answer(200, page("银行", head=noai).encode(), **both),
        "http://c.cn/": page("保险一"),
        "http://c.cn/2": page("保险二"),
        "http://d.cn/": page("天气", text="周末天气晴朗，适合出门散步。"),
    }  # fmt: skip
    ran = crawl(pages, **OPTIONS)
    folder = ran.job
    assert {one.url: one.usage for one in Job(folder).pages()} == {
        "http://hub.cn/": f"train-ai=y; source=robots.txt | {SIGNAL}",
        "http://hub.cn/ai/no/1": f"train-ai=n, search=y; source=robots.txt | {SIGNAL}",
        "http://hub.cn/%E5%9F%BA%E9%87%91/2": f"train-ai=n; source=robots.txt | {SIGNAL}",
        "http://a.cn/": "tdm=n, policy=https://a.cn/policy%20v=1; source=tdmrep.json",
        "http://a.cn/open/1": "tdm=y; source=tdmrep.json",
        "http://a.cn/open/2": "tdm=n; source=meta tdm-reservation",
        "http://b.cn/": "train-ai=n, search=y; source=header Content-Usage | train-ai=n; source=meta robots"
        " | train-ai-images=n; source=meta robots | tdm=n; source=header tdm-reservation",
        "http://c.cn/": "unstated",
        "http://c.cn/2": "unstated",
    }
    asked = [url for url in ran.web.asked if url.endswith("tdmrep.json")]
    assert sorted(asked) == [f"http://{host}/.well-known/tdmrep.json" for host in ("a.cn", "c.cn", "hub.cn")]
    assert stats_of(folder)["topic/tdm_files/asked"] == 3


def test_a_host_that_does_not_answer_about_use_holds_up_nobody_else(crawl: Crawl) -> None:
    """Its own pages wait until the others are fetched; a file that robots.txt forbids is not asked for."""
    others = [f"http://b.cn/{number}" for number in range(6)]
    served, all_served = set[str](), threading.Event()

    def serve(url: str) -> str:
        served.add(url)
        if len(served) == len(others):
            all_served.set()
        return page(f"基金{others.index(url)}")

    def file() -> Any:
        return answer(200, b'[{"location": "/", "tdm-reservation": 1}]' if all_served.wait(8) else b"[]")

    pages = {
        "http://hub.cn/": page("股票", *others),
        "http://hub.cn/.well-known/tdmrep.json": file,
        "http://b.cn/robots.txt": answer(
            200, b"User-agent: *\nDisallow: /.well-known/", Content_Type="text/plain"
        ),
        **{url: partial(serve, url) for url in others},
    }
    ran = crawl(pages, **OPTIONS)
    found = {one.url: one.usage for one in Job(ran.job).pages()}
    assert found == {"http://hub.cn/": "tdm=n; source=tdmrep.json", **dict.fromkeys(others, "unstated")}
    assert "http://b.cn/.well-known/tdmrep.json" not in ran.web.asked
