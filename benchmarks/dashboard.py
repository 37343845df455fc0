"""How fast the dashboard answers on a large job, and what its look costs a running crawl.

    python benchmarks/dashboard.py [--pages 100000] [--keep DIR] [--json]

The job is generated: pages of 500 to 1500 characters (benchmarks/search.py) on 200 hosts, kept and indexed as a crawl does it, a visit each, and a
queue with these URLs, half as many that failed or were discarded, and twice as many that wait. Then a dashboard is asked over HTTP for every page: `first` is the first
answer after its start (it reads the log in pieces, and the rest of the page's panels follow), `then` the median of ten. A crawl on the synthetic web, paused, is asked as an open page asks it, a minute's
asks at once: `crawl_share` is the CPU that they cost it, of that minute. The last line is JSON (alone with --json).
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import _checkout  # noqa: F401 first: the package may not be installed
from search import SEED, Texts, records

from topiccrawler.crawling.job_files import FRONTIER, JobFiles
from topiccrawler.crawling.launching import start_scrapy
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.dashboard.app import make_app, serve
from topiccrawler.dashboard.job_view import PANEL_EVERY
from topiccrawler.dashboard.jobs import TOP
from topiccrawler.dashboard.panels import ALL_SITES
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import CrawlerError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.lab.demo.crawls import DemoFiles
from topiccrawler.lab.demo.plan import Web
from topiccrawler.lab.demo.server import RunningServer
from topiccrawler.model import Link, Score, Visit
from topiccrawler.store.index import BATCH
from topiccrawler.urls.canonical import host_of

JOB, REPEATS = "large", 10
ASKED_SECONDS = 60
COMMIT_ROWS = 5_000


def fill(data: Path, pages: int) -> str:
    """Make the job; the URL of a page in it."""
    dice = random.Random(SEED)
    files = JobFiles(data / JOB, Recipe("finance", "breadth_first"), indexed=True)
    files.begin()
    urls: list[str] = []
    for number, record in enumerate(records(Texts(dice), dice, pages)):
        record.source_url = urls[dice.randrange(len(urls))] if urls else ""
        urls.append(record.url)
        files.keep(record)
        visit = Visit(
            record.url, 200, 1.0, record.relevance, True, record.fetched, record.source_url, record.title
        )
        files.visits.append(visit)
        if number % BATCH == 0:
            files.commit()
    files.close()
    with SqliteFrontier(data / JOB / FRONTIER, acknowledgements_per_commit=COMMIT_ROWS) as frontier:
        ends = [(url, State.COMPLETED, "kept") for url in urls]
        reasons = ["http 404", "off topic", "Forbidden by robots.txt", "below link threshold", "no answer"]
        for number in range(pages // 2):
            reason = reasons[number % len(reasons)]
            state = State.ERROR if reason in {"http 404", "no answer"} else State.DISCARDED
            ends.append((f"http://host{number % 200}.example/not/{number}", state, reason))
        ends += [
            (f"http://host{number % 200}.example/wait/{number}", State.WAITING, "")
            for number in range(2 * pages)
        ]
        for url, state, reason in ends:
            link = Link(url, host_of(url), "一个链接", source_url=urls[dice.randrange(len(urls))])
            frontier.push([(link, Score(url, dice.random()))], now=1.0)
            if state is not State.WAITING and frontier.lease(1.0, target=(link, Score(link.url, 1.0))):
                frontier.end(url, state, reason, 2.0)
    return urls[pages // 2]


@contextmanager
def dashboard(data: Path) -> Iterator[Callable[[str], float]]:
    """`ask(path)`: seconds until the whole answer is there."""
    links: list[str] = []
    ready, loop = threading.Event(), asyncio.new_event_loop()
    app = make_app(data, {"TOPIC": None, "TOPIC_STRATEGY": "adaptive"}, links.append)

    def told(link: str) -> None:
        links.append(link)
        ready.set()

    task = loop.create_task(serve(app, "127.0.0.1", 0, told))
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.wait([task])), daemon=True)
    thread.start()
    ready.wait()
    place = urlsplit(links[0])
    cookie = ""

    def get(path: str) -> float:
        nonlocal cookie
        connection = http.client.HTTPConnection(place.netloc)
        began = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": cookie, "Accept": "text/html"})
        answer = connection.getresponse()
        answer.read()
        spent = time.perf_counter() - began
        if answer.status not in {200, 303}:
            raise SystemExit(f"{path}: {answer.status}")
        cookie = cookie or str(answer.headers["Set-Cookie"]).partition(";")[0]
        connection.close()
        return spent

    get(f"/?{place.query}")
    try:
        yield get
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


def answers(data: Path, url: str) -> dict[str, dict[str, float]]:
    """Milliseconds of each page: the first answer, and the median of more."""
    job = f"/jobs/{JOB}"
    paths = ["/", job, f"{job}/reading", f"{job}/curve.json", f"{job}/sites", f"{job}/queue", f"{job}/outcomes", f"{job}/urls?state=discarded&reason=off+topic", f"{job}/urls?state=error&reason=http+404&skip=5000", f"{job}/pages", f"{job}/pages?skip=5000", f"{job}/pages?site=host3.example", f"{job}/page?url={quote(url, safe='')}", f"/search?q={quote('基金')}", f"/search?q={quote('我们')}", "/search", "/new"]  # fmt: skip
    with dashboard(data) as get:
        first = {path: 1000 * get(path) for path in paths}
        time.sleep(3)
        for _ in range(100):  # what was begun is read to its end
            get(f"{job}/reading")
        then = {path: 1000 * statistics.median(get(path) for _ in range(REPEATS)) for path in paths}
    return {path: {"first": round(first[path], 1), "then": round(then[path], 1)} for path in paths}


def crawl_share(place: Path) -> float:
    """CPU that a crawl spends on answering one open page, of its time."""
    files = DemoFiles(place)
    with RunningServer(Web()) as web, (place.with_name("crawl.log")).open("wb") as log:
        files.make_ready(web.web.seeds, ())
        given = {"topic": files.topic, "seeds": files.seeds, "strategy": "breadth_first"}
        settings = {
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "JOBDIR": place / "job",
            "TOPIC_LINK_MODELS": "none",
        }
        words = ["crawl", "topic"]
        words += [word for name, value in given.items() for word in ("-a", f"{name}={value}")]
        words += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        with start_scrapy(words, log, web.environment()) as process:
            try:
                while pages(place / "job") < 300:
                    time.sleep(0.2)
                ask(place / "job", "pause", body={})
                time.sleep(2)
                before = cpu(process.pid)
                for second in range(ASKED_SECONDS):
                    ask(place / "job", "status")
                    if second % PANEL_EVERY == 1:
                        ask(place / "job", "sites", {"n": ALL_SITES})
                        ask(place / "job", "top", {"n": TOP})
                return (cpu(process.pid) - before) / ASKED_SECONDS
            finally:
                process.terminate()


def pages(folder: Path) -> int:
    """That a crawl has fetched; 0 while it does not answer."""
    try:
        return int(ask(folder, "status")["pages"])
    except CrawlerError:
        return 0


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Make the job, ask, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--keep", metavar="DIR", type=Path, help="the job is made here, or found")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        data = options.keep or Path(place) / "data"
        known = data / "url"
        if not known.is_file():
            url = fill(data, options.pages)
            known.write_text(url)
        found: dict[str, Any] = {"pages": options.pages, "ms": answers(data, known.read_text())}
        found["crawl_share"] = round(crawl_share(Path(place) / "crawl"), 4)
    found["slowest_first_ms"] = max(one["first"] for one in found["ms"].values())
    found["slowest_ms"] = max(one["then"] for one in found["ms"].values())
    if not options.json:
        for path, one in found["ms"].items():
            print(f"{one['first']:8.1f} {one['then']:8.1f}  {path}")
        print(f"crawl_share {found['crawl_share']:.2%}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
