"""How good the order is under the real engine, when politeness lets each host be asked only now and then.

    python benchmarks/order.py [--hosts 200] [--links 10000] [--delay 0.25] [--first 500] [--concurrency 32] [--json]

    ours            `scrapy crawl topic -a strategy=naive_bayes` with the project's settings
    scrapy_default  Scrapy's own scheduler, given the same scores of the same links as priorities (in thousandths)

The web (benchmarks/webs/hosts.py, through a proxy on loopback): a few lists name all links at the beginning; one host
in twenty is about finance, and with it one link in twenty. Told are the share of such pages among the first `--first`
pages behind the lists, in the order the server was asked for them, and the seconds from the first of these to the
last (reading ten lists of 1,000 links costs both about two seconds before that). ideal_seconds is what the delay alone asks for as many relevant pages as ours got: each of their hosts can be
asked once in `--delay` seconds. No robots.txt, no AutoThrottle.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed
from webs.hosts import HostsWeb
from webs.server import ROOT, Served, ended, served, started

from topiccrawler.crawling.launching import crawl_line

SPIDER = """
from scrapy import Request, Spider
from topiccrawler.links.extract import extract
from topiccrawler.link_model.model_file import load_model
from topiccrawler.pages.parse import parse

class ScoredSpider(Spider):
    name = "scored"

    def __init__(self, seeds, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = seeds.split(",")
        self.model = load_model("finance")

    def parse(self, response):
        links = extract(parse(response.text), response.url, depth=1, context=self.model.context)
        for link, score in zip(links, self.model.log_odds(links), strict=True):
            yield Request(link.url, priority=round(1000 * score))
"""
SETTINGS = {
    "AUTOTHROTTLE_ENABLED": "False",
    "CONCURRENT_REQUESTS_PER_DOMAIN": "1",
    "DOWNLOAD_DELAY_JITTER": "0",
    "LOG_LEVEL": "INFO",
    "ROBOTSTXT_OBEY": "False",
    "TELNETCONSOLE_ENABLED": "False",
}


def command(ours: bool, seeds: list[str], settings: dict[str, str], pages: int, folder: Path) -> list[str]:
    """The crawl as a user types it."""
    if ours:
        words = crawl_line({"topic": "finance", "strategy": "naive_bayes", "pages": pages}, {})
    else:
        (folder / "scored.py").write_text(SPIDER, encoding="utf-8")
        words = ["runspider", str(folder / "scored.py")]
        settings = {**settings, "CLOSESPIDER_PAGECOUNT": str(pages)}
    words += ["-a", f"seeds={','.join(seeds)}"]
    return words + [word for pair in settings.items() for word in ("-s", "=".join(pair))]


def crawl(ours: bool, web: Served, plan: HostsWeb, settings: dict[str, str], first: int) -> tuple[int, float]:
    """Crawl once: how many of the first pages are relevant, and the seconds they took."""
    web.ask("forget")
    with tempfile.TemporaryDirectory() as path, (Path(path) / "log").open("w+", encoding="utf-8") as log:
        words = command(ours, plan.lists, settings, first + len(plan.lists), Path(path))
        environment = {**web.environment(), **({} if ours else {"PYTHONPATH": str(ROOT)})}
        ended(started(words, environment, log, ROOT if ours else path), log)
        asked: list[tuple[float, str]] = [(when, url) for when, url in web.ask("log")]
        behind = [(when, url) for when, url in asked if url not in plan.lists][:first]
        if len(behind) < first:
            raise SystemExit(f"ended after {len(behind)} pages:\n{Path(log.name).read_text()[-3000:]}")
    return sum(plan.is_on_topic(url) for _, url in behind), behind[-1][0] - behind[0][0]


def ideal_seconds(relevant: int, plan: HostsWeb, delay: float) -> float:
    """The first request to a host is free, each further one costs a delay; all relevant hosts are asked side by side."""
    return (math.ceil(relevant / len(plan.on_topic)) - 1) * delay


def main() -> None:
    """Crawl twice and print the table."""
    parser = argparse.ArgumentParser(
        description="Share of relevant pages among the first, with polite delays."
    )
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--links", type=int, default=10_000)
    parser.add_argument("--delay", type=float, default=0.25)
    parser.add_argument("--first", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--json", action="store_true", help="a JSON object on the last line")
    given = parser.parse_args()
    plan = HostsWeb(given.hosts, given.links)
    settings = {
        **SETTINGS,
        "DOWNLOAD_DELAY": str(given.delay),
        "CONCURRENT_REQUESTS": str(given.concurrency),
    }
    found: dict[str, dict[str, float]] = {}
    with served("order", "--hosts", str(given.hosts), "--links", str(given.links)) as web:
        for name in ("ours", "scrapy_default"):
            relevant, seconds = crawl(name == "ours", web, plan, settings, given.first)
            found[name] = {"relevant_500": round(relevant / given.first, 4), "seconds": round(seconds, 3)}
    ideal = ideal_seconds(round(found["ours"]["relevant_500"] * given.first), plan, given.delay)
    print(f"{'order':>16}{f'relevant in {given.first}':>18}{'seconds':>10}{'of ideal':>10}")
    for name, row in found.items():
        share = row["seconds"] / ideal if ideal else math.nan
        print(f"{name:>16}{row['relevant_500']:>18.3f}{row['seconds']:>10.2f}{share:>10.2f}")
    print(f"{'ideal':>16}{'':>18}{ideal:>10.2f}")
    if given.json:
        print(json.dumps({**found, "ideal_seconds": ideal}))


if __name__ == "__main__":
    main()
