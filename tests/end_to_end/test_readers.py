"""TOPIC_READERS: a crawl is the same with reading processes as without, and leaves none behind however it ends."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。"
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。"
FOOT = "本站所有内容仅供参考，不构成任何投资建议，投资者据此操作风险自担。"
PAGES, HOSTS, CHILDREN = 40, 5, 4
TIMES = ("time", "fetched", "etag", "modified")
OWN_STATS = ("topic/", "frontier/", "item_", "downloader/response_status", "finish_reason")
DEADLINE_SECONDS = 30.0


def address(number: int) -> str:
    return f"http://h{number % HOSTS}.example/p{number}"


def page(number: int) -> str:
    """Of a tree; each site repeats its foot, and two pages of three are about finance."""
    children = range(number * CHILDREN + 1, min(PAGES, number * CHILDREN + CHILDREN + 1))
    links = "".join(f'<li>基金 <a href="{address(to)}">第{to}页</a> 股票</li>' for to in (*children, 0))
    text = (SPORT if number % 3 == 2 else FUNDS) * 5 + f"这是第{number}页的内容，编号为{number * 7919}。"
    head = f'<title>第{number}页_站点</title><meta name="keywords" content="词{number}">'
    image = f'<a href="/{number}.jpg"><img alt="图{number}"></a>'
    return f"<html lang=zh><head>{head}</head><body><p>{text}</p><p>{FOOT}</p>{image}<ul>{links}</ul></body>"


@pytest.fixture
def web(draw_web: Callable[..., Any]) -> Any:
    return draw_web({address(number): page(number) for number in range(PAGES)})


def words(job: Path, readers: str, concurrency: int = 1) -> list[str]:
    settings = {
        "JOBDIR": job, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": concurrency, "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "TOPIC_READERS": readers,
    }  # fmt: skip
    given = [f"{name}={value}" for name, value in settings.items()]
    return [
        "crawl", "topic", "-a", "topic=finance", "-a", f"seeds={address(0)}", "-a", "strategy=adaptive",
        *(word for setting in given for word in ("-s", setting)),
    ]  # fmt: skip


def rows(file: Path, query: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        found = database.execute(query).fetchall()
    return [{name: row[name] for name in tuple(row.keys()) if name not in TIMES} for row in found]


def result(job: Path) -> dict[str, Any]:
    """All that a crawl has found, without times."""
    visits = [json.loads(line) for line in (job / "visits.jsonl").read_text(encoding="utf-8").splitlines()]
    stats = json.loads((job / "stats.json").read_text(encoding="utf-8"))
    return {
        "pages": rows(job / "pages.sqlite", "SELECT * FROM pages ORDER BY 1"),
        "fingerprints": rows(job / "duplicates.sqlite", "SELECT * FROM fingerprints ORDER BY row"),
        "visits": [{name: value for name, value in visit.items() if name not in TIMES} for visit in visits],
        "stats": {
            name: value
            for name, value in stats.items()
            if name.startswith(OWN_STATS)
            and not name.endswith(("seconds", "_ms"))
            and not name.startswith("frontier/waits/")  # as it was when the progress was reported
        },
    }


def test_pages_log_and_stats_are_the_same_with_readers(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    found = {}
    for readers in ("0", "1", "2", "auto"):
        ran = forked_scrapy(*words(tmp_path / readers, readers), proxy=web.proxy)
        assert ran.code == 0, ran.err
        assert (f" {readers} processes" in ran.err) == (readers in "12")
        found[readers] = result(tmp_path / readers)
    assert len(found["0"]["visits"]) == PAGES
    for readers in ("1", "2", "auto"):
        for part, expected in found["0"].items():
            assert found[readers][part] == expected, (readers, part)


def kin(parent: int) -> set[int]:
    """The processes below it, or that were begun by it and have lost it."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, new = set[int](), {parent}
    while new:
        new = {pid for pid, above in parents.items() if above in new}
        found |= new
    return found


def wait_until(holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + DEADLINE_SECONDS
    while not (found := holds()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def are_gone(pids: set[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_behind(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path, stop: signal.Signals
) -> None:
    slow = [*words(tmp_path / "job", "2", 4), "-s", "DOWNLOAD_DELAY=0.5"]
    crawl = forked_scrapy.begin(*slow, proxy=web.proxy)
    log = tmp_path / "job" / "visits.jsonl"
    wait_until(lambda: log.is_file() and log.read_text(encoding="utf-8").count("\n") > 2)
    begun = kin(crawl.pid)
    assert len(begun) >= 2
    os.kill(crawl.pid, stop)
    assert crawl.wait(DEADLINE_SECONDS).code == (-9 if stop == signal.SIGKILL else 0)
    wait_until(lambda: are_gone(begun))
    ran = forked_scrapy(*words(tmp_path / "job", "2", 4), proxy=web.proxy)
    assert ran.code == 0, ran.err
    visited = [json.loads(line)["url"] for line in log.read_text(encoding="utf-8").splitlines()]
    assert sorted(set(visited)) == sorted(address(number) for number in range(PAGES))


@pytest.mark.slow
def test_readers_that_are_killed_at_random_moments_cost_no_page(
    forked_scrapy: Callable[..., Any], web: Any, tmp_path: Path
) -> None:
    crawl = forked_scrapy.begin(*words(tmp_path / "job", "2", 4), "-s", "DOWNLOAD_DELAY=0.5", proxy=web.proxy)
    for number in range(8):
        for pid in sorted(wait_until(lambda: kin(crawl.pid) or None))[-2 if number % 2 else -1 :]:
            with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
                if b"popen_loky_posix" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.4)
    ran = crawl.wait(120)
    assert ran.code == 0, ran.err
    found = result(tmp_path / "job")
    assert len(found["visits"]) == PAGES
    assert {visit["status"] for visit in found["visits"]} == {200}
    assert not [name for name in found["stats"] if name.startswith("topic/skipped")]
