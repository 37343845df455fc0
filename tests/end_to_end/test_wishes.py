"""Crawls obey what pages ask of crawlers, keep what sites say about the use of pages, and count both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from topiccrawler import Job
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.store.pages import PageStore

FUNDS = "基金净值上涨，股票市场成交量放大，投资者买入债券。"
SETTINGS = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False")


def page(title: str, *hrefs: str, head: str = "", text: str = FUNDS) -> str:
    links = "".join(f"<li><a href='{href}'>股票基金</a></li>" for href in hrefs)
    return f"<html><head><title>{title}</title>{head}</head><body><p>{title}：{text * 12}</p><ul>{links}</ul></body></html>"


@pytest.fixture
def crawl(forked_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    def run(web: Any, *more: str, job: str = "job", pages: int = 40) -> Path:
        folder = tmp_path / job
        options = [part for one in (*SETTINGS, f"JOBDIR={folder}", *more) for part in ("-s", one)]
        ran = forked_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", "seeds=http://hub.cn/", "-a", f"pages={pages}",
            *options, proxy=web.proxy,
        )  # fmt: skip
        assert ran.code == 0, ran.err
        return folder

    return run


def ends(folder: Path) -> dict[str, tuple[State, str]]:
    with SqliteFrontier(folder / "frontier.sqlite", read_only=True) as frontier:
        return {row.link.url: (row.state, row.reason) for row in frontier.look().rows()}


def stats_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "stats.json").read_text())
    return found


@pytest.mark.slow
def test_a_page_that_asks_so_is_not_kept_and_its_links_are_not_queued(
    draw_web: Callable[..., Any],
    crawl: Callable[..., Any],
    answer: Callable[..., Any],
    forked_scrapy: Callable[..., Any],
    tmp_path: Path,
) -> None:
    asks = '<meta name="robots" content="noindex">'
    old = "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"
    web = draw_web(
        {
            "http://hub.cn/": page("股票", *(f"/{n}" for n in range(1, 9))),
            "http://hub.cn/1": page("私密基金一", "/from1", head=asks),
            "http://hub.cn/from1": page("链接来的基金"),
            "http://hub.cn/2": page("基金二", "/from2", head='<meta name="topiccrawler" content="nofollow">'),
            "http://hub.cn/from2": page("没有人跟来"),
            "http://hub.cn/3": answer(
                200, page("基金三", "/from3").encode(), X_Robots_Tag="noindex, nofollow"
            ),
            "http://hub.cn/from3": page("没有人跟来"),
            "http://hub.cn/4": answer(200, page("基金四", "/from4").encode(), X_Robots_Tag="otherbot: none"),
            "http://hub.cn/from4": page("跟来了的基金"),
            "http://hub.cn/5": answer(200, page("基金五").encode(), X_Robots_Tag=old),
            "http://hub.cn/6": page("天气", head=asks, text="周末天气晴朗，适合出门散步。"),
            "http://hub.cn/7": page("私密基金七", head='<meta name="robots" content="index">' + asks),
            "http://hub.cn/8": page("基金八", head='<meta name="googlebot" content="noindex">'),
        }
    )
    folder = crawl(web)
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
    sample = PageStore(folder / "discarded.sqlite") if (folder / "discarded.sqlite").is_file() else None
    assert sample is None or [record.url for record in sample.records()] == []
    why = forked_scrapy("explain", "http://hub.cn/3", "--job", str(folder))
    assert (
        "State     discarded: noindex (X-Robots-Tag); links not followed: nofollow (X-Robots-Tag)" in why.out
    )

    folder = crawl(web, "TOPIC_ROBOTS_TAGS_OBEY=False", job="other")
    assert len(list(Job(folder).pages())) == 12
    assert not [key for key in stats_of(folder) if "robots_tags" in key]
