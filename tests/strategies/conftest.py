"""Crawls a site drawn as data, with the objects a real crawl uses and no network: the fetch order is the assertion.

The golden site is drawn here, once; golden_orders.toml holds the order in which each strategy fetches it, and why.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence

import pytest

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.frontier.base import Leased, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.base import Strategy

Drawn = Mapping[str, tuple[float, Sequence[tuple[str, str]]]]  # name -> (relevance, [(target name, anchor)])


GOLDEN_SITE: Drawn = {
    "hub": (0.3, [("sport", "体育新闻"), ("bank", "银行理财"), ("misc", "更多")]),
    "sport": (0.0, [("ball", "足球"), ("odd", "基金赛场")]),
    "bank": (0.9, [("fund", "基金定投"), ("about", "关于我们"), ("misc", "银行公告")]),
    "misc": (0.6, [("late", "股票")]),
    "ball": (0.0, []),
    "odd": (0.1, []),
    "fund": (0.8, [("stock", "股票"), ("hub", "首页")]),
    "about": (0.2, []),
    "late": (0.5, []),
    "stock": (0.7, []),
}


@pytest.fixture(scope="session")
def golden_site() -> Drawn:
    """Ten pages from `hub` on; funds, stocks and banks are the topic."""
    return GOLDEN_SITE


class WordOdds:
    """A link scorer by hand: log-odds by the words an anchor holds."""

    def log_odds(self, links: object) -> list[float]:
        odds = {"银行": 2.0, "基金": 3.0, "股票": 4.0, "体育": -2.0, "足球": -3.0, "关于": -1.0}
        return [sum(value for word, value in odds.items() if word in link.anchor) for link in links]  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def word_odds() -> WordOdds:
    """A scorer of the golden site's links."""
    return WordOdds()


@pytest.fixture
def crawl_order() -> Callable[..., list[str]]:
    """Names of the pages in the order a strategy fetches them, one host a page, no waiting; `under_way` pages at once, the oldest read first."""

    def crawl(strategy: Strategy, site: Drawn, seeds: Sequence[str], under_way: int = 1) -> list[str]:
        ordering = Ordering(strategy, MemoryFrontier(Hosts()))
        ordering.seed([_link(name, "", "", 0, place) for place, name in enumerate(seeds)], now=0.0)
        order: list[str] = []
        leases: deque[Leased] = deque()
        while True:
            while len(leases) < under_way and (leased := ordering.lease(now=float(len(order)))) is not None:
                leases.append(leased)
                order.append(leased.link.host.removesuffix(".example"))
            if not leases:
                return order
            leased = leases.popleft()
            name = leased.link.host.removesuffix(".example")
            relevance, links = site[name]
            page = Page(
                leased.link.url,
                depth=leased.link.depth,
                similarity=relevance,
                is_target=relevance >= 0.5,
                via=Via(leased.link, leased.score, leased.carry, leased.tunnel),
            )
            found = [
                _link(to, anchor, name, page.depth + 1, place) for place, (to, anchor) in enumerate(links)
            ]
            ordering.visit(page, found, now=float(len(order)))
            ordering.end(leased.link.url, State.COMPLETED, "kept", now=float(len(order)))

    return crawl


@pytest.fixture
def golden_order(
    crawl_order: Callable[[Strategy, Drawn, Sequence[str]], list[str]],
) -> Callable[..., list[str]]:
    """The same on the golden site, from `hub` unless other seeds are given."""

    def crawl(strategy: Strategy, seeds: Sequence[str] = ("hub",)) -> list[str]:
        return crawl_order(strategy, GOLDEN_SITE, seeds)

    return crawl


def _link(name: str, anchor: str, source: str, depth: int, position: int) -> Link:
    source_url = f"http://{source}.example/" if source else ""
    place = {"depth": depth, "position": position, "source_url": source_url}
    return Link(f"http://{name}.example/", f"{name}.example", anchor, **place)
