"""Several processes on one crawl in Redis, against one process without: pages fetched twice, gaps of hosts, harvest, time waited.

    python benchmarks/redis_workers.py [--workers 4] [--hosts 200] [--first 5000] [--delay 0.25] [--slots 32] [--pages 0]
                                       [--strategy adaptive] [--nodes 0] [--store] [--kill] [--single] [--json]

A web that ends (benchmarks/webs/bounded.py, a hundred pages a host, a proxy on loopback) is crawled with `adaptive` by so many
processes until all have ended; with --pages until they have that many. `--single` crawls it with one process without Redis, for its first
--first pages. --slots requests may be under way, of all processes together: with more, more of the poorer hosts are asked while the good
ones are busy, by one process as by several. --nodes: of a Redis Cluster; 0 = one server. --store keeps the pages in a PostgreSQL of its own as well. --kill kills (-9) the learner, then another process, then Redis, KILL_SECONDS apart,
and starts it again AWAY_SECONDS later. Of what the web was asked for, in order:

    pages, twice     pages, and requests for pages that had been fetched already
    harvest          share on topic of the first --first pages; `at` = the same of each quarter of them
    short_gaps       gaps between two pages of a host below half of the delay, of all gaps: what a busy machine shortens on the way,
                     one process has as well
    seconds          until the last process ended; pages_per_second
    cpu_ms           CPU of the processes for a page, without 2 s each for their beginning: what tells of the slope where there are fewer
                     cores than processes
    waited           share of the time that a process stood still for Redis: the largest, and the mean
    store            milliseconds of a call of PostgreSQL (two a page kept), and that a page waited for it until the call was done
    lag              pages that a process's scores knew nothing of when it ended: the largest of its last figures
    ended            why each ended
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import _checkout
from webs.bounded import SEED
from webs.endless import is_on_topic
from webs.server import Served, served

from topiccrawler.cluster.redis.client import clients_of
from topiccrawler.crawling.launching import crawl_line

sys.path.append(str(Path(_checkout.ROOT, "examples", "cluster")))
from servers import Postgres, free_port

PAGE = re.compile(r"http://s(\d+)\.example/\w+/(\d+)\.html")
JOB = "bench"
BEGIN_CPU_SECONDS = 2.0  # of a process until its first page, which is not counted
KILL_SECONDS, AWAY_SECONDS = 15.0, 10.0
STORE = ("busy_seconds", "wait_seconds")
SERVER = shutil.which("redis-server") or shutil.which("valkey-server")
CLI = shutil.which("redis-cli") or shutil.which("valkey-cli")


def started(folder: str, *more: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server with an append-only file, as a crawl should have it."""
    path = f"{folder}/s"
    options = ["--port", "0", "--unixsocket", path, "--dir", folder, "--save", "", "--appendonly", "yes"]
    process = subprocess.Popen([str(SERVER), *options, "--logfile", f"{folder}/log", *more])
    while not Path(path).exists():
        time.sleep(0.02)
    return process, path


class Servers:
    """A server, or a Redis Cluster of so many nodes on free ports of loopback. `url`: for REDIS_URL."""

    def __init__(self, folder: str, nodes: int) -> None:
        self.folders = [f"{folder}/{number}" for number in range(max(1, nodes))]
        for one in self.folders:
            Path(one).mkdir()
        ports = [free_port() for _ in range(2 * nodes)]
        self._options = [
            ["--bind", "127.0.0.1", "--port", str(port), "--cluster-enabled", "yes", "--cluster-port", str(bus),
             "--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no"]
            for port, bus in zip(ports[:nodes], ports[nodes:], strict=True)
        ] or [[]]  # fmt: skip
        begun = [started(one, *more) for one, more in zip(self.folders, self._options, strict=True)]
        self._processes, self.sockets = map(list, zip(*begun, strict=True))
        self.url = f"redis://127.0.0.1:{ports[0]}" if nodes else f"unix://{self.sockets[0]}"
        if nodes:
            addresses = [f"127.0.0.1:{port}" for port in ports[:nodes]]
            words = ["--cluster", "create", *addresses, "--cluster-replicas", "0", "--cluster-yes"]
            subprocess.run([str(CLI), *words], check=True, stdout=subprocess.DEVNULL)
        while nodes and not all(one.cluster("INFO")["cluster_state"] == "ok" for one in self.clients()):
            time.sleep(0.05)

    def clients(self) -> list[Any]:
        """Of each."""
        import redis

        return [redis.Redis(unix_socket_path=path) for path in self.sockets]

    def kill(self, number: int) -> None:
        self._processes[number].kill()
        self._processes[number].wait()

    def start(self, number: int) -> None:
        """The one that was killed."""
        Path(self.sockets[number]).unlink(missing_ok=True)
        self._processes[number], _ = started(self.folders[number], *self._options[number])

    def stop(self) -> None:
        for number in range(len(self._processes)):
            self.kill(number)

    def disturb(self, running: list[subprocess.Popen[bytes]]) -> None:
        """Kill the learner, another process and the last server; the server comes back."""
        time.sleep(KILL_SECONDS)
        client = clients_of(self.url, JOB)[0]
        while (session := client.read("HGET", "learner", "session")) is None:
            time.sleep(0.1)
        pid = int(client.read("HGET", "processes", session).split()[1])
        learner = next(process for process in running if process.pid == pid)
        learner.kill()
        time.sleep(KILL_SECONDS)
        next(process for process in running if process is not learner).kill()
        time.sleep(KILL_SECONDS)
        self.kill(-1)
        time.sleep(AWAY_SECONDS)
        self.start(-1)


def crawl(
    web: Served,
    folder: str,
    processes: int,
    arguments: dict[str, Any],
    settings: dict[str, Any],
    disturb: Callable[[list[subprocess.Popen[bytes]]], None] | None = None,
) -> list[str]:
    """Run them together; their logs."""
    environment = {**web.environment(), "PYTHONPATH": f"{_checkout.ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    logs = [Path(folder, f"{number}.log") for number in range(processes)]
    running = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "scrapy",
                *crawl_line(
                    arguments, {**settings, "LOG_FILE": log, "TOPIC_DATA_DIR": folder, "STATS_DUMP": True}
                ),
            ],
            cwd=_checkout.ROOT,
            env=environment,
        )
        for log in logs
    ]
    if disturb is not None:
        disturb(running)
    for process in running:
        process.wait()
    return [log.read_text() for log in logs]


def judged(asked: list[tuple[float, str]], first: int, delay: float) -> dict[str, Any]:
    """What the web saw."""
    pages = [(at, found) for at, url in asked if (found := PAGE.fullmatch(url))]
    met: set[str] = set()
    last: dict[str, float] = {}
    twice, gaps = 0, []
    for at, page in pages:
        twice += page[0] in met
        met.add(page[0])
        if page[1] in last:
            gaps.append(at - last[page[1]])
        last[page[1]] = at
    hits = [is_on_topic(int(page[1]), int(page[2])) for _, page in pages[:first]]
    quarter = max(1, len(hits) // 4)
    return {
        "pages": len(met),
        "twice": twice,
        "harvest": round(sum(hits) / max(1, len(hits)), 4),
        "at": [round(sum(hits[: quarter * n]) / (quarter * n), 4) for n in (1, 2, 3, 4)],
        "short_gaps": f"{sum(gap < delay / 2 for gap in gaps)} of {len(gaps)}",
        "least_gap": round(min(gaps, default=0.0), 3),
    }


def postgres_served(folder: str) -> Postgres:
    """A server of its own; its password goes by the environment."""
    Path(folder).chmod(0o755)  # it may run as another user
    server = Postgres(Path(folder, "postgresql")).start()
    os.environ["PGPASSWORD"] = server.password
    return server


def cpu_of_ended() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def numbers(log: str, key: str) -> float:
    found = re.search(rf"'{re.escape(key)}': ([0-9.]+)", log)
    return float(found[1]) if found else 0.0


def measure(given: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "DOWNLOAD_DELAY": given.delay,
        "AUTOTHROTTLE_ENABLED": False,
        "FRONTIER_UNPROVEN_PAGES": 0,
        "FRONTIER_HOST_UNPRODUCTIVE_PAGES": 0,
        "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES": 0,
        "TOPIC_LINK_THRESHOLD": 0,
        "CONCURRENT_REQUESTS": max(1, given.slots // (1 if given.single else given.workers)),
    }
    arguments: dict[str, Any] = {"topic": "finance", "seeds": SEED, "objective": "time"}
    arguments["strategy"] = given.strategy
    processes = 1 if given.single else given.workers
    most = given.first if given.single else given.pages
    if most:
        arguments["pages"] = most
    with (
        tempfile.TemporaryDirectory(prefix="redis") as folder,
        served("bounded", "--hosts", str(given.hosts)) as web,
        ExitStack() as started_here,
    ):
        begun, shared, disturb = time.monotonic(), dict[str, str](), None
        if not given.single:
            server = Servers(folder, given.nodes)
            started_here.callback(server.stop)
            shared["REDIS_URL"], arguments["job"] = server.url, JOB
            disturb = server.disturb if given.kill else None
            if given.store:
                postgres = postgres_served(folder)
                started_here.callback(postgres.stop)
                shared["STORE_URL"] = postgres.url
        spent = cpu_of_ended()
        logs = crawl(web, folder, processes, arguments, {**settings, **shared}, disturb)
        spent = cpu_of_ended() - spent
        started_here.close()
        seconds = time.monotonic() - begun
        found = judged(web.ask("log"), given.first, given.delay)
    shares = [
        numbers(log, "frontier/redis/wait_seconds") / max(1e-9, numbers(log, "elapsed_time_seconds"))
        for log in logs
    ]
    names = ("calls", *STORE)
    store_seconds = {name: sum(numbers(log, f"topic/store/{name}") for log in logs) for name in names}
    return {
        **found,
        "seconds": round(seconds, 1),
        "pages_per_second": round(found["pages"] / seconds, 1),
        "cpu_ms": round(1000 * (spent - BEGIN_CPU_SECONDS * processes) / found["pages"], 1),
        "waited": [round(max(shares), 3), round(sum(shares) / len(shares), 3)],
        "lag": max(numbers(log, "strategy/learning_lag/pages") for log in logs),
        "store": [round(1000 * store_seconds[name] / max(1, store_seconds["calls"]), 1) for name in STORE],
        "fenced": sum(numbers(log, "frontier/redis/fenced") for log in logs),
        "ended": [text[1] if (text := re.search(r"'finish_reason': '(\w+)'", log)) else "?" for log in logs],
        "errors": sum(log.count(" ERROR: ") + log.count("Traceback") for log in logs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=0)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--first", type=int, default=5000)
    parser.add_argument("--delay", type=float, default=0.25)
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--strategy", default="adaptive")
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--single", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if SERVER is None and not given.single:
        print("no redis-server and no valkey-server in PATH: nothing is measured")
        return
    os.environ.pop("http_proxy", None)
    found = measure(given)
    print(
        json.dumps(found) if given.json else "\n".join(f"{name:<17} {value}" for name, value in found.items())
    )


if __name__ == "__main__":
    main()
