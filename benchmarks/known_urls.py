"""What a crawl costs when it knows many URLs: CPU a page and memory at 10 000, 100 000 and 1 000 000 of them.

    python benchmarks/known_urls.py [--known 10000,100000,1000000] [--pages 300] [--strategy adaptive] [--rounds 1] [--json]

A job is begun on the synthetic web of benchmarks/crawl.py. So many URLs of other hosts are put into its queue, with link text, scored below
everything the crawl finds. Then the same command goes on twice, from copies of the job: for a few pages, and for `--pages` more. CPU a page is the
difference of the two processes' CPU (user and system) by the difference of their pages, so it is without start and loading, which
are given apart. Peak memory is the whole process's.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import _checkout  # noqa: F401 the package may not be installed
from crawl import ROOT, WEB_FACTOR, command, environment
from frontier import PAGE_LINKS, row
from webs.server import Served, processors, served

from topiccrawler.frontier.sqlite import SqliteFrontier

BEGIN, SHORT = 40, 20  # pages
HOSTS = 5_000
BELOW = -1e6  # no score of a strategy is as low


@dataclass(frozen=True, slots=True)
class Usage:
    """Of one process."""

    pages: int
    cpu_seconds: float
    peak_mb: float


def run(web: Served, strategy: str, pages: int, before: int, folder: Path) -> Usage:
    """So many pages more, by the job in that folder, which has fetched some before."""
    web.ask("forget")
    with (folder / "log").open("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            command(strategy, before + pages, 16, folder),
            cwd=ROOT,
            env=environment(web),
            stdout=log,
            stderr=log,
            preexec_fn=lambda: os.sched_setaffinity(0, processors()[0]),  # noqa: PLW1509 no threads here
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        fetched = len(web.ask("log"))
        if process.returncode or fetched < pages:
            log.seek(0)
            raise SystemExit(f"ended with {process.returncode} after {fetched} pages:\n{log.read()[-3000:]}")
    return Usage(fetched, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def fill(path: Path, known: int) -> None:
    """Queue so many URLs."""
    with SqliteFrontier(path) as frontier:
        for start in range(0, known, PAGE_LINKS):
            numbers = range(start, min(known, start + PAGE_LINKS))
            frontier.push([row(number, BELOW - number, HOSTS, True, start) for number in numbers], now=0.0)
            frontier.commit()


def measure(web: Served, strategy: str, known: int, pages: int, folder: Path) -> dict[str, float]:
    """One row of the table."""
    begun = folder / "begun"
    begun.mkdir()
    run(web, strategy, BEGIN, 0, begun)
    fill(begun / "job" / "frontier.sqlite", known)
    used = []
    for more in (SHORT, SHORT + pages):
        copy = folder / "copy"
        shutil.copytree(begun, copy)
        used.append(run(web, strategy, more, BEGIN, copy))
        shutil.rmtree(copy)
    short, long = used
    a_page = (long.cpu_seconds - short.cpu_seconds) / (long.pages - short.pages)
    return {
        "known": known,
        "cpu_ms_per_page": 1000 * a_page,
        "start_cpu_s": short.cpu_seconds - short.pages * a_page,
        "peak_mb": long.peak_mb,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU a page and memory by known URLs.")
    parser.add_argument("--known", default="10000,100000,1000000")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--strategy", default="adaptive")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    sizes = [int(known) for known in given.known.split(",")]
    rows: dict[int, list[dict[str, float]]] = {known: [] for known in sizes}
    every = round((BEGIN + SHORT + given.pages) * WEB_FACTOR)
    with served("news", "--pages", str(every), "--hosts", "40") as web:
        for known in sizes * given.rounds:
            with tempfile.TemporaryDirectory() as path:
                rows[known].append(measure(web, given.strategy, known, given.pages, Path(path)))
            print("   ".join(f"{name} {value:,.1f}" for name, value in rows[known][-1].items()), flush=True)
    table = [
        {name: round(statistics.median(one[name] for one in found), 2) for name in found[0]}
        for found in rows.values()
    ]
    print("".join(f"{name:>18}" for name in table[0]))
    for found in table:
        print("".join(f"{value:>18,}" for value in found.values()))
    if given.json:
        print(json.dumps(table))


if __name__ == "__main__":
    main()
