"""Crawls a site drawn as data, with the objects a real crawl uses and no network: the fetch order is the assertion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from topiccrawler.crawl.ordering import Ordering
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.base import Strategy

Drawn = Mapping[str, tuple[float, Sequence[tuple[str, str]]]]  # name -> (relevance, [(target name, anchor)])


@pytest.fixture
def crawl_order() -> Callable[[Strategy, Drawn, Sequence[str]], list[str]]:
    """Names of the pages in the order a strategy fetches them, one host a page, no waiting."""

    def crawl(strategy: Strategy, site: Drawn, seeds: Sequence[str]) -> list[str]:
        ordering = Ordering(strategy, MemoryFrontier(Hosts()))
        ordering.seed([_link(name, "", "", 0, place) for place, name in enumerate(seeds)], now=0.0)
        order = []
        while (leased := ordering.lease(now=float(len(order)))) is not None:
            name = leased.link.host.removesuffix(".example")
            order.append(name)
            relevance, links = site[name]
            page = Page(
                leased.link.url,
                depth=leased.link.depth,
                relevance=relevance,
                is_target=relevance >= 0.5,
                via=Via(leased.link, leased.score, leased.carry, leased.tunnel),
            )
            found = [
                _link(to, anchor, name, page.depth + 1, place) for place, (to, anchor) in enumerate(links)
            ]
            ordering.visit(page, found, now=float(len(order)))
            ordering.acknowledge(leased.link.url, State.COMPLETED, "kept", now=float(len(order)))
        return order

    return crawl


def _link(name: str, anchor: str, source: str, depth: int, position: int) -> Link:
    source_url = f"http://{source}.example/" if source else ""
    return Link(
        f"http://{name}.example/",
        f"{name}.example",
        anchor,
        depth=depth,
        position=position,
        source_url=source_url,
    )
