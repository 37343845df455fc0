"""What a link costs from extraction to queue: met for the first time, and met again in the same words on another page of its site.

    python benchmarks/repeated_links.py [--pages 40] [--rounds 5] [--strategies adaptive,naive_bayes] [--json]

The pages are those of webs/news.py with every link's address and text made anew, so that all links of a page are new. Each page comes twice, the
second time at another URL of its site. Timed is what a crawl does with the links of a page that was parsed: extraction, canonical URL, anchor
and context, what is known of it, words, score, features, its row in SQLite, the commit. Medians over all pages and rounds, in µs of CPU a link.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median

import _checkout  # noqa: F401 first: the package may not be installed
from webs.news import NewsWeb

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link

SITE = "http://s0.example"
_LINK = re.compile(r'<a href="[^"]*"([^>]*) title="([^"]*)">[^<]*</a>')


def pages(web: NewsWeb, number: Iterator[int]) -> Iterator[str]:
    """Pages of one site, no link of which stood on an earlier one."""
    for at in range(web.per_host):

        def anew(found: re.Match[str]) -> str:
            text = f"{found[2]}{next(number)}"
            return f'<a href="/n{next(number)}.html"{found[1]} title="{text}">{text}</a>'

        yield _LINK.sub(anew, web.page((0, at)))


def timed(crawl: Crawl, url: str, body: bytes, now: float) -> tuple[float, int]:
    """CPU seconds of a page's links, and how many there are."""
    reading = crawl.read(url, body, "text/html", "utf-8")
    assert reading is not None  # noqa: S101 HTML is read
    begun = time.process_time()
    links = crawl.links_of(reading)
    crawl.visit(reading.page, links, now)
    crawl.frontier.commit()
    return time.process_time() - begun, len(links)


def measure(strategy: str, count_pages: int, rounds: int) -> dict[str, float]:
    """µs a link, new and met again."""
    number, first, again = count(), [], []
    for round_ in range(rounds):
        web = NewsWeb(count_pages, 1, seed=round_)
        with tempfile.TemporaryDirectory() as folder:
            frontier = SqliteFrontier(Path(folder) / "frontier.sqlite")
            crawl = Crawl(assemble(Recipe("finance", strategy=strategy)), frontier)
            crawl.seed([Link(f"{SITE}/", "s0.example")], 0.0)
            for at, page in enumerate(pages(web, number)):
                body = page.encode()
                for costs, url in ((first, f"{SITE}/a{at}.html"), (again, f"{SITE}/b{at}.html")):
                    seconds, links = timed(crawl, url, body, float(at))
                    costs.append(1e6 * seconds / links)
            crawl.close()
    return {"new": round(median(first), 2), "again": round(median(again), 2)}


def main() -> None:
    """Print a line a strategy."""
    parser = argparse.ArgumentParser(description="CPU of a link, new and met again.")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--strategies", default="adaptive,naive_bayes")
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    found = {name: measure(name, given.pages, given.rounds) for name in given.strategies.split(",")}
    print(f"{'strategy':>15}{'new µs':>10}{'again µs':>10}{'share':>8}")
    for name, cost in found.items():
        print(f"{name:>15}{cost['new']:>10.2f}{cost['again']:>10.2f}{cost['again'] / cost['new']:>8.2f}")
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
