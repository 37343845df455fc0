"""`scrapy crawl topic` as a user types it, on webs served over real HTTP."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.page_stores import refused_in, visits_of
from topiccrawler.job_database import JOB_DATABASE

ROOT = Path(__file__).parents[2]
FAST = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "LOG_LEVEL=INFO")
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8


def page(title: str, text: str, *links: tuple[str, str]) -> str:
    """A page with a title, a paragraph and links."""
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p><ul>{anchors}</ul></body></html>"


@pytest.fixture
def crawl(forked_scrapy: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Crawl a drawn web; results lie in tmp_path/data/job."""

    def run(
        web: Any,
        *args: str,
        seeds: str = "http://hub.example/",
        strategy: str = "breadth_first",
        constants: Mapping[str, float] = {},
    ) -> Any:
        return forked_scrapy(
            "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={seeds}", "-a", f"strategy={strategy}",
            "-s", f"TOPIC_DATA_DIR={tmp_path / 'data'}", "-s", "TOPIC_JOB=job", *FAST, *args,
            proxy=web.proxy, constants=constants,
        )  # fmt: skip

    return run


def assert_documented_queries_show_the_text(pages: Path, text: str) -> None:
    """Run the SQL of the documentation on a page store of one page, in Python and, where it is installed, by `sqlite3`."""
    for documented in ("docs/results.md",):
        written = (ROOT / documented).read_text(encoding="utf-8")
        by_command = re.findall(r'^sqlite3 \S+/\w+\.sqlite "(SELECT .*)"$', written, re.MULTILINE)
        by_pandas = re.findall(r'pandas\.read_sql\("(SELECT .*)", sqlite3\.connect\(', written)
        assert (len(by_command), len(by_pandas)) == (1, 1)
        with closing(sqlite3.connect(pages)) as store:
            rows = [store.execute(query).fetchall() for query in (*by_command, *by_pandas)]
        assert [[text[:60] in row for row in found] for found in rows] == [[True], [False]]
        assert text in rows[1][0]
        if (program := shutil.which("sqlite3")) is not None:
            ran = subprocess.run([program, pages, *by_command], capture_output=True, text=True, check=True)
            assert text[:60] in ran.stdout


def test_pages_are_fetched_in_order_classified_stored_logged_and_exported(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], tmp_path: Path
) -> None:
    web = draw_web(
        {
            "http://hub.example/": page(
                "导航", "网址大全", ("/fund", "基金"), ("http://sport.example/", "体育")
            ),
            "http://hub.example/fund": page("基金净值", FUNDS, ("/", "首页"), ("/gone", "旧闻")),
            "http://sport.example/": page("体育", SPORT),
        }
    )
    feed = tmp_path / "out.jsonl"
    ran = crawl(web, "-o", str(feed), "-s", "CONCURRENT_REQUESTS=1")
    assert ran.code == 0, ran.err
    assert web.fetched() == [
        "http://hub.example/", "http://hub.example/fund", "http://sport.example/", "http://hub.example/gone",
    ]  # fmt: skip
    items = [json.loads(line) for line in feed.read_text(encoding="utf-8").splitlines()]
    assert [(item["url"], item["title"], item["source_url"], item["anchor"]) for item in items] == [
        ("http://hub.example/fund", "基金净值", "http://hub.example/", "基金")
    ]
    with closing(sqlite3.connect(tmp_path / "data/job/job.sqlite")) as store:
        assert store.execute("SELECT url, topic, encoding FROM pages").fetchall() == [
            ("http://hub.example/fund", "finance", "utf-8")
        ]
    assert_documented_queries_show_the_text(tmp_path / "data/job/job.sqlite", items[0]["text"])
    visits = [asdict(visit) for visit in visits_of(tmp_path / "data/job")]
    assert [(visit["url"], visit["status"], visit["stored"]) for visit in visits] == [
        ("http://hub.example/", 200, False),
        ("http://hub.example/fund", 200, True),
        ("http://sport.example/", 200, False),
        ("http://hub.example/gone", 404, False),
    ]
    assert "'topic/pages': 3" in ran.err
    assert "'topic/kept': 1" in ran.err
    assert re.search(r"\b3 \D+1 \D+0\.33 \D+3: 0\.33\D+0 \D+2 ", ran.err)


def test_redirects_end_their_lease_and_fetch_no_page_twice(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    web = draw_web(
        {
            "http://hub.example/": page(
                "导航", "", ("/old", "旧"), ("/new", "新"), ("http://away.example/x", "外"), ("/loop", "圈")
            ),
            "http://hub.example/old": answer(301, Location="/new"),
            "http://hub.example/new": page("新", FUNDS),
            "http://away.example/x": answer(302, Location="http://far.example/y"),
            "http://far.example/y": page("远", FUNDS),
            "http://hub.example/loop": answer(302, Location="/loop2"),
            "http://hub.example/loop2": answer(302, Location="/loop"),
        }
    )
    ran = crawl(web, "-s", "CONCURRENT_REQUESTS=1")
    assert ran.code == 0, ran.err
    assert web.fetched() == [
        "http://hub.example/", "http://hub.example/old", "http://hub.example/new",
        "http://away.example/x", "http://far.example/y", "http://hub.example/loop", "http://hub.example/loop2",
    ]  # fmt: skip
    assert "'topic/kept': 2" in ran.err
    assert "frontier/ended/swept" not in ran.err


def test_a_busy_server_is_asked_again_when_it_said_and_the_page_is_not_lost(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    answers = iter([answer(503, Retry_After="1"), page("基金", FUNDS)])
    web = draw_web(
        {
            "http://hub.example/": page("导航", "", ("/busy", "去")),
            "http://hub.example/busy": lambda: next(answers),
        }
    )
    ran = crawl(web)
    assert web.fetched() == ["http://hub.example/", "http://hub.example/busy", "http://hub.example/busy"]
    assert "'topic/kept': 1" in ran.err
    assert "'frontier/back_offs/retry_after': 1" in ran.err


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_is_busy_at_its_robots_txt_is_asked_for_no_page_before_it_said(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any], status: int
) -> None:
    times: list[float] = []

    def robots_txt() -> Any:
        times.append(time.monotonic())
        if status == 503 and len(times) > 2:  # the request and its retry
            return answer(200, b"User-agent: *", Content_Type="text/plain")
        return answer(status, Retry_After="2")

    def funds() -> str:
        times.append(time.monotonic())
        return page("基金", FUNDS)

    web = draw_web({"http://hub.example/robots.txt": robots_txt, "http://hub.example/": funds})
    ran = crawl(web, constants={"topiccrawler.engine.robots_middleware.RETRY_SECONDS": 1.0})
    assert ran.code == 0, ran.err
    assert web.fetched() == ["http://hub.example/"]
    assert max(later - before for before, later in pairwise(times)) > 1.9
    assert "'topic/kept': 1" in ran.err
    assert "frontier/ended/swept" not in ran.err


@pytest.mark.parametrize(("more", "fetched"), [((), False), (("-s", "TOPIC_LINK_THRESHOLD=0"), True)])
def test_the_gate_keeps_hopeless_links_out_of_the_queue_unless_it_is_opened(
    more: tuple[str, ...],
    fetched: bool,
    draw_web: Callable[..., Any],
    crawl: Callable[..., Any],
    tmp_path: Path,
) -> None:
    hopeless = ("http://sport.example/nba/7.html", "NBA篮球比赛直播 足球联赛球员进球集锦")
    links = [("/fund", "基金净值"), ("/more", "下一页"), hopeless]
    web = draw_web(
        {
            "http://hub.example/": page("导航", "网址大全", *links),
            "http://hub.example/fund": page("基金净值", FUNDS),
            "http://hub.example/more": page("更多", "网址"),
            hopeless[0]: page("体育", SPORT),
        }
    )
    ran = crawl(web, *more, strategy="adaptive")
    assert ran.code == 0, ran.err
    assert {"http://hub.example/fund", "http://hub.example/more"} < set(web.fetched())
    assert (hopeless[0] in web.fetched()) is fetched
    assert ("'topic/gate/not_queued': 1" in ran.err) is not fetched
    noted = [link for file in tmp_path.rglob(JOB_DATABASE) for link in refused_in(file.parent)]
    assert [(link.url, link.source_url) for link in noted] == (
        [] if fetched else [(hopeless[0], "http://hub.example/")]
    )


def test_hostile_pages_do_no_harm(
    draw_web: Callable[..., Any], crawl: Callable[..., Any], answer: Callable[..., Any]
) -> None:
    hrefs = [
        "http://[::bad",
        "javascript:void(0)",
        "mailto:a@b.example",
        "",
        "#top",
        "http://a b.example/",
        "//",
        "/fund",
    ]
    two_roots = (
        f"<html><body><p>页首</p></body></html><html><body><a href='/second'>第二</a>{FUNDS}</body></html>"
    )
    web = draw_web(
        {
            "http://hub.example/": page(
                "导航",
                "",
                *((href, "链接") for href in hrefs),
                ("/two", "两"),
                ("/big", "大"),
                ("/empty", "空"),
                ("/bytes", "乱"),
            ),
            "http://hub.example/fund": page("基金", FUNDS),
            "http://hub.example/two": two_roots,
            "http://hub.example/second": page("第二", FUNDS),
            "http://hub.example/big": page("大", "<div>" * 50_000 + FUNDS * 2_000),
            "http://hub.example/empty": "",
            "http://hub.example/bytes": answer(200, bytes(range(256)) * 4_000),
        }
    )
    ran = crawl(web)
    assert ran.code == 0
    assert sorted(url.removeprefix("http://hub.example/") for url in web.fetched()) == [
        "", "big", "bytes", "empty", "fund", "second", "two",
    ]  # fmt: skip
    assert "Traceback" not in ran.err
