"""SkyReach's strategies prune by their own weights: RW, IPR; how strictly is the topic's breadth."""

from pathlib import Path
from typing import Any

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.model import Link, Page

CILIN = "Aa01A01= 基金 公募\nAa01A02= 储蓄\nAa01B01= 保险\nBa01A01= 足球\n"
TOPIC = """
name = "fund"
breadth = "{breadth}"
tunnel_probability = {tunnels}
[keywords]
"基金" = 1.0
"""
HUB = "http://hub.cn/"
LINKS = [
    Link(f"http://a.cn/{anchor}", "a.cn", anchor, source_url=HUB)
    for anchor in ("公募", "储蓄", "保险", "足球")
]


@pytest.fixture
def parts(tmp_path: Path) -> Any:
    """A crawl's parts by strategy and breadth: 公募 is as near as 1, 储蓄 .6, 保险 .4, 足球 0."""
    (tmp_path / "cilin.txt").write_text(CILIN, encoding="utf-8")

    def make(strategy: str, breadth: str, tunnels: float = 0.0, **parameters: Any) -> Any:
        (tmp_path / "fund.toml").write_text(TOPIC.format(breadth=breadth, tunnels=tunnels), encoding="utf-8")
        recipe = Recipe(
            str(tmp_path / "fund.toml"), strategy, thesaurus=str(tmp_path / "cilin.txt"), **parameters
        )
        return assemble(recipe)

    return make


@pytest.mark.parametrize(("breadth", "passing"), [("broad", 3), ("normal", 2), ("specific", 1)])
def test_the_narrower_the_topic_the_fewer_links_pass(parts: Any, breadth: str, passing: int) -> None:
    made = parts("relevance_weighting", breadth)
    assert type(made.gate.scorer) is type(made.strategy.current_scorer)
    assert list(made.gate.passing(LINKS)) == LINKS[:passing]


def test_a_threshold_of_the_users_goes_before_the_breadth(parts: Any) -> None:
    assert len(parts("relevance_weighting", "specific", link_threshold=0.3).gate.passing(LINKS)) == 3
    assert len(parts("relevance_weighting", "specific", prune=False).gate.passing(LINKS)) == 4


def test_a_poor_link_may_be_a_tunnel(parts: Any) -> None:
    gate = parts("relevance_weighting", "normal", tunnels=1.0).gate
    assert gate.passing(LINKS) == LINKS
    assert gate.decide(LINKS[3]).tunnel == 1


@pytest.mark.parametrize(("breadth", "passing"), [("broad", 3), ("normal", 2), ("specific", 1)])
def test_ipagerank_prunes_by_the_place_among_the_urls_met(parts: Any, breadth: str, passing: int) -> None:
    """RW of the four is 1, .6, .4 and 0, of four more links 1, 1, .6 and .4: a page of rank .15 shares .1275 among them; .15 is what each has.

    Nine URLs with the page: two of IPR .15, two of 保险, two of 储蓄, three of 公募.
    """
    made = parts("ipagerank", breadth, parameters={"c": "0.1"})
    others = [LINKS[like]._replace(url=f"http://b.cn/{number}") for number, like in enumerate((0, 0, 1, 2))]
    made.strategy.visit(Page(HUB, similarity=0.5), [*LINKS, *others])
    share = 0.1275 / (3 + 2 * 0.6 + 2 * 0.4)
    expected = [0.15 + share, 0.15 + 0.6 * share, 0.15 + 0.4 * share, 0.15]
    assert made.strategy.ranks(LINKS) == pytest.approx(expected, abs=1e-6)
    assert made.strategy.places(LINKS) == pytest.approx([1, 5 / 9, 3 / 9, 1 / 9])
    assert list(made.gate.passing(LINKS)) == LINKS[:passing]
