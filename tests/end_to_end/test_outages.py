"""The web goes away under a running crawl, and under one that is killed meanwhile: no URL is lost, and none is fetched twice in vain.

Short outages in the usual run; TOPICCRAWLER_OUTAGE_SECONDS=60 and TOPICCRAWLER_KILLS=20 for the long one.
"""

import os
import random
import signal
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn_crawls import crawl_words, stats_of
from drawn_web import answer
from tree_web import HOSTS, address, check_all_fetched, check_disk, page

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("TOPICCRAWLER_OUTAGE_SECONDS", "3"))
KILLS = int(os.environ.get("TOPICCRAWLER_KILLS", "2"))
CONCURRENCY = 8
DEADLINE_SECONDS = 300.0


class Weather:
    """A web of several hosts that can be cut off: connections are then closed without a byte, those that are kept alive too.

    `outages`: after how many pages each outage begins. `served`: the pages served, in order.
    """

    def __init__(self, draw_web: Callable[..., Any], count: int) -> None:
        self.outages: list[int] = []
        self.served: list[str] = []
        self.refused = 0
        self.seconds: float | None = SECONDS  # of an outage; None = until `back`
        self.on_outage: Callable[[], object] = lambda: None
        self.away = threading.Event()
        pages: dict[str, Any] = {
            address(number): self._served(address(number), page(number, count)) for number in range(count)
        }
        for host in range(HOSTS):
            pages[f"http://h{host}.example/robots.txt"] = self._served("", answer(404))
        self.web = draw_web(pages)
        server = self.web.server
        server.verify_request = self._verify
        server.handle_error = lambda *_: None

    def back(self) -> None:
        self.away.clear()

    def _verify(self, *_: object) -> bool:
        if self.away.is_set():
            self.web.server.open += 1  # it counts the end of each
            self.refused += 1
        return not self.away.is_set()

    def _served(self, url: str, page: Any) -> Callable[[], Any]:
        def serve() -> Any:
            if url and self.outages and len(self.served) >= self.outages[0] and not self.away.is_set():
                self.outages.pop(0)
                self.away.set()
                self.on_outage()
                if self.seconds is not None:
                    threading.Timer(self.seconds, self.back).start()
            if self.away.is_set():
                self.refused += 1
                raise ConnectionAbortedError
            if url:
                self.served.append(url)
            return page

        return serve


def command_line(job: Path, log: Path) -> list[str]:
    return crawl_words(
        job, seeds=address(0), strategy="best_first", CONCURRENT_REQUESTS=CONCURRENCY, LOG_FILE=log,
        FRONTIER_BACKOFF_SECONDS=0.5,
    )  # fmt: skip


def test_a_web_that_goes_away_three_times_costs_no_page(
    forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    count = 300
    weather = Weather(draw_web, count)
    weather.outages = [40, 120, 200]
    job, log = tmp_path / "job", tmp_path / "log"
    ran = forked_scrapy.begin(*command_line(job, log), proxy=weather.web.proxy).wait(DEADLINE_SECONDS)
    assert ran.code == 0, log.read_text()
    assert weather.outages == []
    check_all_fetched(job, count)
    assert max(Counter(weather.served).values()) == 1
    assert log.read_text().count("is away: connections to") == 3, [
        line for line in log.read_text().splitlines() if "outages" in line
    ]
    assert log.read_text().count("is back after") == 3
    assert weather.refused < 3 * (2 * CONCURRENCY + 10)  # what was under way, robots.txt, probes
    stats = stats_of(job)
    assert (stats["frontier/outages"], stats.get("frontier/ended/error", 0)) == (3, 0)


def test_a_crawl_killed_again_and_again_while_the_web_is_away_loses_nothing(
    forked_scrapy: Any, draw_web: Callable[..., Any], tmp_path: Path
) -> None:
    draw = random.Random(58)
    count = 30 * (KILLS + 2)
    weather = Weather(draw_web, count)
    weather.seconds = None
    job, log = tmp_path / "job", tmp_path / "log"
    known: set[str] = set()
    done: set[str] = set()
    repeated: list[int] = []
    begun: list[Any] = []
    weather.on_outage = lambda: threading.Timer(draw.uniform(0.0, 2.0), begun[-1].kill).start()
    for _ in range(KILLS):
        before = len(weather.served)
        weather.outages = [before + draw.randint(5, 25)]
        begun.append(forked_scrapy.begin(*command_line(job, log), proxy=weather.web.proxy))
        if weather.away.is_set():  # it resumes while the web is still away
            threading.Timer(draw.uniform(1.0, 1.0 + SECONDS), weather.back).start()
        assert begun[-1].wait(DEADLINE_SECONDS).code == -signal.SIGKILL, log.read_text()
        fetched = set(weather.served[before:])
        assert not fetched & done
        known, done = check_disk(job, known)
        repeated.append(len(fetched - done))
    before = len(weather.served)
    begun.append(forked_scrapy.begin(*command_line(job, log), proxy=weather.web.proxy))
    threading.Timer(SECONDS, weather.back).start()
    assert begun[-1].wait(DEADLINE_SECONDS).code == 0, log.read_text()
    assert not set(weather.served[before:]) & done
    check_all_fetched(job, count)
    assert max(repeated) <= CONCURRENCY, repeated
    assert len(weather.served) - count <= sum(repeated)
