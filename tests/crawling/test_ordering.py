import math
from collections.abc import Iterable, Sequence

import pytest

from topiccrawler.crawling.admission import Admission, gate_rule
from topiccrawler.crawling.link_gate import LinkGate
from topiccrawler.crawling.ordering import Ordering
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
        admission=Admission([gate_rule(LinkGate(Likes(), 0.5))]),
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
