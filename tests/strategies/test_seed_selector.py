"""Seed selector: pages whose linking page it never visited, as after a crawl log with redirects was learned again."""

from __future__ import annotations

from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.base import ROOT
from topiccrawler.strategies.seed_selector import SeedSelector

SEEDS = [Link(f"http://{n}.example/", f"{n}.example") for n in range(1023)]  # with the root one array full


def test_a_page_that_was_linked_from_an_unvisited_one_is_scored_like_any_other() -> None:
    strategy = SeedSelector(link_weight=0.0)
    list(strategy.visit(ROOT, SEEDS))
    via = Via(Link(SEEDS[0].url, "0.example", source_url="http://moved.example/"))
    links = [Link("http://new.example/", "new.example", source_url=SEEDS[0].url)]
    scores = strategy.visit(Page(SEEDS[0].url, similarity=0.7, via=via), links[:0])
    assert list(scores) == []
    scores = strategy.visit(Page(SEEDS[1].url, similarity=0.4, via=via), links)
    assert [(score.url, score.value) for score in scores] == [("http://new.example/", 0.4)]
