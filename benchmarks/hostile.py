"""What a crawl spends on a web of link farms, endless pages and calendars, and what it leaves for the good site.

    python benchmarks/hostile.py [--seconds 300] [--delay 0] [--strategy adaptive] [--json]

The web (benchmarks/webs/traps.py, through a proxy on loopback) has one good site of 201 pages, whose home links to 20 small
sites and to eight traps. `scrapy crawl topic` runs for that many seconds with the project's settings, but no robots.txt and
no AutoThrottle; the server says what it was asked for. It holds when every good page was asked for, no trap more than 600
times, and the crawl needed at most 300 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import _checkout  # noqa: F401 first: the package may not be installed
from webs.server import Served, processors, served
from webs.traps import TOPIC, TRAPS

from topiccrawler.urls.canonical import site_of

ROOT = Path(__file__).parents[1]
GOOD = "good.example"


def crawl(web: Served, seconds: float, delay: float, strategy: str) -> float:
    """Crawl; the peak memory in MB."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("w+", encoding="utf-8") as log:
        given = {"topic": TOPIC, "seeds": f"http://{GOOD}/", "strategy": strategy}
        settings = {
            "AUTOTHROTTLE_ENABLED": "False",
            "CLOSESPIDER_TIMEOUT": str(seconds),
            "DOWNLOAD_DELAY": str(delay),
            "JOBDIR": f"{folder}/job",
            "ROBOTSTXT_OBEY": "False",
            "TOPIC_DATA_DIR": folder,
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "topic"]
        command += [word for name, value in given.items() for word in ("-a", f"{name}={value}")]
        command += [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=web.environment(),
            stdout=log,
            stderr=log,
            preexec_fn=lambda: os.sched_setaffinity(0, processors()[0]),  # noqa: PLW1509 no threads here
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            raise SystemExit(f"ended with {process.returncode}:\n{log.read()[-3000:]}")
    return usage.ru_maxrss / 1024


def main() -> None:
    """Crawl and print the table."""
    parser = argparse.ArgumentParser(description="Requests into traps, and good pages fetched beside them.")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--strategy", default="adaptive")
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    with served("traps") as web:
        memory = crawl(web, given.seconds, given.delay, given.strategy)
        urls = dict.fromkeys(url for _, url in web.ask("log"))
    requests = Counter(site_of(urlsplit(url).netloc) for url in urls)
    good = sum(urlsplit(url).netloc == GOOD for url in urls)
    print(f"{'site':>16}{'URLs asked for':>16}")
    for site in (GOOD, *TRAPS):
        print(f"{site:>16}{requests[site]:>16}")
    print(f"{'all':>16}{requests.total():>16}\npeak memory {memory:.0f} MB")
    if given.json:
        traps = {site: requests[site] for site in TRAPS}
        print(
            json.dumps({"good": good, "traps": traps, "requests": requests.total(), "peak_mb": round(memory)})
        )


if __name__ == "__main__":
    main()
