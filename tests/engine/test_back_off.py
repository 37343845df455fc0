"""A page waits in the queue when its host began to back off after the page was leased."""

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from topiccrawler.crawling.fetch import Fetch
from topiccrawler.engine.leases import META, Leases
from topiccrawler.engine.middlewares import BackOffMiddleware
from topiccrawler.frontier.base import Leased
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.model import Link

NOW, URL = 100.0, "http://a.example/"


@pytest.fixture
def scheduler() -> Any:
    leases = Leases(lambda *_: None)
    leases.begin(Fetch(Leased(Link(URL, "a.example"), 0.0, 0.0, 0, b"", 0.0)))
    return SimpleNamespace(leases=leases, hosts=Hosts(delay_seconds=1.0), clock=lambda: NOW)


@pytest.mark.parametrize("reason", ["retry-after", "back-off"])
def test_a_page_goes_back_until_its_host_may_be_asked(scheduler: Any, reason: str) -> None:
    middleware, request = BackOffMiddleware(lambda: scheduler), Request(URL, meta={META: 1})
    scheduler.hosts.occupy("a.example", NOW)
    assert middleware.process_request(request) is None  # a delay is none: the slot was occupied for it
    scheduler.hosts.back_off("a.example", NOW + 30, reason)
    again = middleware.process_request(request)
    assert again is not None
    assert (again.url, again.meta) == (request.url, request.meta)
    scheduler.clock = lambda: NOW + 30
    assert middleware.process_request(request) is None


def test_what_the_scheduler_did_not_send_goes_on(scheduler: Any) -> None:
    """A callback that asks by itself, with the meta of its response, would be sent back for ever."""
    scheduler.hosts.back_off("a.example", NOW + 30, "retry-after")
    middleware = BackOffMiddleware(lambda: scheduler)
    assert middleware.process_request(Request(f"{URL}robots.txt")) is None
    scheduler.leases.get(1).status = 200
    assert middleware.process_request(Request(f"{URL}more", meta={META: 1})) is None
    assert BackOffMiddleware(lambda: None).process_request(Request(URL, meta={META: 1})) is None
