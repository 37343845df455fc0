"""What a long crawl costs at its end: CPU a page, memory and the longest re-scoring slice, every thousand pages.

    python benchmarks/soak.py [--pages 10000] [--every 1000] [-a NAME=value] [-s NAME=value] [--json]

`scrapy crawl topic -a strategy=adaptive` with JOBDIR and the project's settings, delays 0, over a web without end
(benchmarks/webs/endless.py, through a proxy on loopback): some 65 new URLs a page. -a and -s as for `scrapy crawl`. Told every
`--every` pages:

    kept          pages about the topic so far
    urls          known to the queue
    cpu_ms        a page, of the crawler's process, user and system
    of_loop       the same in units of a fixed piece of work that is done between the pages: other programs on the machine slow
                  both down, so their quotient tells the crawler's own growth
    megabytes     resident memory
    slice_ms      the longest re-scoring slice (frontier.rescoring), in CPU of its thread
    stall_ms      the longest that strategy and queue took for one page or one lease, likewise; a checkpoint of the strategy
                  (crawl.checkpoints) falls into a page
    errors        in the log and in callbacks, and leases that ended without a signal

It holds when the last row costs at most 1.10 of the second in units of the loop, no slice takes more than 50 ms, and there is no
error; else the exit status is 1. docs/measured.md has the table of 30 000 pages, docs/long-crawls.md says what the memory is for.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self, TypeVar

import _checkout  # noqa: F401 first: the package may not be installed
from scrapy.crawler import Crawler, CrawlerProcess
from scrapy.utils.project import get_project_settings
from webs.endless import SEED
from webs.server import processors, served

from topiccrawler.engine.opening import Crawl
from topiccrawler.engine.process_memory import search_seldom

MOST_GROWTH, MOST_SLICE_MS = 1.10, 50.0
LOOP_EVERY = 10  # pages
SETTINGS = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "LOG_LEVEL": "INFO"}
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Stretch:
    """So many pages of the crawl."""

    pages: int  # so far
    kept: int
    urls: int
    cpu_ms: float  # a page
    of_loop: float
    megabytes: float
    slice_ms: float
    stall_ms: float
    errors: int


class Meter:
    """Extension: measures the crawl it sits in."""

    every = 1000
    found: list[Stretch] = []  # noqa: RUF012 of the one crawl of the process

    def __init__(self, crawler: Crawler, crawl: Crawl) -> None:
        self._stats, self._crawl = crawler.stats, crawl
        self._loop_seconds, self._loops = 0.0, 0
        self._slice = self._stall = 0.0
        ordering = crawl.ordering
        ordering.rescoring.step = self._timed(ordering.rescoring.step, "_slice")
        ordering.visit = self._timed(ordering.visit, "_stall")
        ordering.checkpoint = self._timed(ordering.checkpoint, "_stall")
        ordering.lease = self._timed(ordering.lease, "_stall")
        crawl.harvest.add = self._after(crawl.harvest.add)
        self._begun = time.process_time()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        search_seldom(crawler)  # as `scrapy crawl` does, whose process is the crawl's alone
        return cls(crawler, crawler.spider.crawl)

    def _timed(self, work: Callable[..., Result], name: str) -> Callable[..., Result]:
        def timed(*given: Any, **named: Any) -> Result:
            begun = time.thread_time()
            try:
                return work(*given, **named)
            finally:
                setattr(self, name, max(getattr(self, name), 1000 * (time.thread_time() - begun)))

        return timed

    def _after(self, add: Callable[..., None]) -> Callable[..., None]:
        def added(**given: Any) -> None:
            add(**given)
            pages = self._crawl.harvest.pages
            if pages % LOOP_EVERY == 0:
                begun = time.process_time()
                work()
                self._loop_seconds += time.process_time() - begun
                self._loops += 1
            if pages % self.every == 0:
                self._tell(pages)

        return added

    def _tell(self, pages: int) -> None:
        spent = time.process_time() - self._begun - self._loop_seconds
        counted = self._crawl.frontier.look().counts()
        loop = self._loop_seconds / max(1, self._loops)
        stretch = Stretch(
            pages=pages,
            kept=self._crawl.harvest.kept,
            urls=sum(counted.values()),
            cpu_ms=round(1000 * spent / self.every, 2),
            of_loop=round(spent / self.every / loop, 3) if loop else 0.0,
            megabytes=round(resident_bytes() / 2**20, 1),
            slice_ms=round(self._slice, 1),
            stall_ms=round(self._stall, 1),
            errors=self._errors(),
        )
        self.found.append(stretch)
        print("".join(f"{value:>11}" for value in asdict(stretch).values()), flush=True)
        self._loop_seconds, self._loops, self._slice, self._stall = 0.0, 0, 0.0, 0.0
        self._begun = time.process_time()

    def _errors(self) -> int:
        stats = self._stats.get_stats()
        counted = ("log_count/ERROR", "log_count/CRITICAL", "frontier/ended/swept")
        return sum(stats.get(key, 0) for key in counted) + sum(
            number for key, number in stats.items() if key.startswith("spider_exceptions/")
        )


def work() -> None:
    """The fixed piece: what a crawler does all day, dictionaries, texts and JSON."""
    words = {f"w{n % 701}": n for n in range(1500)}
    text = json.dumps(words)
    for _ in range(3):
        again = json.loads(text)
        sorted(again, key=again.__getitem__)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def crawl(arguments: dict[str, str], more: dict[str, str], every: int, folder: str) -> list[Stretch]:
    """Crawl once in this process; the log goes to a file."""
    settings = get_project_settings()
    own = {"JOBDIR": f"{folder}/job", "TOPIC_DATA_DIR": folder, "LOG_FILE": f"{folder}/log"}
    for name, value in {**SETTINGS, **own, **more}.items():
        settings.set(name, value, "cmdline")
    settings["EXTENSIONS"].set(Meter, 1000)
    Meter.every = every
    process = CrawlerProcess(settings)
    process.crawl("topic", **{"topic": "finance", "seeds": SEED, "strategy": "adaptive", **arguments})
    process.start()
    return Meter.found


def main() -> None:
    """Crawl and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=1000, help="pages between two rows")
    parser.add_argument("-a", action="append", default=[], metavar="NAME=value", help="for the spider")
    parser.add_argument("-s", action="append", default=[], metavar="NAME=value", help="a setting")
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    os.chdir(Path(__file__).parents[1])  # of scrapy.cfg
    os.sched_setaffinity(0, {processors()[0].pop()})
    arguments, more = (dict(text.split("=", 1) for text in texts) for texts in (given.a, given.s))
    print("".join(f"{field.name:>11}" for field in fields(Stretch)), flush=True)
    with tempfile.TemporaryDirectory() as folder, served("endless") as web:
        os.environ.clear()
        os.environ.update(web.environment())
        found = crawl({"pages": str(given.pages), **arguments}, more, given.every, folder)
        disk = sum(path.stat().st_size for path in Path(folder, "job").iterdir())
        if len(found) < given.pages // given.every:
            raise SystemExit(f"it ended early:\n{Path(folder, 'log').read_text()[-3000:]}")
    growth = found[-1].of_loop / found[min(1, len(found) - 1)].of_loop
    slowest, errors = max(one.slice_ms for one in found), found[-1].errors
    print(
        f"growth {growth:.3f} (at most {MOST_GROWTH}), slice {slowest} ms (at most {MOST_SLICE_MS}), errors {errors}"
    )
    print(f"on disk {disk / 2**20:.0f} MB")
    holds = growth <= MOST_GROWTH and slowest <= MOST_SLICE_MS and not errors
    if given.json:
        rows = [asdict(one) for one in found]
        print(json.dumps({"growth": round(growth, 3), "slice_ms": slowest, "errors": errors, "rows": rows}))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
