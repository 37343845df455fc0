"""kill -9 of `scrapy crawl topic` at random moments: no URL lost, none stored twice, few fetched twice.

Four kills in the usual run; TOPICCRAWLER_KILLS=20 for the long one.
"""

import os
import random
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import crawl_words
from tree_web import address, check_all_fetched, check_disk, page

from topiccrawler.crawling.page_stores import visits_of

pytestmark = pytest.mark.slow

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
    return crawl_words(
        job, seeds=address(0), strategy="best_first", ROBOTSTXT_OBEY=False, LOG_FILE=log,
        CONCURRENT_REQUESTS=CONCURRENCY, CONCURRENT_REQUESTS_PER_DOMAIN=CONCURRENCY,
    )  # fmt: skip


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
    check_all_fetched(job, count)
    assert {visit.url for visit in visits_of(job)} == every
