"""kill -9 of `scrapy crawl topic` at random moments: no URL lost, none stored twice, few fetched twice.

Four kills in the usual run; TOPICCRAWLER_KILLS=20 for the long one.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked_scrapy import topic_crawl
from tree_web import address, check_disk, is_about, page, stored_pages

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("TOPICCRAWLER_KILLS", "4"))
CONCURRENCY = 8
PAGES_A_KILL = (1, 40)  # a process is killed after so many requests, drawn at random,
MOMENT_SECONDS = 0.03  # and up to so much later
DEADLINE_SECONDS = 180  # for one process on a busy machine


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


def command_line(job: Path, log: Path) -> list[str]:
    settings = {
        "JOBDIR": job, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": CONCURRENCY, "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "LOG_FILE": log,
    }  # fmt: skip
    return topic_crawl(address(0), "best_first", settings)


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
    with SqliteFrontier(JobDatabase(job / "job.sqlite", read_only=True)) as frontier:
        ends = {row.link.url: row.state for row in frontier.look().rows()}
    about = {address(number) for number in range(count) if is_about(number)}
    assert ends == {url: State.COMPLETED if url in about else State.DISCARDED for url in every}
    assert sorted(stored_pages(job)) == sorted(about)  # none was stored twice
    visits = [visit.url for visit in visits_of(job)]
    assert set(visits) == every
