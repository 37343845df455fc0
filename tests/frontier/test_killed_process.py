"""kill -9 at any moment: what was acknowledged is on disk with its links, nothing else is lost."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Link, Score

pytestmark = pytest.mark.slow

LINKS = 20

CRAWL = """
import os, sys
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score

path, per_commit, links = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def tell(number):  # in one write, unbuffered too: a kill may not part a number from its line end
    os.write(1, b"%d\\n" % number)

def crawl():
    frontier = SqliteFrontier(path, acknowledgements_per_commit=per_commit)
    if frontier.look().row("http://h/0") is None:
        frontier.push([(Link("http://h/0", "h"), Score("http://h/0", 0.0))], now=0.0)
        frontier.commit()
    tell(os.getpid())
    while (leased := frontier.lease(0.0)) is not None:
        page = int(leased.link.url.rpartition("/")[2])
        rows = []
        for child in range(page * links + 1, page * links + links + 1):
            url = f"http://h/{child}"
            rows.append((Link(url, "h", anchor="基金" * 10, source_url=leased.link.url), Score(url, -float(child))))
        frontier.push(rows, now=0.0)
        frontier.end(leased.link.url, State.COMPLETED, "stored", 0.0)
        tell(page)

for _ in sys.stdin:  # a crawl for each line, in a process that has its imports done
    if not os.fork():
        crawl()
    os.wait()
    print("ended", flush=True)
"""


@pytest.mark.parametrize("per_commit", [1, 7])
def test_a_killed_crawl_keeps_every_acknowledged_page_with_its_links(tmp_path: Path, per_commit: int) -> None:
    """Page n links to n*20+1 … n*20+20, leased in order of number; killed six times after a random number of pages."""
    path = tmp_path / "frontier.db"
    draw = random.Random(per_commit)
    announced: list[int] = []
    command = [sys.executable, "-c", CRAWL, str(path), str(per_commit), str(LINKS)]
    crawls = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    for _ in range(6):
        crawls.stdin.write("crawl\n")
        crawl = int(crawls.stdout.readline())
        pages = [int(crawls.stdout.readline()) for _ in range(draw.randrange(3, 120))]
        os.kill(crawl, signal.SIGKILL)
        pages += [int(line) for line in iter(crawls.stdout.readline, "ended\n")]
        again = set(pages) & set(announced)
        assert len(again) < per_commit  # only pages of the open transaction are fetched twice
        announced = sorted({*announced, *pages})
        with SqliteFrontier(JobDatabase(path, read_only=True)) as frontier:
            rows = {int(row.link.url.rpartition("/")[2]): row for row in frontier.look().rows()}
        completed = [number for number, row in rows.items() if row.state is State.COMPLETED]
        assert completed == list(range(len(completed)))
        assert sorted(rows) == list(range(len(completed) * LINKS + 1))
        # the kill may fall between a commit and its announcement
        assert -1 <= announced[-1] - completed[-1] < per_commit
    crawls.communicate()


def test_a_leftover_of_a_killed_process_does_not_lock_the_frontier(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    with SqliteFrontier(path) as frontier:
        frontier.push([(Link("http://a/1", "a"), Score("http://a/1", 1.0))], now=0.0)
    hold = f"from topiccrawler.frontier.sqlite import SqliteFrontier as F; f = F({str(path)!r}); f.lease(0.0); f.commit(); print(1, flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "1\n"
    holder.kill()
    holder.communicate()
    with SqliteFrontier(path) as frontier:
        assert frontier.look().counts()[State.WAITING] == 1
