"""What a frontier costs: CPU of push and raise, time of a lease, restart, memory and disk a URL.

    python benchmarks/frontier.py [--urls 1000000] [--hosts 5000] [--memory-urls 0] [--kinds sqlite,memory] [--json]

Pages of 200 links to hosts drawn at random, distinct scores, one commit a page. Leases: a host backs off 1 s, simulated
clock at 100 leases a second, each acknowledged (and committed). Each row of the table is a process of its own:

    sqlite        bare links          memory   the same without a disk
    sqlite_text   links with about 100 characters of link text, mostly Chinese
    sqlite_small  10 000 URLs, to see how a lease's cost grows
    sqlite_bounded  with --memory-urls only: that many URLs in memory

A lease's time is the thread's CPU, since other programs' time is none of its own; `alone` counts only leases before and during which the
process was not switched away, since a lease after a switch finds the processor's caches cold. `loop p99/p50` is the same ratio of a
loop of pure Python that is timed after each lease: what of a lease's p99 the machine makes.
Memory is the growth of resident memory over an empty frontier; disk is the file less the bytes of URLs and link text.
CPU is of the process (user and system), SQLite's work included.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed

from topiccrawler.frontier.base import Frontier, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score

PAGE_LINKS = 200
RAISES = 200_000
LEASES = 20_000
HAN = "基金定投理财产品收益率分析上证指数今日收盘央行下调存款准备金率对股市影响几何专家解读新闻中心首页"
TABLE = {
    "push_per_cpu_s": "push/CPU s", "raise_per_cpu_s": "raise/CPU s", "lease_p50_ms": "lease p50 ms",
    "lease_p99_ms": "p99 ms", "lease_p99_alone_ms": "p99 alone ms", "loop_p99_to_p50": "loop p99/p50",
    "all_cooling_ms": "all cooling ms", "restart_s": "restart s",
    "memory_bytes_per_url": "memory B/URL", "disk_bytes_per_url": "disk B/URL",
}  # fmt: skip


def row(number: int, score: float, hosts: int, text: bool, page: int) -> tuple[Link, Score]:
    """The link of that number on that page; the same number gives the same URL."""
    host = f"www{number * 2_654_435_761 % hosts}.example.cn"
    url = f"http://{host}/finance/{number % 97}/article{number}.html"
    if not text:
        return Link(url, host, depth=2), Score(url, score)
    start = number % 40
    words = (HAN * 3)[start:]
    source = f"http://www{page % hosts}.example.cn/finance/list{page}.html"
    anchor, around, place = words[:20], words[20:60], number % 200
    where = "", "", "body", "div.list>ul>li", "down"
    link = Link(url, host, anchor, around, around, *where, place, 2, source)
    return link, Score(url, score)


def pages(urls: int, hosts: int, text: bool) -> Iterator[list[tuple[Link, Score]]]:
    draw = random.Random(1)
    for start in range(0, urls, PAGE_LINKS):
        yield [
            row(number, draw.random(), hosts, text, start)
            for number in range(start, min(urls, start + PAGE_LINKS))
        ]


def text_bytes(urls: int, hosts: int, text: bool) -> int:
    """Bytes of URL, anchor and context of all links."""
    total = 0
    for number in range(urls):
        link, _ = row(number, 0.0, hosts, text, 0)
        total += len(link.url) + sum(len(part.encode()) for part in (link.anchor, link.before, link.after))
    return total


def resident_bytes() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def push_pages(frontier: Frontier, urls: int, hosts: int, text: bool) -> float:
    """URLs a CPU second."""
    spent = 0.0
    for page in pages(urls, hosts, text):
        begun = time.process_time()
        frontier.push(page, now=0.0)
        frontier.commit()
        spent += time.process_time() - begun
    return urls / spent


def raise_urls(frontier: Frontier, urls: int, hosts: int, text: bool) -> float:
    """Raises a CPU second, of URLs drawn at random."""
    draw = random.Random(2)
    spent, count = 0.0, min(RAISES, urls)
    for start in range(0, count, PAGE_LINKS):
        page = [row(draw.randrange(urls), 1.0 + start + n, hosts, text, start) for n in range(PAGE_LINKS)]
        begun = time.process_time()
        frontier.push(page, now=0.0)
        frontier.commit()
        spent += time.process_time() - begun
    return count / spent


def switches() -> int:
    """How often this thread was switched away."""
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return usage.ru_nivcsw + usage.ru_nvcsw


def lease_times(frontier: Frontier, urls: int) -> dict[str, float]:
    """Of leases that gave a URL; ms of CPU."""
    every, alone, loop = [], [], []
    now, switched = 0.0, switches()
    while len(every) < min(LEASES, urls // 2):
        now += 0.01
        begun = time.thread_time()
        leased = frontier.lease(now)
        ended = time.thread_time()
        if leased is not None:
            every.append(1000 * (ended - begun))
            before, switched = switched, switches()
            if before == switched:
                alone.append(every[-1])
            frontier.end(leased.link.url, State.COMPLETED, "", now)
            begun = time.thread_time()
            sum(range(2_000))
            loop.append(time.thread_time() - begun)
    return {
        "lease_p50_ms": round(quantile(every, 0.5), 4),
        "lease_p99_ms": round(quantile(every, 0.99), 4),
        "lease_p99_alone_ms": round(quantile(alone, 0.99), 4),
        "loop_p99_to_p50": round(quantile(loop, 0.99) / quantile(loop, 0.5), 2),
    }


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * len(values))]


def all_cooling_ms(frontier: Frontier) -> float:
    now = 1e6
    while (leased := frontier.lease(now)) is not None:
        frontier.end(leased.link.url, State.COMPLETED, "", now)
    begun = time.perf_counter()
    for _ in range(1000):
        frontier.lease(now)
    return time.perf_counter() - begun


def reopened(path: Path, memory_urls: int) -> tuple[float, float]:
    """Seconds to the first lease and peak memory of a process that finds the frontier on disk."""
    command = [sys.executable, __file__, "--reopen", str(path), "--memory-urls", str(memory_urls)]
    seconds, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), float(peak)


def reopen(path: Path, memory_urls: int) -> None:
    begun = time.perf_counter()
    frontier = SqliteFrontier(path, Hosts(delay_seconds=1.0), memory_urls=memory_urls)
    frontier.lease(0.0)
    print(time.perf_counter() - begun, peak_mb())
    frontier.close()


def measure(kind: str, urls: int, hosts: int, memory_urls: int) -> dict[str, float | None]:
    """One row of the table, in this process."""
    text = kind == "sqlite_text"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frontier.db"

        def opened() -> Frontier:
            clock = Hosts(delay_seconds=1.0)
            return (
                MemoryFrontier(clock)
                if kind == "memory"
                else SqliteFrontier(path, clock, memory_urls=memory_urls)
            )

        frontier = opened()
        before = resident_bytes()
        push_rate = push_pages(frontier, urls, hosts, text)
        memory = (resident_bytes() - before) / urls
        raise_rate = raise_urls(frontier, urls, hosts, text)
        times = lease_times(frontier, urls)
        cooling = all_cooling_ms(frontier)
        frontier.close()
        peak = peak_mb()
        restart = disk = None
        if kind != "memory":
            disk = (path.stat().st_size - text_bytes(urls, hosts, text)) / urls
            restart, peak_again = reopened(path, memory_urls)
            peak = max(peak, peak_again)
    found: dict[str, float | None] = {
        "push_per_cpu_s": round(push_rate), "raise_per_cpu_s": round(raise_rate),
        **times, "all_cooling_ms": round(cooling, 5), "restart_s": restart and round(restart, 3),
        "memory_bytes_per_url": round(memory, 1), "disk_bytes_per_url": disk and round(disk, 1),
    }  # fmt: skip
    if kind == "sqlite_bounded":
        found["peak_rss_mb"] = round(peak, 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=5_000)
    parser.add_argument(
        "--memory-urls", type=int, default=0, help="measure only a frontier bounded to this many"
    )
    parser.add_argument("--kinds", default="sqlite,memory,sqlite_text,sqlite_small", help="rows of the table")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    parser.add_argument("--kind", help="measure this row only, in this process, and print it as JSON")
    parser.add_argument("--reopen", type=Path, help="only time the opening of this frontier, in this process")
    options = parser.parse_args()
    if options.reopen:
        reopen(options.reopen, options.memory_urls)
        return
    if options.kind:
        print(json.dumps(measure(options.kind, options.urls, options.hosts, options.memory_urls)))
        return
    kinds = ["sqlite_bounded"] if options.memory_urls else options.kinds.split(",")
    results = {}
    print(f"{'':15}" + "".join(f"{title:>15}" for title in TABLE.values()))
    for kind in kinds:
        urls = min(10_000, options.urls) if kind == "sqlite_small" else options.urls
        command = [sys.executable, __file__, "--kind", kind, "--urls", str(urls), "--hosts", str(options.hosts),
                   "--memory-urls", str(options.memory_urls)]  # fmt: skip
        results[kind] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        shown = ["-" if results[kind][key] is None else f"{results[kind][key]:,}" for key in TABLE]
        print(f"{kind:15}" + "".join(f"{value:>15}" for value in shown), flush=True)
    if "sqlite_bounded" in results:
        print(f"peak resident memory {results['sqlite_bounded']['peak_rss_mb']} MB")
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
