"""A crawl done again from its log and its queue learns what the crawl itself would have."""

import pytest

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.crawling.transfer import FEW, can_transfer, relearn, transfer_state
from topiccrawler.frontier.base import State
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge


class Words:
    """A link model of one word."""

    def log_odds(self, links: list[Link]) -> list[float]:
        return [3.0 if "茶" in link.anchor else -3.0 for link in links]


def links_of(url: str) -> list[Link]:
    return [
        Link(f"{url}{n}", url[7:-1], f"{'茶' if n % 2 else '球'}{n}", depth=1, source_url=url)
        for n in range(30)
    ]


def crawled(strategy_name: str, relevances: dict[str, float]) -> tuple[MemoryFrontier, list[Page]]:
    """A crawl of two home pages and of eighteen more, judged so."""
    strategy = build(strategy_name, {})
    strategy.prepare(Knowledge(similarity_threshold=0.5, link_scorer=Words()))  # type: ignore[arg-type]
    frontier = MemoryFrontier()
    ordering = Ordering(strategy, frontier)
    seeds = [Link(url, url[7:-1]) for url in ("http://a.example/", "http://b.example/")]
    ordering.seed(seeds, 0.0)
    pages = []
    for number in range(20):
        leased = ordering.lease(float(number))
        assert leased is not None
        url = leased.link.url
        relevance = relevances.get(leased.link.host, 0.0)
        page = Page(url, similarity=relevance, is_target=relevance >= 0.5, via=Via(leased.link, leased.score))
        pages.append(page)
        ordering.visit(page, links_of(url) if url.endswith("/") else [], float(number))
        ordering.end(url, State.COMPLETED, "", float(number))
    return frontier, pages


@pytest.mark.parametrize("name", ["adaptive", "best_first"])
def test_the_same_judgements_give_the_same_scores(name: str) -> None:
    frontier, pages = crawled(name, {"a.example": 0.9, "b.example": 0.1})
    before = {row.link.url: row.score for row in frontier.look().rows(State.WAITING)}
    strategy = build(name, {})
    strategy.prepare(Knowledge(similarity_threshold=0.5, link_scorer=Words()))  # type: ignore[arg-type]
    relearn(strategy, frontier, pages)
    after = {row.link.url: row.score for row in frontier.look().rows(State.WAITING)}
    assert len(after) > 10
    assert after == pytest.approx(before)


def test_other_judgements_turn_what_waits_round() -> None:
    frontier, pages = crawled("adaptive", {"a.example": 0.9, "b.example": 0.1})
    strategy = build("adaptive", {})
    strategy.prepare(Knowledge(similarity_threshold=0.5, link_scorer=Words()))  # type: ignore[arg-type]
    turned = [
        Page(page.url, similarity=1 - page.similarity, is_target=page.similarity < 0.5, via=page.via)
        for page in pages
    ]
    assert relearn(strategy, frontier, turned) > 0
    best = {"a.example": -99.0, "b.example": -99.0}
    for row in frontier.look().rows(State.WAITING):
        best[row.link.host] = max(best[row.link.host], row.score)
    assert best["b.example"] > best["a.example"]


def test_a_strategy_takes_over_what_the_one_before_had_learned() -> None:
    frontier, pages = crawled("adaptive", {"a.example": 0.9, "b.example": 0.1})
    old = build("adaptive", {})
    old.prepare(Knowledge(similarity_threshold=0.5, link_scorer=Words()))  # type: ignore[arg-type]
    relearn(old, frontier, pages)
    before = {row.link.url: row.score for row in frontier.look().rows(State.WAITING)}
    new = build("adaptive", {})
    new.prepare(Knowledge(similarity_threshold=0.4, link_scorer=Words()))  # type: ignore[arg-type]
    transfer_state(new, old.save(), frontier)
    after = {row.link.url: row.score for row in frontier.look().rows(State.WAITING)}
    assert after == pytest.approx(before)
    assert new.save()["weights"] == old.save()["weights"]


def test_what_was_learned_is_taken_over_where_few_verdicts_turned() -> None:
    adaptive, best_first = build("adaptive", {}), build("best_first", {})
    assert can_transfer(adaptive, 0, 100)
    assert can_transfer(adaptive, int(FEW * 100) - 1, 100)
    assert not can_transfer(adaptive, int(FEW * 100), 100)
    assert not can_transfer(best_first, 0, 100)  # it has learned nothing; its scores are of the pages
