"""naive_bayes that learns: what a crawl met changes the order of what is queued; switched off, nothing changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.errors import StateError, StrategyError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge, Strategy
from topiccrawler.topics.catalogue import topic_from_keywords

CrawlOrder = Callable[..., list[str]]
TOPIC = topic_from_keywords("基金", "mine")


def prepared(**parameters: str) -> Strategy:
    strategy = build("naive_bayes", parameters)
    strategy.prepare(Knowledge(similarity_threshold=0.5, link_scorer=keyword_model(TOPIC)))
    return strategy


SITE = {
    "hub": (0.4, [("one", "基金 体育")]),
    "one": (0.0, [("two", "体育"), ("three", "美食")]),
    "two": (0.0, []),
    "three": (0.9, []),
}


def test_a_page_off_topic_puts_back_the_links_that_speak_like_the_one_that_led_to_it(
    crawl_order: CrawlOrder,
) -> None:
    """
    hub ── one ── two, three. The keyword sends the crawl to `one`, which is off topic. Without learning 体育 and 美食
    say nothing: first in, first out. With it 体育 has led astray once, 美食 never.
    """
    assert crawl_order(prepared(), SITE, ["hub"]) == ["hub", "one", "two", "three"]
    assert crawl_order(prepared(learn="true"), SITE, ["hub"]) == ["hub", "one", "three", "two"]


def test_with_every_link_a_waiting_url_is_scored_again_as_algorithm_1_has_it() -> None:
    assert [prepared(every_link=text).offered_links for text in ("false", "true")] == ["new", "waiting"]


def test_a_queue_by_probability_ties_where_the_log_odds_do_not() -> None:
    """P = 1 / (1 + e^-x) is 1.0 in a double from x = 37 on."""
    values = {}
    links = [Link(f"http://b.example/{odds}", "b.example") for odds in (0, 40, 50)]
    for text in ("false", "true"):
        strategy = build("naive_bayes", {"probability": text})
        strategy.prepare(Knowledge(link_scorer=ByAddress()))
        values[text] = [score.value for score in strategy.visit(Page("http://b.example/"), links)]
    assert values == {"false": [0.0, 40.0, 50.0], "true": [0.5, 1.0, 1.0]}
    assert strategy.worth(0.5) == 0.5


class ByAddress:
    """The log-odds of a link stand at the end of its address."""

    threshold = 0.0

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [float(link.url.rpartition("/")[2]) for link in links]


def feed(strategy: Strategy, anchor: str, relevance: float) -> None:
    via = Via(Link("http://a.example/x", "a.example", anchor, source_url="http://a.example/"))
    strategy.visit(Page("http://a.example/x", similarity=relevance, via=via), [])


def scores(strategy: Strategy, *anchors: str) -> list[float]:
    links = [Link(f"http://b.example/{anchor}", "b.example", anchor) for anchor in anchors]
    return [score.value for score in strategy.refresh(links)]


def test_a_refresh_scores_the_queue_by_what_was_learned() -> None:
    strategy = prepared(learn="true")
    feed(strategy, "理财", 0.9)
    feed(strategy, "体育", 0.0)
    finance, sport, unknown = scores(strategy, "理财", "体育", "天气")
    assert finance > unknown > sport


def test_without_learning_pages_teach_nothing_and_the_queue_stays_as_it_is() -> None:
    strategy = prepared()
    feed(strategy, "理财", 0.9)
    assert scores(strategy, "理财", "体育") == []
    assert strategy.save() == {}
    assert not strategy.learns


def test_the_gate_asks_the_scorer_that_learns() -> None:
    strategy = prepared(learn="true")
    feed(strategy, "理财", 0.9)
    assert strategy.current_scorer is not None
    assert strategy.current_scorer.log_odds([Link("", "", "理财")])[0] > 0


def crawl(ordering: Ordering, pages: Sequence[tuple[str, float]]) -> None:
    for name, relevance in pages:
        link = Link(f"http://c.example/{name}", "c.example", name, source_url="http://c.example/")
        ordering.seed([link], now=0.0)
        leased = ordering.lease(now=0.0)
        assert leased is not None
        page = Page(link.url, similarity=relevance, via=Via(link))
        ordering.visit(page, [], now=0.0)
        ordering.end(link.url, State.COMPLETED, "kept", now=0.0)


PAGES = [("理财基金", 0.9), ("体育", 0.0), ("理财", 0.7), ("天气", 0.1)]


def test_what_was_learned_is_kept_with_the_queue_and_goes_on_from_there() -> None:
    frontier = MemoryFrontier()
    first = Ordering(prepared(learn="true"), frontier)
    crawl(first, PAGES)
    first.checkpoint()
    again = prepared(learn="true")
    assert Ordering(again, frontier).pages == 4
    assert again.save() == first.strategy.save()
    assert scores(again, "理财", "体育") == scores(first.strategy, "理财", "体育")


def test_a_job_is_not_continued_with_learning_switched_over() -> None:
    frontier = MemoryFrontier()
    ordering = Ordering(prepared(learn="true"), frontier)
    crawl(ordering, PAGES)
    ordering.checkpoint()
    with pytest.raises((StrategyError, StateError), match="learn=true"):
        Ordering(prepared(), frontier)


def test_a_damaged_state_is_one_line() -> None:
    frontier = MemoryFrontier()
    frontier.notes.put(
        "ordering", json.dumps({"strategy": "naive_bayes", "pages": 1, "state": {"learned": {"version": 9}}})
    )
    with pytest.raises(StateError, match="JOBDIR"):
        Ordering(prepared(learn="true"), frontier)


def test_parameters_are_checked() -> None:
    with pytest.raises(StrategyError, match="half_life_pages"):
        build("naive_bayes", {"half_life_pages": "0"})
    with pytest.raises(StrategyError, match="learn='perhaps'"):
        build("naive_bayes", {"learn": "perhaps"})
