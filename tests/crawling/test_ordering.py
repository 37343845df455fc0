from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pytest

from topiccrawler.crawling.admission import Admission, GateRule, LinkGate
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Pushed, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Strategy


def link(name: str, anchor: str = "", depth: int = 1) -> Link:
    return Link(
        f"http://{name}.example/", f"{name}.example", anchor, depth=depth, source_url="http://hub.example/"
    )


def test_a_url_linked_several_times_by_one_page_is_queued_once() -> None:
    ordering = Ordering(build("best_first"), MemoryFrontier(Hosts()))
    pushed = ordering.visit(
        Page("http://hub.example/", similarity=0.4), [link("a", "图"), link("a", "基金"), link("b")], 0.0
    )
    assert {kind: count for kind, count in pushed.items() if count} == {Pushed.NEW: 2}


class Likes:
    """A link scorer by hand."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [2.0 if link.anchor == "基金" else -2.0 for link in links]


def test_what_the_gate_refuses_is_passed_to_the_strategy_and_queued_once_a_better_link_leads_there() -> None:
    shown: list[str] = []

    class Sees(Strategy):
        name = "sees"

        def visit(self, page: Page, links: Sequence[Link]) -> list[Score]:
            shown.extend(link.anchor for link in links)
            return [Score(link.url, 1.0) for link in links]

    frontier = MemoryFrontier(Hosts())
    refused: list[tuple[str, float | None, float]] = []
    ordering = Ordering(
        Sees(),
        frontier,
        admission=Admission([GateRule(LinkGate(Likes(), 0.5))]),
        refused=lambda links, odds, now: refused.extend(
            (link.host, one, now) for link, one in zip(links, odds, strict=True)
        ),
    )
    poor = ordering.visit(Page("http://hub.example/"), [link("a", "足球"), link("b", "足球")], 0.0)
    assert (poor[Pushed.REFUSED], frontier.look().waiting(), shown) == (2, 0, ["足球", "足球"])
    mixed = ordering.visit(Page("http://hub.example/2"), [link("a", "足球"), link("a", "基金")], 0.0)
    assert (mixed[Pushed.REFUSED], mixed[Pushed.NEW]) == (1, 1)
    [row] = frontier.look().rows()
    assert (row.link.host, row.link.anchor) == ("a.example", "基金")
    probability = pytest.approx(1 / (1 + math.exp(2)))
    assert refused == [(f"{host}.example", probability, 0.0) for host in "aba"]


def test_a_strategy_hears_of_each_url_that_waits_no_more() -> None:
    class Hears(Strategy):
        name = "hears"
        heard: list[str] = []  # noqa: RUF012 one object

        @property
        def least_score(self) -> float:
            return 0.0

        def visit(self, page: Page, links: Sequence[Link]) -> list[Score]:
            return [Score(link.url, 1.0 - 2.0 * (link.host == "poor.example")) for link in links]

        def ended(self, url: str) -> None:
            self.heard.append(url)

    strategy = Hears()
    ordering = Ordering(strategy, MemoryFrontier(Hosts()))
    ordering.visit(Page("http://hub.example/"), [link("a"), link("poor")], 0.0)
    assert ordering.lease(0.0) is not None
    ordering.end("http://a.example/", State.ERROR, "http 404", 0.0)
    assert ordering.lease(0.0) is None
    assert strategy.heard == ["http://a.example/", "http://poor.example/"]


def test_links_of_a_page_reached_by_a_tunnel_count_its_steps_and_a_target_ends_the_tunnel() -> None:
    frontier = MemoryFrontier(Hosts())
    ordering = Ordering(build("breadth_first"), frontier)
    via = Via(link("excluded"), tunnel=2)
    ordering.visit(Page("http://poor.example/", via=via), [link("a")], 0.0)
    ordering.visit(Page("http://good.example/", via=via, is_target=True), [link("b")], 0.0)
    assert {row.link.host: row.tunnel for row in frontier.look().rows()} == {"a.example": 2, "b.example": 0}


def test_a_job_goes_on_with_the_page_count_it_had_and_only_with_its_own_strategy() -> None:
    frontier = MemoryFrontier(Hosts())
    begun = Ordering(build("breadth_first"), frontier)
    begun.visit(Page("http://hub.example/"), [link("a")], 0.0)
    begun.checkpoint()
    assert Ordering(build("breadth_first"), frontier).pages == 1
    with pytest.raises(StateError, match="-a strategy=breadth_first"):
        Ordering(build("best_first"), frontier)


def test_a_strategy_that_wants_only_waiting_links_is_not_offered_those_of_fetched_urls() -> None:
    class Alone(Strategy):
        name = "alone"
        offered_links = "waiting"
        saw: list[list[str]] = []  # noqa: RUF012 read by the test

        def visit(self, page: Page, links: Sequence[Link]) -> list[Score]:
            self.saw.append([link.host for link in links])
            return [Score(link.url, float(len(link.anchor))) for link in links]

    frontier = MemoryFrontier(Hosts())
    ordering = Ordering(Alone(), frontier)
    ordering.visit(Page("http://hub.example/"), [link("a", "基金"), link("b", "图")], 0.0)
    leased = frontier.lease(0.0)
    assert leased is not None
    frontier.end(leased.link.url, State.COMPLETED, "stored", 0.0)
    again = [link("a"), link("b", "基金净值"), link("a", "图"), link("c")]
    pushed = ordering.visit(Page("http://a.example/"), again, 0.0)
    assert Alone.saw == [["a.example", "b.example"], ["b.example", "c.example"]]
    assert {kind: count for kind, count in pushed.items() if count} == {
        Pushed.RAISED: 1, Pushed.NEW: 1, Pushed.KNOWN: 1,
    }  # fmt: skip


def test_a_strategy_that_wants_new_words_is_not_offered_those_that_a_url_was_met_with_before() -> None:
    class Listens(Strategy):
        name = "listens"
        offered_links = "new"
        saw: list[list[tuple[str, str]]] = []  # noqa: RUF012 read by the test

        def visit(self, page: Page, links: Sequence[Link]) -> list[Score]:
            self.saw.append([(link.host[0], link.anchor) for link in links])
            return [Score(link.url, float(len(link.anchor))) for link in links]

    ordering = Ordering(Listens(), MemoryFrontier(Hosts()))
    ordering.visit(Page("http://hub.example/"), [link("a", "基金"), link("b", "")], 0.0)
    again = [
        link("a", "基金"),
        link("b", "股票"),
        link("b", ""),
        link("a", "基"),
        link("c", "图"),
        link("c", "图"),
    ]
    pushed = ordering.visit(Page("http://other.example/"), again, 0.0)
    third = ordering.visit(Page("http://third.example/"), again, 0.0)
    assert Listens.saw == [
        [("a", "基金"), ("b", "")],
        [("b", "股票"), ("a", "基"), ("c", "图"), ("c", "图")],
        [],
    ]
    assert [pushed, third] == [{Pushed.RAISED: 1, Pushed.KEPT: 1, Pushed.NEW: 1}, {Pushed.KEPT: 3}]


def test_the_queue_is_scored_anew_when_a_parameter_was_changed() -> None:
    class Doubtful(Strategy):
        name = "doubtful"
        refresh_every = 1000
        value = 1.0

        def visit(self, page: Page, links: Sequence[Link]) -> list[Score]:
            return [Score(link.url, self.value) for link in links]

        def refresh(self, queued: Iterable[Link]) -> list[Score]:
            return [Score(link.url, self.value) for link in queued]

    frontier, strategy = MemoryFrontier(Hosts()), Doubtful()
    ordering = Ordering(strategy, frontier)
    ordering.visit(Page("http://hub.example/"), [link("a")], 0.0)
    strategy.value = 0.5
    ordering.ask_refresh()
    ordering.visit(Page("http://b.example/"), [], 0.0)
    ordering.visit(Page("http://c.example/"), [], 0.0)
    assert [row.score for row in frontier.look().rows()] == [0.5]
    assert ordering.rescoring.slices == 1
