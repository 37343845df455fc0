"""What share of a crawl's CPU its search index and its control take.

    python benchmarks/overheads.py [--pages 1000] [--rounds 3] [--strategy adaptive] [--json]

A pair of whole crawls, with and without, differs by more from one run to the next than by what is asked here. So one crawl is
timed from within: the thread's CPU in what it calls of either, imports included, over the CPU of the whole process. The web
is that of crawl.py, where nearly every page is kept; a crawl that keeps fewer pays less.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed
from crawl import ROOT, WEB_FACTOR, command
from webs.server import Served, served

INSIDE = """
import atexit, json, sys, time
from scrapy.cmdline import execute
from topiccrawler.crawling.job_files import Indexing
from topiccrawler.engine.control.extension import Control

seconds, pages = {"index": 0.0, "control": 0.0}, 0

def timed(owner, name, of):
    plain = getattr(owner, name)
    def measured(*values):
        global pages
        pages += name == "add"
        begun = time.thread_time()
        try:
            return plain(*values)
        finally:
            seconds[of] += time.thread_time() - begun
    async def awaited(*values):
        begun = time.thread_time()
        try:
            return await plain(*values)
        finally:
            seconds[of] += time.thread_time() - begun
    setattr(owner, name, awaited if of == "control" else measured)

for name in ("begin", "add", "commit", "close"):
    timed(Indexing, name, "index")
for name in ("start", "stop"):
    timed(Control, name, "control")
FILE = sys.argv.pop(1)
def tell():
    with open(FILE, "w") as file:
        json.dump({"pages": pages, "all": time.process_time(), **seconds}, file)
atexit.register(tell)
sys.argv[0] = "scrapy"
execute()
"""  # a crawl as a user types it, with timers around what is asked for


def crawl(strategy: str, web: Served, pages: int) -> dict[str, float]:
    """CPU seconds of one crawl: of all, of its index, of its control; the pages indexed."""
    web.ask("forget")
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "inside.py").write_text(INSIDE, encoding="utf-8")
        python, _, _, *words = command(strategy, pages, 16, folder)
        subprocess.run(
            [python, str(folder / "inside.py"), str(folder / "seconds"), *words],
            cwd=ROOT,
            env={**web.environment(), "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        )
        found: dict[str, float] = json.loads((folder / "seconds").read_text(encoding="utf-8"))
        return found


def main() -> None:
    """Crawl some times and print the medians."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--strategy", default="adaptive")
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    with served("news", "--pages", str(round(given.pages * WEB_FACTOR)), "--hosts", "40") as web:
        runs = [crawl(given.strategy, web, given.pages) for _ in range(given.rounds)]
    found = {
        "kept_pages": statistics.median(run["pages"] for run in runs),
        "cpu_ms_per_page": statistics.median(1000 * run["all"] / run["pages"] for run in runs),
        **{
            f"{part}_share": statistics.median(run[part] / run["all"] for run in runs)
            for part in ("index", "control")
        },
    }
    if given.json:
        print(json.dumps(found))
    else:
        print(f"{found['kept_pages']:.0f} pages kept, {found['cpu_ms_per_page']:.2f} ms of CPU each")
        print(f"index {found['index_share']:.2%}, control {found['control_share']:.2%}")


if __name__ == "__main__":
    main()
