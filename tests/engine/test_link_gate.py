"""Redirect targets and other spiders' requests pass the gate as well."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.admission import REFUSED, Admission, GateRule, LinkGate
from topiccrawler.engine.leases import META
from topiccrawler.engine.link_rules import count_refused
from topiccrawler.engine.middlewares import LinkGateMiddleware
from topiccrawler.model import Link, Via

LINK = Link("http://a.example/1", "a.example", "足球", source_url="http://a.example/")


class Poor:
    """A link scorer that likes nothing."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [-9.0] * len(links)


@pytest.fixture
def stats() -> StatsCollector:
    return StatsCollector(get_crawler())


def middleware(stats: StatsCollector) -> LinkGateMiddleware:
    rules = [GateRule(LinkGate(Poor(), threshold=0.5))]
    return LinkGateMiddleware(Admission(rules, partial(count_refused, stats)))


def test_where_a_redirect_leads_is_refused_like_any_poor_link(stats: StatsCollector) -> None:
    gate = middleware(stats)
    with pytest.raises(IgnoreRequest, match=REFUSED):
        gate.process_request(Request("http://b.example/", meta={"via": Via(LINK)}))
    assert stats.get_value("topic/gate/refused") == 1


@pytest.mark.parametrize(
    "request_",
    [
        Request("http://a.example/1", meta={"via": Via(LINK), META: 1}),
        Request("http://b.example/", meta={"via": Via(LINK, tunnel=1)}),
        Request("http://b.example/"),
    ],
    ids=["leased", "second chance", "without link text"],
)
def test_what_the_lease_loop_has_decided_and_what_has_no_link_text_passes(
    stats: StatsCollector, request_: Request
) -> None:
    middleware(stats).process_request(request_)
    assert stats.get_value("topic/gate/refused") is None
