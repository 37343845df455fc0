"""How much of what a crawl fetched was on topic, by the synthetic web's own truth.

The conflict: the crawl's page classifier decides what is stored, so it must not also decide how good the crawl was. Here only the
plan counts: every page of it that was fetched, in order of fetching, whatever the page classifier said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topiccrawler.demo.plan import Web
from topiccrawler.demo.words import FINANCE

STEP_PAGES = 100


@dataclass(frozen=True, slots=True)
class Harvest:
    """For each page fetched, first to last: was it on topic?"""

    on_topic: tuple[bool, ...]

    @property
    def pages(self) -> int:
        return len(self.on_topic)

    def found(self, pages: int) -> int:
        """On-topic pages among the first `pages`."""
        return sum(self.on_topic[:pages])

    def rate(self, pages: int) -> float:
        """Harvest rate over the first `pages` (or all, when there are fewer)."""
        seen = min(pages, self.pages)
        return self.found(seen) / seen if seen else 0.0


def harvest(web: Web, urls: Iterable[str], topic: str = FINANCE) -> Harvest:
    """The harvest of a crawl that fetched `urls` in this order. What is no page of the plan does not count."""
    truths = (web.truth(url) for url in urls)
    return Harvest(tuple(truth == topic for truth in truths if truth is not None))


def times_as_good(focused: Harvest, baseline: Harvest) -> float:
    """Harvest rate of the one by that of the other, over as many pages as both fetched; inf when the other found none."""
    pages = min(focused.pages, baseline.pages)
    ours, theirs = focused.rate(pages), baseline.rate(pages)
    if theirs:
        return ours / theirs
    return math.inf if ours else 1.0


def table(named: Mapping[str, Harvest], step_pages: int = STEP_PAGES) -> list[str]:
    """Lines of a table: pages fetched, then each crawl's on-topic pages and harvest rate so far."""
    most = max((one.pages for one in named.values()), default=0)
    steps = [*range(step_pages, most, step_pages), most]
    lines = ["  pages" + "".join(f"{name:>20}" for name in named)]
    for pages in steps:
        cells = (
            f"{one.found(pages):>11} {one.rate(pages):8.1%}"
            if pages - step_pages < one.pages
            else f"{'-':>20}"
            for one in named.values()
        )
        lines.append(f"{pages:>7}" + "".join(cells))
    return lines
