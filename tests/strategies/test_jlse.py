"""JLSE by hand: the paper's example of Q-learning, BM25 over three fields, and what the next links gain from both."""

from __future__ import annotations

import math

import numpy as np
import pytest

from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.base import Knowledge
from topiccrawler.strategies.bm25 import LinkIndex, hashed
from topiccrawler.strategies.jlse import Jlse
from topiccrawler.strategies.reward import q_values

EDGES = {
    (1, 2): 90, (1, 4): 81, (1, 7): 81, (2, 3): 100, (2, 5): 90, (4, 5): 90, (5, 6): 100, (7, 8): 81, (7, 9): 90,
    (8, 9): 90, (9, 10): 100,
}  # fmt: skip
PAGES = {1: 90, 2: 100, 3: 100, 4: 90, 5: 100, 6: 100, 7: 90, 8: 90, 9: 100, 10: 100}


def test_q_values_are_those_of_the_papers_figure_2() -> None:
    sources, targets = np.array(list(EDGES), np.int32).T
    results = np.zeros(11, bool)
    results[[3, 6, 10]] = True
    edges, pages = q_values(sources, targets, results, reward=100, gamma=0.9)
    assert edges == pytest.approx(list(EDGES.values()))
    assert pages[1:] == pytest.approx(list(PAGES.values()))


def test_a_result_page_is_terminal_and_a_circle_does_not_grow() -> None:
    """0 <-> 1, 1 -> 2 (result), 2 -> 0: edge 2 -> 0 is worth nothing, Q stays within r."""
    edges, pages = q_values(
        np.array([0, 1, 1, 2], np.int32), np.array([1, 0, 2, 0], np.int32), np.array([False, False, True])
    )
    assert edges == pytest.approx([0.9, 0.81, 1.0, 0.0])
    assert pages == pytest.approx([0.9, 1.0, 1.0])


def test_so_many_sweeps_see_so_many_steps() -> None:
    chain, following = np.arange(4, dtype=np.int32), np.arange(1, 5, dtype=np.int32)
    _, pages = q_values(chain, following, np.array([False] * 4 + [True]), most_sweeps=2)
    assert pages == pytest.approx([0.0, 0.0, 0.9, 1.0, 1.0])


def words(anchor: str, url: str = "", context: str = "") -> list[np.ndarray]:
    return [hashed(anchor.split()), hashed(url.split()), hashed(context.split())]


def test_bm25_is_divided_by_the_vertex_against_itself_and_fields_are_weighed() -> None:
    """
    Two vertices, anchors (a b) and (c), all lengths: mean 1.5. idf of a word of one of two: ln(1 + 1.5 / 1.5) = ln 2.
    Link (a): against vertex 0 one of its two equal words: .5 of its anchor field, .25 in all; the whole anchor: .5.
    """
    index = LinkIndex([words("a b", "u"), words("c", "v w")])
    where, most = index.nearest([words("a"), words("b a"), words("x"), words("c", "u")])
    assert where.tolist() == [0, 0, 0, 1]
    assert most == pytest.approx([0.25, 0.5, 0.0, 0.5])


def test_a_repeated_word_of_a_vertex_counts_as_bm25_says_and_of_a_link_once() -> None:
    """
    Vertex anchor (a a b), another (c): mean length 2, k1 2, b .75: tempered = 2 * (.25 + .75 * 1.5) = 2.75.
    a: 2 * 3 / (2 + 2.75), b: 3 / 3.75, each times ln 2: a's share of the whole is 1.26316 / (1.26316 + .8) = .61224.
    """
    index = LinkIndex([words("a a b"), words("c")])
    _, most = index.nearest([words("a a a")])
    a, b = 2 * 3 / 4.75, 3 / 3.75
    assert most[0] == pytest.approx(0.5 * a / (a + b), abs=1e-6)


def test_a_word_of_most_vertices_still_counts_for_something() -> None:
    """N 3, n 3: the plain idf ln(.5 / 3.5) is negative; ln(1 + .5 / 3.5) is not."""
    index = LinkIndex([words("a"), words("a"), words("a b")])
    _, most = index.nearest([words("a b")])
    assert most[0] == pytest.approx(0.5)
    assert math.log(1 + 0.5 / 3.5) > 0


def test_an_index_without_vertices_or_links_finds_nothing() -> None:
    assert LinkIndex([words("a")]).nearest([])[0].tolist() == []
    assert LinkIndex([words(""), words("")]).nearest([words("a")])[1].tolist() == [0.0]


class Dull:
    """A link model that holds no link for relevant."""

    def log_odds(self, links: list[Link]) -> list[float]:
        return [-1.0] * len(links)


def test_links_like_one_that_led_to_results_gain_from_it_after_cf_of_them() -> None:
    """
    The seed leads by "目录" to a list, that by "排名" to two results. With cf 2 Q(list) = 1, Q(result) = 1, Q(seed) = .9.
    On the next page "目录" finds the list's vertex: anchor alike, URL and context differ. BM25 .5 of anchor; sim = .5 * Q = .5
    against .01 of the other link: shares .5 / .51 and .01 / .51 of the page's .2.
    """
    strategy = Jlse(cf=2)
    strategy.prepare(Knowledge(link_scorer=Dull()))

    def read(
        name: str, anchor: str, source: str, found: list[tuple[str, str]], relevance: float
    ) -> dict[str, float]:
        at = f"http://{name}.example/"
        came = Link(at, f"{name}.example", anchor, source_url=source and f"http://{source}.example/")
        page = Page(at, 1, relevance=relevance, is_target=relevance >= 0.5, via=Via(came))
        links = [Link(f"http://{to}.example/", f"{to}.example", text, source_url=at) for to, text in found]
        return {score.url[7:-9]: score.value for score in strategy.visit(page, links)}

    read("seed", "", "", [("list", "目录")], 0.1)
    before = read("list", "目录", "seed", [("one", "排名"), ("two", "排名")], 0.2)
    assert before == pytest.approx({"one": 0.1, "two": 0.1})
    read("one", "排名", "list", [], 0.9)
    read("two", "排名", "list", [], 0.9)
    after = read("more", "别的", "seed", [("list", "目录"), ("dull", "天气")], 0.2)
    assert after["list"] / after["dull"] == pytest.approx(50.0, rel=0.01)
    assert sum(after.values()) == pytest.approx(0.2)


def test_what_it_remembers_of_links_is_bounded_by_the_newest_vertices() -> None:
    strategy = Jlse(cf=5, most_vertices=3)
    strategy.prepare(Knowledge(link_scorer=Dull()))
    for n in range(5):
        came = Link(f"http://p{n}.example/", f"p{n}.example", f"词语{n}", source_url="http://hub.example/")
        strategy.visit(Page(came.url, 1, relevance=0.9, is_target=True, via=Via(came)), [])
    assert len(strategy.save()["pages"]) == 3
    assert strategy.save()["built"] == (3, 0, 5)
