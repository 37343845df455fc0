"""Seed selector: pages whose linking page it never visited, as after a crawl log with redirects was learned again; stages with several pages
under way."""

from __future__ import annotations

from collections.abc import Callable

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


def test_pages_under_way_at_once_blur_the_end_of_a_stage(crawl_order: Callable[..., list[str]]) -> None:
    """One at a time, c, the last link of the hub's stage, is read before a candidate is chosen, and its link y comes first. With two at once
    a's link x is fetched beside c, before anything is known of c."""
    site = {
        "hub": (0.3, [("a", ""), ("b", ""), ("c", "")]),
        "a": (0.8, [("x", "")]), "c": (0.9, [("y", "")]), "b": (0.0, []), "x": (0.0, []), "y": (0.0, []),
    }  # fmt: skip

    def stages() -> SeedSelector:
        return SeedSelector(link_weight=0.0, stages=True)

    assert crawl_order(stages(), site, ["hub"]) == ["hub", "a", "b", "c", "y", "x"]
    assert crawl_order(stages(), site, ["hub"], 2) == ["hub", "a", "b", "c", "x", "y"]
