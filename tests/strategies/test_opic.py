"""OPIC and OPIE keep their books: the cash never changes in sum."""

import pytest

from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import ROOT, Knowledge
from topiccrawler.strategies.graph_ranks import Opic, Opie


def links(*names: str) -> list[Link]:
    return [Link(f"http://{name}.example/", f"{name}.example", name) for name in names]


def page(name: str) -> Page:
    return Page(f"http://{name}.example/", 1, similarity=0.5)


def test_a_page_gives_all_it_holds_and_a_dead_end_pays_the_pool_shared_by_all_that_wait() -> None:
    """
    root: a, b .5 each. a gives b, c .25 each: b .75, c .25. b has no links: .75 to the pool; c, d wait (d is new, from c's
    sister e: nothing). At the refresh c gets its share: root is read, a and b are read; c alone waits: 1.
    """
    strategy = Opic()
    strategy.visit(ROOT, links("a", "b"))
    assert [score.value for score in strategy.visit(page("a"), links("b", "c"))] == [0.75, 0.25]
    strategy.visit(page("b"), [])
    assert [(score.url, score.value) for score in strategy.refresh(links("c"))] == [
        ("http://c.example/", 1.0)
    ]
    assert list(strategy.refresh(links("c"))) == []


class Odds:
    """Log-odds: ln 3 for good, -ln 3 for bad."""

    def log_odds(self, given: list[Link]) -> list[float]:
        return [
            1.0986122886681098 if link.anchor.startswith("good") else -1.0986122886681098 for link in given
        ]


def test_opie_splits_by_what_link_and_page_promise() -> None:
    """P .75 and .25, relevance .5, alpha .8: sim .7 and .3, of 1."""
    strategy = Opie(alpha=0.8)
    strategy.prepare(Knowledge(link_scorer=Odds()))
    strategy.visit(ROOT, links("a"))
    assert [score.value for score in strategy.visit(page("a"), links("good", "bad"))] == pytest.approx(
        [0.7, 0.3]
    )


@pytest.mark.parametrize("strategy", [Opic(), Opie()])
def test_the_sum_of_all_cash_stays_1(strategy: Opic) -> None:
    strategy.prepare(Knowledge(link_scorer=Odds()))
    strategy.visit(ROOT, links("a", "good"))
    strategy.visit(page("a"), links("good", "bad", "a", "bad"))
    strategy.visit(page("bad"), [])
    strategy.visit(page("good"), links("a", "c"))
    list(strategy.refresh(links("c")))
    assert sum(strategy._values.tolist()) + strategy._pool == pytest.approx(1.0)
