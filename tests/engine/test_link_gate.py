"""The downloader middleware asks the link gate about every request of a link, whoever made it."""

from collections.abc import Sequence
from functools import partial

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.admission import Admission, gate_rule
from topiccrawler.crawling.link_gate import REFUSED, LinkGate
from topiccrawler.engine.link_rules import count_refused
from topiccrawler.engine.middlewares import LinkGateMiddleware
from topiccrawler.model import Link, Via

LINK = Link("http://a.example/1", "a.example", "足球", source_url="http://a.example/")
FUND = Link("http://a.example/2", "a.example", "基金", source_url="http://a.example/")


class ByWord:
    """A link scorer that likes 基金 only: P(+) is .5 and about .0001."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [0.0 if "基金" in link.anchor else -9.0 for link in links]


@pytest.fixture
def stats() -> StatsCollector:
    return StatsCollector(get_crawler())


def middleware(stats: StatsCollector, threshold: float = 0.5) -> LinkGateMiddleware:
    rules = [gate_rule(LinkGate(ByWord(), threshold=threshold))]
    return LinkGateMiddleware(Admission(rules, partial(count_refused, stats)), stats)


def figures(stats: StatsCollector) -> tuple[int, ...]:
    return tuple(stats.get_value(f"topic/gate/{name}", 0) for name in ("asked", "scored", "refused"))


def test_the_target_of_a_redirect_is_refused_like_any_poor_link(stats: StatsCollector) -> None:
    gate = middleware(stats)
    with pytest.raises(IgnoreRequest, match=REFUSED):
        gate.process_request(Request("http://b.example/", meta={"via": Via(LINK)}))
    assert figures(stats) == (1, 1, 1)


def test_every_request_is_scored_and_the_mean_probability_is_that_of_all(stats: StatsCollector) -> None:
    gate = middleware(stats)
    gate.process_request(Request(FUND.url, meta={"via": Via(FUND)}))
    with pytest.raises(IgnoreRequest, match=REFUSED):
        gate.process_request(Request(LINK.url, meta={"via": Via(LINK)}))
    gate.process_request(Request("http://c.example/", meta={"via": Via(FUND)}))
    assert figures(stats) == (3, 3, 1)
    assert stats.get_value("topic/gate/mean_probability") == pytest.approx(
        (0.5 + 0.000123 + 0.5) / 3, abs=1e-4
    )


@pytest.mark.parametrize(
    "request_",
    [Request("http://b.example/"), Request(LINK.url, meta={"via": Via(LINK._replace(source_url=""))})],
    ids=["without a link", "a seed"],
)
def test_a_request_without_a_link_and_a_seed_pass_and_are_not_counted(
    stats: StatsCollector, request_: Request
) -> None:
    middleware(stats).process_request(request_)
    assert figures(stats) == (0, 0, 0)
