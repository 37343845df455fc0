"""What a crawl spends on a web of link farms, endless pages and calendars, and what it leaves for the good site.

    python benchmarks/hostile.py [--seconds 300] [--delay 0] [--strategy adaptive] [--json]
    python benchmarks/hostile.py --seconds 600 --kills 20 [--seed 1]      # at random moments

The web (benchmarks/webs/traps.py, through a proxy on loopback) has one good site of 201 pages, whose home links to 20 small
sites and to eight traps. `scrapy crawl topic` runs for that many seconds with the project's settings, but no robots.txt and
no AutoThrottle; the server says what it was asked for. It holds when every good page was asked for, no trap more than 600
times, and the crawl needed at most 300 MB.

With `--kills` the crawl is killed (SIGKILL) that many times, each some seconds after the one before, and goes on with its job. Nothing is
lost when every good page is kept, once.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

import _checkout  # noqa: F401 first: the package may not be installed
from webs.server import Served, ended, served, started
from webs.traps import TOPIC, TRAPS

from topiccrawler.crawling.launching import crawl_line
from topiccrawler.crawling.page_stores import number_of_visits
from topiccrawler.urls.canonical import site_of

GOOD = "good.example"


BETWEEN_KILLS_SECONDS = (0.5, 8.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is crawled, and how often it is killed."""

    seconds: float
    delay: float
    strategy: str
    kills: int
    seed: int

    def command(self, folder: Path, seconds: float) -> list[str]:
        """The crawl as a user types it."""
        given = {"topic": TOPIC, "seeds": f"http://{GOOD}/", "strategy": self.strategy}
        settings = {
            "AUTOTHROTTLE_ENABLED": "False",
            "CLOSESPIDER_TIMEOUT": str(seconds),
            "DOWNLOAD_DELAY": str(self.delay),
            "JOBDIR": f"{folder}/job",
            "ROBOTSTXT_OBEY": "False",
            "TOPIC_DATA_DIR": str(folder),
        }
        return crawl_line(given, settings)


@dataclass(slots=True)
class Crawled:
    """What came of it."""

    peak_mb: float = 0.0
    crawls_killed: int = 0
    kept: int = 0  # good pages in the store
    fetched: int = 0  # good pages in the crawl log
    repeated: int = 0  # lines of the crawl log beyond the first of each URL


def crawl(web: Served, plan: Plan) -> Crawled:
    """Crawl for that many seconds, however often it is killed."""
    found, draw = Crawled(), random.Random(plan.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        end = time.monotonic() + plan.seconds
        while (left := end - time.monotonic()) > 1 and _run(web, plan, folder, left, found, draw):
            pass
        _read_job(folder / "job", found)
    return found


def _run(web: Served, plan: Plan, folder: Path, seconds: float, found: Crawled, draw: random.Random) -> bool:
    """Begin or go on until it ends; True when it was killed."""
    with (folder / "log").open("w+", encoding="utf-8") as log:
        process = started(plan.command(folder, seconds), web.environment(), log)
        is_killed = _kill_at_random(process, folder / "job", plan, found, draw)
        usage = ended(process, log, -signal.SIGKILL if is_killed else 0)
    found.peak_mb = max(found.peak_mb, usage.ru_maxrss / 1024)
    return is_killed


def _kill_at_random(
    process: subprocess.Popen[bytes], job: Path, plan: Plan, found: Crawled, draw: random.Random
) -> bool:
    """Kill the crawl; False when it was killed often enough, or has ended. The moment counts from the first page on."""
    if found.crawls_killed == plan.kills:
        return False
    visits = number_of_visits(job)
    while number_of_visits(job) == visits and _runs(process):
        time.sleep(0.05)
    time.sleep(draw.uniform(*BETWEEN_KILLS_SECONDS))
    if not _runs(process):
        return False
    process.kill()
    found.crawls_killed += 1
    return True


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """It has not ended; it is still there to be waited for."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None


def _read_job(job: Path, found: Crawled) -> None:
    """Count what the job has kept."""
    with closing(sqlite3.connect(job / "job.sqlite")) as store:
        kept = [url for (url,) in store.execute("SELECT url FROM pages")]
        fetched = [url for (url,) in store.execute("SELECT url FROM visits")]
    found.kept, found.fetched = _good(kept), _good(set(fetched))
    found.repeated = len(fetched) - len(set(fetched))


def _good(urls: Iterable[str]) -> int:
    return sum(urlsplit(url).netloc == GOOD for url in urls)


def main() -> None:
    """Crawl and print the table."""
    parser = argparse.ArgumentParser(description="Requests into traps, and good pages fetched beside them.")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--strategy", default="adaptive")
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    parser.add_argument("--kills", type=int, default=0, help="of the crawl")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    given = parser.parse_args()
    plan = Plan(given.seconds, given.delay, given.strategy, given.kills, given.seed)
    with served("traps") as web:
        found = crawl(web, plan)
        urls = dict.fromkeys(url for _, url in web.ask("log"))
    requests = Counter(site_of(urlsplit(url).netloc) for url in urls)
    good = _good(urls)
    print(f"{'site':>16}{'URLs asked for':>16}")
    for site in (GOOD, *TRAPS):
        print(f"{site:>16}{requests[site]:>16}")
    print(f"{'all':>16}{requests.total():>16}\npeak memory {found.peak_mb:.0f} MB")
    print(f"good pages kept {found.kept}, fetched {found.fetched}; URLs logged again {found.repeated}")
    if given.kills:
        print(f"killed {found.crawls_killed} times")
    if given.json:
        traps = {site: requests[site] for site in TRAPS}
        asked = {"good": good, "traps": traps, "requests": requests.total(), "peak_mb": round(found.peak_mb)}
        print(json.dumps(asked | {name: value for name, value in asdict(found).items() if name != "peak_mb"}))


if __name__ == "__main__":
    main()
