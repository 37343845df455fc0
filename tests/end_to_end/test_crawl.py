"""`scrapy crawl topic` as a user types it, on webs served over real HTTP."""

import re
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import FUNDS, HUB, SPORT, Crawl, json_lines, page, stored
from drawn_web import answer

from topiccrawler.crawling.page_stores import refused_in, visits_of

ROOT = Path(__file__).parents[2]


def assert_documented_queries_show_the_text(pages: Path, text: str) -> None:
    """Run the SQL of the documentation on a page store of one page, in Python and, where it is installed, by `sqlite3`."""
    written = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
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
    crawl: Crawl, tmp_path: Path
) -> None:
    pages = {
        HUB: page("导航", "网址大全", "/fund", ("http://sport.example/", "体育")),
        f"{HUB}fund": page("基金净值", FUNDS, ("/", "首页"), ("/gone", "旧闻")),
        "http://sport.example/": page("体育", SPORT),
    }
    feed = tmp_path / "out.jsonl"
    ran = crawl(
        pages, "-o", str(feed), JOBDIR=None, TOPIC_DATA_DIR=tmp_path, TOPIC_JOB="job", CONCURRENT_REQUESTS=1
    )
    fetched = [HUB, f"{HUB}fund", "http://sport.example/", f"{HUB}gone"]
    assert ran.web.fetched() == fetched
    items = json_lines(feed.read_text(encoding="utf-8"))
    assert [(item["url"], item["title"], item["source_url"], item["anchor"]) for item in items] == [
        (f"{HUB}fund", "基金净值", HUB, "基金")
    ]
    assert [(one.url, one.topic, one.encoding) for one in stored(ran.job).values()] == [
        (f"{HUB}fund", "finance", "utf-8")
    ]
    assert_documented_queries_show_the_text(ran.job / "job.sqlite", items[0]["text"])
    visits = [asdict(visit) for visit in visits_of(ran.job)]
    assert [(visit["url"], visit["status"], visit["stored"]) for visit in visits] == list(
        zip(fetched, (200, 200, 200, 404), (False, True, False, False), strict=True)
    )
    assert "'topic/pages': 3" in ran.err
    assert "'topic/kept': 1" in ran.err
    assert re.search(r"\b3 \D+1 \D+0\.33 \D+3: 0\.33\D+0 \D+2 ", ran.err)


def test_redirects_end_their_lease_and_fetch_no_page_twice(crawl: Crawl) -> None:
    pages = {
        HUB: page(
            "导航", "", ("/old", "旧"), ("/new", "新"), ("http://away.example/x", "外"), ("/loop", "圈")
        ),
        f"{HUB}old": answer(301, Location="/new"),
        f"{HUB}new": page("新", FUNDS),
        "http://away.example/x": answer(302, Location="http://far.example/y"),
        "http://far.example/y": page("远", FUNDS),
        f"{HUB}loop": answer(302, Location="/loop2"),
        f"{HUB}loop2": answer(302, Location="/loop"),
    }
    ran = crawl(pages, CONCURRENT_REQUESTS=1)
    assert ran.web.fetched() == list(pages)
    assert "'topic/kept': 2" in ran.err
    assert "frontier/ended/swept" not in ran.err


def test_a_busy_server_is_asked_again_when_it_said_and_the_page_is_not_lost(crawl: Crawl) -> None:
    answers = iter([answer(503, Retry_After="1"), page("基金", FUNDS)])
    ran = crawl({HUB: page("导航", "", ("/busy", "去")), f"{HUB}busy": lambda: next(answers)})
    assert ran.web.fetched() == [HUB, f"{HUB}busy", f"{HUB}busy"]
    assert "'topic/kept': 1" in ran.err
    assert "'frontier/back_offs/retry_after': 1" in ran.err


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_is_busy_at_its_robots_txt_is_asked_for_no_page_before_it_said(
    crawl: Crawl, status: int
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

    soon = {"topiccrawler.engine.robots_middleware.RETRY_SECONDS": 1.0}
    ran = crawl({f"{HUB}robots.txt": robots_txt, HUB: funds}, constants=soon)
    assert ran.web.fetched() == [HUB]
    assert max(later - before for before, later in pairwise(times)) > 1.9
    assert "'topic/kept': 1" in ran.err
    assert "frontier/ended/swept" not in ran.err


@pytest.mark.parametrize("is_open", [False, True])
def test_the_gate_keeps_hopeless_links_out_of_the_queue_unless_it_is_opened(
    crawl: Crawl, is_open: bool
) -> None:
    hopeless = ("http://sport.example/nba/7.html", "NBA篮球比赛直播 足球联赛球员进球集锦")
    pages = {
        HUB: page("导航", "网址大全", ("/fund", "基金净值"), ("/more", "下一页"), hopeless),
        f"{HUB}fund": page("基金净值", FUNDS),
        f"{HUB}more": page("更多", "网址"),
        hopeless[0]: page("体育", SPORT),
    }
    ran = crawl(pages, strategy="adaptive", TOPIC_LINK_THRESHOLD=0 if is_open else None)
    assert set(ran.web.fetched()) == set(pages) - (set() if is_open else {hopeless[0]})
    assert ("'topic/gate/not_queued': 1" in ran.err) is not is_open
    noted = [(link.url, link.source_url) for link in refused_in(ran.job)]
    assert noted == ([] if is_open else [(hopeless[0], HUB)])


def test_hostile_pages_do_no_harm(crawl: Crawl) -> None:
    hrefs = (
        "http://[::bad", "javascript:void(0)", "mailto:a@b.example", "", "#top", "http://a b.example/", "//", "/fund",
    )  # fmt: skip
    two_roots = (
        f"<html><body><p>页首</p></body></html><html><body><a href='/second'>第二</a>{FUNDS}</body></html>"
    )
    pages = {
        HUB: page("导航", "", *((href, "链接") for href in hrefs), "/two", "/big", "/empty", "/bytes"),
        f"{HUB}fund": page("基金", FUNDS),
        f"{HUB}two": two_roots,
        f"{HUB}second": page("第二", FUNDS),
        f"{HUB}big": page("大", "<div>" * 50_000 + FUNDS * 2_000),
        f"{HUB}empty": "",
        f"{HUB}bytes": answer(200, bytes(range(256)) * 4_000),
    }
    ran = crawl(pages)
    assert sorted(ran.web.fetched()) == sorted(pages)
    assert "Traceback" not in ran.err
