"""Several processes on one crawl in Redis: they end together, and neither a killed process nor a killed Redis loses a page."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from drawn_crawls import FUNDS, crawl_words
from forked_scrapy import ForkedScrapy, Started
from redis_cluster import RedisNodes
from redis_server import RedisServer

pytestmark = pytest.mark.slow

HOSTS, PAGES, CHILDREN = 8, 100, 4
DELAY_SECONDS = 0.05
PATIENCE_SECONDS = 120.0
SOON_DEAD = {"topiccrawler.cluster.redis.server.WORKER_SECONDS": 3.0}


def address(number: int) -> str:
    return f"http://h{number % HOSTS}.example/p{number}"


def until(what: Callable[[], bool]) -> None:
    """Ask again until it is so."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not what():
        assert time.monotonic() < end
        threading.Event().wait(0.05)


class Crawl:
    """A web of pages that link to the next ones, and processes that crawl it together."""

    def __init__(
        self,
        forked_scrapy: ForkedScrapy,
        draw_web: Callable[..., Any],
        server: RedisServer | RedisNodes,
        folder: Path,
        strategy: str,
    ) -> None:
        self.forked_scrapy = forked_scrapy
        self.server, self.folder, self.job = server, folder, uuid4().hex
        self.strategy = strategy
        self.asked: list[str] = []
        self.reached = threading.Event()
        self.reached_at = -1
        self.delay = DELAY_SECONDS
        self.expected = 2  # processes that have joined before the first page is answered
        self.web = draw_web({address(number): self._page(number) for number in range(PAGES)})
        self.workers: list[Started] = []
        self.logs: list[Path] = []

    def _page(self, number: int) -> Callable[[], str]:
        children = range(number * CHILDREN + 1, min(PAGES, number * CHILDREN + CHILDREN + 1))
        links = "".join(f'<a href="{address(child)}">基金净值{child}</a>' for child in children)
        html = f"<title>基金{number}</title><p>{FUNDS}{number}</p>{links}"

        def answer() -> str:
            if number == 0:
                until(
                    lambda: (
                        self.server.client().zcard(f"topiccrawler:{{{self.job}}}:workers") == self.expected
                    )
                )
            self.asked.append(address(number))
            if len(self.asked) == self.reached_at:
                self.reached.set()
            return html

        return answer

    def words(self, *more: str) -> list[str]:
        """A command line, behind `scrapy`."""
        return crawl_words(
            self.folder, *more, seeds=address(0), strategy=self.strategy, job=self.job, JOBDIR=None, REDIS_URL=self.server.url,
            TOPIC_DATA_DIR=self.folder, DOWNLOAD_DELAY=self.delay, ROBOTSTXT_OBEY=False, TOPIC_DUPLICATES="keep",
            FRONTIER_UNPROVEN_PAGES=0,
        )  # fmt: skip

    def join(self) -> Started:
        """One more process."""
        log = self.folder / f"{len(self.workers)}.log"
        log.touch()
        self.workers.append(
            self.forked_scrapy.begin(*self.words(), proxy=self.web.proxy, err=str(log), constants=SOON_DEAD)
        )
        self.logs.append(log)
        return self.workers[-1]

    def learner(self) -> Started | None:
        """The process that learns for all."""
        client, prefix = self.server.client(), f"topiccrawler:{{{self.job}}}:"
        session = client.hget(f"{prefix}learner", "session")
        who = client.hget(f"{prefix}processes", session) if session else None
        pid = int(who.split()[1]) if who else 0
        return next((worker for worker in self.workers if worker.pid == pid), None)

    def until(self, requests: int) -> None:
        """Wait for so many."""
        self.reached_at = requests
        assert self.reached.wait(PATIENCE_SECONDS), self.told()

    def ended(self, worker: Started) -> str:
        """Its log, when it has ended by itself."""
        assert worker.wait(PATIENCE_SECONDS).code == 0, self.told()
        text = self.logs[self.workers.index(worker)].read_text()
        assert "Traceback" not in text
        assert "'finish_reason': 'finished'" in text, text
        return text

    def told(self) -> str:
        return "\n".join(log.read_text()[-3000:] for log in self.logs)

    def fetched(self) -> Counter[str]:
        self.web.settle()
        return Counter(self.asked)

    def stop(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait()


def test_a_killed_learner_loses_nothing_and_those_left_end_together(
    draw_web: Callable[..., Any], redis_server: RedisServer, forked_scrapy: ForkedScrapy, tmp_path: Path
) -> None:
    """One process orders for the others: its successor goes on with what they told."""
    crawl = Crawl(forked_scrapy, draw_web, redis_server, tmp_path, "pagerank")
    crawl.expected = 3
    try:
        workers = [crawl.join(), crawl.join(), crawl.join()]
        crawl.until(PAGES // 2)
        doomed = crawl.learner()
        doomed.kill()
        left = [worker for worker in workers if worker is not doomed]
        texts = [crawl.ended(worker) for worker in left]
        fetched = crawl.fetched()
        assert set(fetched) == {address(number) for number in range(PAGES)}
        assert sum(fetched.values()) - PAGES <= 2 * HOSTS  # what it had under way or not written yet
        assert all("(docs/scaling.md)" in text for text in texts)  # one of them orders
        assert any("'frontier/learner': 1" in text for text in texts)
        assert all("'frontier/learner': " in text for text in texts)
        late = crawl.join()
        assert "'finish_reason': 'finished'" in crawl.ended(late)
        assert crawl.fetched() == fetched
    finally:
        crawl.stop()


def test_a_killed_redis_loses_nothing_and_the_crawl_waits_for_it(
    draw_web: Callable[..., Any], forked_scrapy: ForkedScrapy, tmp_path: Path
) -> None:
    server = RedisServer().start()
    crawl = Crawl(forked_scrapy, draw_web, server, tmp_path, "adaptive")
    try:
        workers = [crawl.join(), crawl.join()]
        crawl.until(PAGES // 3)
        server.kill()
        logs = crawl.logs
        until(lambda: all("is away" in log.read_text() for log in logs))
        asked = len(crawl.asked)
        server.start()
        assert len(crawl.asked) <= asked + HOSTS  # the crawl stood still
        for worker in workers:
            assert "is back" in crawl.ended(worker)
        assert crawl.fetched() == dict.fromkeys((address(number) for number in range(PAGES)), 1)
    finally:
        crawl.stop()
        server.stop()


def test_on_a_cluster_a_killed_node_loses_nothing_and_the_others_go_on(
    draw_web: Callable[..., Any], forked_scrapy: ForkedScrapy, tmp_path: Path
) -> None:
    nodes = RedisNodes().start()
    crawl = Crawl(forked_scrapy, draw_web, nodes, tmp_path, "adaptive")
    crawl.delay, crawl.job = 0.4, "money"  # of its hosts one is on the first node, two on the second
    try:
        workers = [crawl.join(), crawl.join()]
        crawl.until(PAGES // 4)
        nodes.nodes[1].kill()
        asked = len(crawl.asked)
        under_way = HOSTS  # at most; what comes after them is of the other nodes' hosts
        until(lambda: len(crawl.asked) > asked + under_way)
        until(lambda: all("is away" in log.read_text() for log in crawl.logs))
        nodes.nodes[1].start()
        for worker in workers:
            assert "is back" in crawl.ended(worker)
        assert crawl.fetched() == dict.fromkeys((address(number) for number in range(PAGES)), 1)
        printed = forked_scrapy("frontier", "--job", crawl.job, "--json", "-s", f"REDIS_URL={nodes.url}")
        assert json.loads(printed.out)["states"]["completed"] == PAGES, printed.err
        known = []
        for node in nodes.nodes:
            with node.client() as client:
                known.append(
                    sum(map(client.hlen, client.scan_iter(f"topiccrawler:{{{crawl.job}*i:*", count=1000)))
                )
        assert sum(known) == PAGES
        assert min(known) >= PAGES // HOSTS
    finally:
        nodes.stop()
        crawl.stop()


def test_pages_and_targets_bound_what_all_processes_fetch(
    draw_web: Callable[..., Any], redis_server: RedisServer, forked_scrapy: ForkedScrapy, tmp_path: Path
) -> None:
    crawl = Crawl(forked_scrapy, draw_web, redis_server, tmp_path, "breadth_first")
    crawl.expected = 1
    for bound, total, says in (
        ("pages=5", 5, "5 pages are fetched (-a pages)"),
        ("pages=8", 8, "8 pages are fetched (-a pages)"),
        ("targets=8", 8, "8 articles are kept (-a targets)"),
    ):
        ran = forked_scrapy(*crawl.words("-a", bound), proxy=crawl.web.proxy)
        assert ran.code == 0, ran.err
        assert says in ran.err
        assert sum(crawl.fetched().values()) == total
