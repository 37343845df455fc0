"""Batches of links under a scheduler that is not ours."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

from scrapy import Request
from scrapy.http import Response

from topiccrawler.engine.leases import META
from topiccrawler.engine.middlewares import OutlinksMiddleware, expand
from topiccrawler.items import Outlinks
from topiccrawler.model import Link, Page, Score
from topiccrawler.strategies.base import Strategy

LINKS = [Link(f"http://a.example/{name}", "a.example") for name in "xyy"]


class ByPlace(Strategy):
    """Later links are better."""

    def visit(self, page: Page, links: Any) -> list[Score]:
        return [Score(link.url, number / 10) for number, link in enumerate(links)]


async def yielded(*outputs: Any) -> AsyncIterator[Any]:
    for output in outputs:
        yield output


def run(strategy: Strategy | None, *outputs: Any) -> list[Any]:
    middleware = OutlinksMiddleware(lambda: None, strategy)

    async def collect() -> list[Any]:
        response = Response("http://a.example/")
        return [output async for output in middleware.process_spider_output(response, yielded(*outputs))]

    return asyncio.run(collect())


def test_a_batch_becomes_requests_with_the_best_score_of_each_url_as_priority() -> None:
    requests = run(ByPlace(), Outlinks(Page("http://a.example/"), LINKS))
    assert [(request.url[-1], request.priority) for request in requests] == [("x", 0), ("y", 200)]


def test_without_a_strategy_every_link_is_followed() -> None:
    requests = expand(Outlinks(Page("http://a.example/"), LINKS), None)
    assert [(request.url[-1], request.priority) for request in requests] == [("x", 0), ("y", 0)]


def test_requests_carry_their_links_but_where_the_strategy_names_another_url() -> None:
    class Elsewhere(ByPlace):
        def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
            return [*super().visit(page, links), Score("http://other.example/", 0.5)]

    requests = run(Elsewhere(), Outlinks(Page("http://a.example/"), LINKS))
    assert [request.meta.get("via") and request.meta["via"].link.url for request in requests] == [
        *dict.fromkeys(link.url for link in LINKS),
        None,
    ]


def test_other_output_passes_and_a_copied_lease_is_taken_off() -> None:
    item = {"a": 1}
    request = Request("http://a.example/", meta={META: 7, "own": 1})
    assert run(None, item, request) == [item, request]
    assert request.meta == {"own": 1}
