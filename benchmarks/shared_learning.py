"""What learning together costs: a state of `adaptive`, an entry of the stream, and the learner's time for a page of another process.

    python benchmarks/shared_learning.py [--pages 100] [--links 25,100] [--urls 30000] [--strategies adaptive,pagerank] [--json]

    state        of `adaptive` with so many URLs: bytes, and milliseconds of a processor to make it and to load it
    NAME LINKS   a page with so many links that another process read: bytes of its entry, and milliseconds of a processor that it
                 costs the process that tells it (scoring included, where it scores itself) and the learner

The pages are drawn; a link has an anchor and a context of Chinese, and leads to one of 500 sites. Needs a redis-server or
valkey-server in PATH, else it says so and measures nothing. docs/scaling.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from time import thread_time
from typing import Any

import _checkout  # noqa: F401 first: the package may not be installed
import redis
from redis_frontier import ANCHOR, CONTEXT, SERVER, served

from topiccrawler.cluster.redis.client import Client
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import join
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge, Strategy

SITES = 500
SEED = Link("http://s0.example/", "s0.example")
LEAD, LAG = "frontier/learner", "strategy/learning_lag/pages"


class Drawn:
    """A link scorer that costs nothing."""

    def __init__(self) -> None:
        self._draw = random.Random(7)

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [self._draw.gauss(0, 5) for _ in links]


def prepared(name: str) -> Strategy:
    strategy = build(name)
    strategy.prepare(Knowledge(link_scorer=Drawn()))
    return strategy


def pages(count: int, links: int) -> Iterator[tuple[Page, list[Link]]]:
    """Each was met by a link of the one before."""
    draw, via = random.Random(7), Via(SEED)
    for number in range(count):
        found = []
        for place in range(links):
            host = f"s{draw.randrange(SITES)}.example"
            url = f"http://{host}/news/2024/{number * links + place}.html"
            anchor = f"{ANCHOR}{draw.randrange(1000)}"
            found.append(Link(url, host, anchor, CONTEXT, CONTEXT, depth=3, source_url=via.link.url))
        target = draw.random() < 0.3
        yield Page(via.link.url, 1, ANCHOR, {"基金": 2.0}, float(target), target, 0.1, via), found
        via = Via(draw.choice(found))


def milliseconds(begun: float, count: int = 1) -> float:
    return round(1000 * (thread_time() - begun) / count, 2)


def state(urls: int) -> dict[str, float]:
    strategy, links = prepared("adaptive"), 100
    for page, found in pages(-(-urls // links), links):
        list(strategy.visit(page, found))
    begun = thread_time()
    text = json.dumps(dict(strategy.save()))
    made, begun = milliseconds(begun), thread_time()
    prepared("adaptive").load(json.loads(text))
    return {"urls": urls, "bytes": len(text), "make_ms": made, "load_ms": milliseconds(begun)}


def told(socket: str, name: str, count: int, links: int) -> dict[str, float]:
    """One process reads the pages, the other is the learner."""
    job = f"{name}-{links}"
    queues = [
        RedisFrontier(
            join(Client(f"unix://{socket}", job), call_seconds=60.0), acknowledgements_per_commit=10**9
        )
        for _ in range(2)
    ]
    processes = [Ordering(prepared(name), queue, shared=queue) for queue in queues]
    for process in processes:
        process.seed([SEED], 0.0)
    learner = processes[0]
    while not learner.figures()[LEAD]:
        learner.learn(0.0)
        learner.pending()
    begun = thread_time()
    for page, found in pages(count, links):
        processes[1].visit(page, found, 0.0)
        processes[1].frontier.commit()
    told, taken = milliseconds(begun, count), 0.0
    processes[1].frontier.look().counts()  # all is there
    size = redis.Redis(unix_socket_path=socket).memory_usage(f"topiccrawler:{{{job}}}:seen", samples=0)
    while queues[0].exchange.sent <= count:  # the seeds are one more
        learner.pending()
    while learner.figures()[LAG]:
        begun = thread_time()
        learner.learn(0.0)
        taken += thread_time() - begun
    for process in processes:
        process.frontier.close()
    return {"entry_bytes": round(size / count), "tell_ms": told, "learn_ms": round(1000 * taken / count, 2)}


def measure(given: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {"state": state(given.urls)}
    for name in given.strategies.split(","):
        for links in map(int, given.links.split(",")):
            with tempfile.TemporaryDirectory(prefix="redis") as folder:
                server, socket = served(folder)
                try:
                    found[f"{name} {links}"] = told(socket, name, given.pages, links)
                finally:
                    server.kill()
                    server.wait()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--links", default="25,100")
    parser.add_argument("--urls", type=int, default=30_000)
    parser.add_argument("--strategies", default="adaptive,pagerank")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if SERVER is None:
        print("no redis-server and no valkey-server in PATH: nothing is measured")
        return
    found = measure(given)
    if given.json:
        print(json.dumps(found))
        return
    for name, values in found.items():
        print(f"{name:<14} {', '.join(f'{key} {value}' for key, value in values.items())}")


if __name__ == "__main__":
    main()
