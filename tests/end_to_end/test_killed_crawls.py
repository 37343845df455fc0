"""kill -9 of `scrapy crawl topic` at random moments: no URL lost, none stored twice, few fetched twice.

Four kills in the usual run; TOPICCRAWLER_KILLS=20 for the long one.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("TOPICCRAWLER_KILLS", "4"))
CONCURRENCY = 8
HOSTS = 12
PAGES_A_KILL = (1, 40)  # a process is killed after so many requests, drawn at random,
MOMENT_SECONDS = 0.03  # and up to so much later
FUNDS = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。" * 8
SPORT = "球队昨晚在主场取得胜利，球员表现出色，教练对比赛结果表示满意。" * 8
CHILDREN = 6
DEADLINE_SECONDS = 180  # for one process on a busy machine
ENDS = (State.COMPLETED, State.DISCARDED)


def address(number: int) -> str:
    return f"http://h{number % HOSTS}.example/p{number}"


class Killer:
    """Draws a web whose pages count the requests, and kills a process a random moment after a given one."""

    def __init__(
        self, forked_scrapy: Any, draw_web: Callable[..., Any], draw: random.Random, count: int
    ) -> None:
        self.forked_scrapy, self.draw = forked_scrapy, draw
        self.pages = {address(number): self.counted(page(number, count)) for number in range(count)}
        self.web = draw_web(self.pages)
        self.left = -1  # requests until the kill; below zero there is none
        self.process: Any = None

    def counted(self, html: str) -> Callable[[], str]:
        def answer() -> str:
            self.left -= 1
            if self.left == 0 and self.process is not None:
                threading.Timer(self.draw.uniform(0.0, MOMENT_SECONDS), self.process.kill).start()
            return html

        return answer

    def crawl(self, job: Path, log: Path, requests: int = -1) -> tuple[int, set[str]]:
        """Begin the job or go on with it, until it is killed or ends: how, and what it fetched."""
        before = len(self.web.asked)
        self.left = requests
        self.process = self.forked_scrapy.begin(*command_line(job, log), proxy=self.web.proxy)
        code = self.process.wait(DEADLINE_SECONDS).code
        self.web.settle()
        fetched = self.web.asked[before:]
        assert len(fetched) == len(set(fetched))  # one process asks for a page once
        return code, set(fetched)


def page(number: int, count: int) -> str:
    """A tree: page n links to n*6+1 … n*6+6, to its parent and to the first; two pages of three are about finance."""
    children = range(number * CHILDREN + 1, min(count, number * CHILDREN + CHILDREN + 1))
    linked = [*children, max(0, number - 1) // CHILDREN, 0]
    links = "".join(f'<li><a href="{address(to)}">基金{to}</a></li>' for to in linked)
    return f"<title>第{number}页</title><p>{FUNDS if is_about(number) else SPORT}</p><ul>{links}</ul>"


def is_about(number: int) -> bool:
    return number % 3 != 2


def command_line(job: Path, log: Path) -> list[str]:
    settings = {
        "JOBDIR": job, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": CONCURRENCY, "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "LOG_FILE": log,
    }  # fmt: skip
    words = [
        "crawl",
        "topic",
        "-a",
        "topic=finance",
        "-a",
        f"seeds={address(0)}",
        "-a",
        "strategy=best_first",
    ]
    for name, value in settings.items():
        words += ["-s", f"{name}={value}"]
    return words


def check_disk(job: Path, known_before: set[str]) -> tuple[set[str], set[str]]:
    """What a kill leaves behind is whole: the URLs that are known, and those of them that are done."""
    with SqliteFrontier(job / "frontier.sqlite", read_only=True) as frontier:
        rows = {row.link.url: row.state for row in frontier.look().rows()}
    assert known_before <= set(rows)
    stored = stored_pages(job)
    assert len(stored) == len(set(stored))
    assert {url for url, state in rows.items() if state is State.COMPLETED} <= set(stored)
    return set(rows), {url for url, state in rows.items() if state in ENDS}


def stored_pages(job: Path) -> list[str]:
    path = job / "pages.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as store:
        return [url for (url,) in store.execute("SELECT url FROM pages")]


def test_a_crawl_killed_again_and_again_loses_no_page_and_stores_none_twice(
    forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    draw = random.Random(20)
    after = [draw.randint(*PAGES_A_KILL) for _ in range(KILLS)]
    count = sum(after) + CONCURRENCY * KILLS  # more than are fetched before the last kill
    killer = Killer(forked_scrapy, draw_web, draw, count)
    job, log = tmp_path / "job", tmp_path / "log"
    known: set[str] = set()
    done: set[str] = set()
    to_repeat: list[int] = []  # by kill
    for requests in after:
        code, fetched = killer.crawl(job, log, requests)
        assert code == -signal.SIGKILL, log.read_text()
        assert not fetched & done
        known, done = check_disk(job, known)
        to_repeat.append(len(fetched - done))
    code, fetched = killer.crawl(job, log)
    assert code == 0, log.read_text()
    assert not fetched & done

    every = {address(number) for number in range(count)}
    assert set(killer.web.asked) == every  # no page was lost
    assert max(to_repeat) <= CONCURRENCY, to_repeat
    assert len(killer.web.asked) - count <= sum(to_repeat)
    with SqliteFrontier(job / "frontier.sqlite", read_only=True) as frontier:
        ends = {row.link.url: row.state for row in frontier.look().rows()}
    about = {address(number) for number in range(count) if is_about(number)}
    assert ends == {url: State.COMPLETED if url in about else State.DISCARDED for url in every}
    assert sorted(stored_pages(job)) == sorted(about)  # none was stored twice
    visits = [json.loads(line)["url"] for line in (job / "visits.jsonl").read_text().splitlines()]
    assert set(visits) == every
