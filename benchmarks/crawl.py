"""What a whole crawl costs: CPU and memory a page, ours against a plain Scrapy spider, alternating in one run.

    python benchmarks/crawl.py [--pages 1500] [--concurrency 16] [--rounds 3] [--strategies breadth_first,naive_bayes] [--tls] [--json]
    python benchmarks/crawl.py --strategies breadth_first,breadth_first+TOPIC_KEEP_HTML=False  # what a setting costs
    python benchmarks/crawl.py --pages 100 --hosts 1 --strategies breadth_first,adaptive --rivals all  # beside what else a user has

    scrapy_bfs   what a Scrapy user writes: LinkExtractor, every link yielded, breadth-first queues, items to JSON lines
    others       `scrapy crawl topic` with that strategy: pages read and classified (VSM), every link with its context
                 scored, pages about the topic stored, the queue in SQLite (JOBDIR), the crawl log written
    rivals       crawl4ai and trafilatura (rivals.py), each as its manual says, by an interpreter that has them

Each crawl is a process of its own that sees a synthetic web (benchmarks/webs/news.py: 90 kB and 200 links a page) through
a proxy on loopback; no delays, no robots.txt, the same concurrency. CPU is that of the whole process, user and system,
start-up, model and browser included, divided by the pages it fetched; the median over the rounds. Memory is that of its
largest process. The ratio in the table is to scrapy_bfs of the same run.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed
from rivals import INSTALL, MODULES
from webs.server import ROOT, Served, ended, served, started

from topiccrawler.crawling.launching import crawl_line

PLAIN = "scrapy_bfs"
START = "http://s0.example/p0.html"
KNOWN_SUFFIX = ".example.org"  # trafilatura refuses names of .example
SET_CHILD_SUBREAPER = 36  # of prctl(2): processes that a browser leaves behind become ours, and count
WEB_FACTOR = 4 / 3  # the web has more pages than are fetched, so that no crawl runs dry

SPIDER = """
from scrapy import Spider
from scrapy.linkextractors import LinkExtractor

class PlainSpider(Spider):
    name = "plain"
    start_urls = [START]
    extractor = LinkExtractor()

    def parse(self, response):
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.extractor.extract_links(response):
            yield response.follow(link)
"""
PLAIN_SETTINGS = {
    "DEPTH_PRIORITY": "1",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "TELNETCONSOLE_ENABLED": "False",
}  # breadth-first as Scrapy's FAQ has it
SAME_SETTINGS = {
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "False",
    "ROBOTSTXT_OBEY": "False",
    "LOG_LEVEL": "INFO",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl."""

    pages: int
    cpu_seconds: float
    wall_seconds: float
    peak_rss_mb: float

    @property
    def cpu_ms_per_page(self) -> float:
        return 1000 * self.cpu_seconds / self.pages

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.wall_seconds


def command(name: str, start: str, pages: int, concurrency: int, folder: Path) -> list[str]:
    """The crawl as a user types it."""
    if name in MODULES:
        return [str(ROOT / "benchmarks" / "rivals.py"), name, start, str(pages)]
    settings = {
        **SAME_SETTINGS,
        "CONCURRENT_REQUESTS": str(concurrency),
        "CONCURRENT_REQUESTS_PER_DOMAIN": str(concurrency),
    }
    if name == PLAIN:
        (folder / "plain.py").write_text(SPIDER.replace("START", repr(start)), encoding="utf-8")
        settings |= {**PLAIN_SETTINGS, "CLOSESPIDER_PAGECOUNT": str(pages)}
        words = ["runspider", str(folder / "plain.py"), "-o", str(folder / "items.jsonl")]
    else:
        settings |= {"JOBDIR": str(folder / "job"), "TOPIC_DATA_DIR": str(folder)}
        strategy, *given = name.split("+")
        own = {"topic": "finance", "seeds": start, "strategy": strategy, "pages": pages}
        words = [*crawl_line(own, {}), *(word for setting in given for word in ("-s", setting))]
    return words + [word for pair in settings.items() for word in ("-s", "=".join(pair))]


def environment(web: Served) -> dict[str, str]:
    """The web's, with byte code written as in any installation: else each start compiles all it imports anew."""
    return {name: value for name, value in web.environment().items() if name != "PYTHONDONTWRITEBYTECODE"}


def children_cpu_seconds() -> float:
    """Of all processes begun here that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def crawl(name: str, web: Served, start: str, pages: int, concurrency: int, rivals_python: str) -> Run:
    """Crawl once; the processes' own account of CPU and memory, the server's of the pages."""
    web.ask("forget")
    before = children_cpu_seconds()
    with tempfile.TemporaryDirectory() as path, (Path(path) / "log").open("w+", encoding="utf-8") as log:
        begun = time.monotonic()
        folder = Path(path)
        words = command(name, start, pages, concurrency, folder)
        # others have no project and no settings of ours
        place = folder if name in (PLAIN, *MODULES) else ROOT
        program = {"program": [rivals_python]} if name in MODULES else {}
        usage = ended(started(words, environment(web), log, place, **program), log)
        seconds = time.monotonic() - begun
        fetched = sum(url.endswith(".html") for _, url in web.ask("log"))
        if fetched < pages:
            raise SystemExit(f"{name} ended after {fetched} pages:\n{Path(log.name).read_text()[-3000:]}")
    return Run(fetched, children_cpu_seconds() - before, seconds, usage.ru_maxrss / 1024)


def installed(rivals: str, python: str) -> list[str]:
    """The named rivals that the interpreter has; one line for each other one."""
    found = []
    for name in MODULES if rivals == "all" else filter(None, rivals.split(",")):
        check = [python, "-c", f"import {MODULES[name]}"]
        if not subprocess.run(check, capture_output=True, check=False).returncode:
            found.append(name)
        else:
            remedy = f"{INSTALL}, then --rivals-python rivals/bin/python"
            print(f"{name} is left out: {python} cannot import {MODULES[name]}. {remedy}", file=sys.stderr)
    return found


def table(results: dict[str, dict[str, float]]) -> str:
    """The medians, and each crawl's CPU as a share of the plain spider's."""
    head = ("crawl", "pages", "CPU ms/page", "of scrapy_bfs", "pages/s", "peak MB")
    width = max(15, *(len(name) + 2 for name in results))
    lines = ["".join(f"{cell:>{width if not number else 15}}" for number, cell in enumerate(head))]
    plain = results[PLAIN]["cpu_ms_per_page"]
    for name, found in results.items():
        cells = (
            name, f"{found['pages']:.0f}", f"{found['cpu_ms_per_page']:.2f}", f"{found['cpu_ms_per_page'] / plain:.2f}",
            f"{found['pages_per_s']:.1f}", f"{found['peak_rss_mb']:.0f}",
        )  # fmt: skip
        lines.append("".join(f"{cell:>{width if not number else 15}}" for number, cell in enumerate(cells)))
    return "\n".join(lines)


def medians(runs: list[Run]) -> dict[str, float]:
    """Of the rounds of one crawl."""
    return {
        "pages": statistics.median_low(run.pages for run in runs),
        "cpu_ms_per_page": round(statistics.median(run.cpu_ms_per_page for run in runs), 3),
        "pages_per_s": round(statistics.median(run.pages_per_second for run in runs), 2),
        "peak_rss_mb": round(max(run.peak_rss_mb for run in runs), 1),
    }


def main() -> None:
    """Crawl alternately and print the table."""
    parser = argparse.ArgumentParser(description="CPU and memory of whole crawls, alternating.")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--strategies", default="breadth_first,naive_bayes")
    parser.add_argument("--rivals", default="", help=f"all, or some of {', '.join(MODULES)}")
    parser.add_argument("--rivals-python", default=sys.executable, help="an interpreter that has them")
    parser.add_argument("--tls", action="store_true", help="over HTTPS")
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    names = [PLAIN, *given.strategies.split(","), *installed(given.rivals, given.rivals_python)]
    runs: dict[str, list[Run]] = {name: [] for name in names}
    start = START.replace("http:", "https:") if given.tls else START
    options = ["--pages", str(round(given.pages * WEB_FACTOR)), "--hosts", str(given.hosts)]
    options += ["--tls"] if given.tls else []
    if given.rivals:
        options += ["--suffix", KNOWN_SUFFIX]
        start = start.replace(".example", KNOWN_SUFFIX)
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with served("news", *options) as web:
        for number in range(1, given.rounds + 1):
            for name in names:
                print(f"round {number} of {given.rounds}: {name} …", end=" ", file=sys.stderr, flush=True)
                done = crawl(name, web, start, given.pages, given.concurrency, given.rivals_python)
                print(f"{done.pages} pages in {done.wall_seconds:.0f} s", file=sys.stderr, flush=True)
                runs[name].append(done)
    results = {name: medians(done) for name, done in runs.items()}
    print(table(results))
    if given.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
