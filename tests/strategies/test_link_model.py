"""The link model by hand: its algebra on the example of ALGORITHMS §4, and what a crawl feeds it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from topiccrawler.model import Link, Page
from topiccrawler.strategies.base import ROOT, Knowledge
from topiccrawler.strategies.link_model import LinkModel, nearest_rows, propagate
from topiccrawler.topics.topic import Topic

U = np.array([[0.8, 0.4], [0.0, 0.6]])
V = np.array([[0.0, 0.6], [0.6, 0.0]])
LABELS = np.array([1.0, -1.0])
GAMMA = 0.68
FIXED_POINT = [0.0378, -0.1472]


def divided() -> tuple[np.ndarray, np.ndarray]:
    """Eq. 3: row i of [U V] divided by its sum."""
    sums = (U.sum(axis=1) + V.sum(axis=1))[:, None]
    return U / sums, V / sums


@pytest.mark.parametrize("start", [[0.0, 0.0], [1.0, -1.0], [-50.0, 7.0]])
def test_eq_2_alone_ends_in_the_same_place_from_every_start(start: list[float]) -> None:
    votes, likeness = divided()
    x = propagate(votes @ LABELS, csr_array(likeness), GAMMA, np.array(start))
    assert x == pytest.approx(FIXED_POINT, abs=5e-5)
    assert x == pytest.approx(
        np.linalg.solve(np.eye(2) - GAMMA * likeness, (1 - GAMMA) * votes @ LABELS), abs=1e-8
    )


def with_eq_5_inside(start: list[float], sweeps: int) -> list[float]:
    """The loop as the paper prints it."""
    votes, likeness = divided()
    x = np.array(start)
    for _ in range(sweeps):
        x = (1 - GAMMA) * votes @ LABELS + GAMMA * likeness @ x
        x = np.where(x > 0, x / max(x[x > 0].sum(), 1e-300), x / max(-x[x < 0].sum(), 1e-300))
    return [float(value) for value in x]


def test_with_eq_5_inside_the_loop_it_cycles_or_ends_elsewhere_for_another_start() -> None:
    assert with_eq_5_inside([0.0, 0.0], 60) == [-1.0, 1.0]
    assert with_eq_5_inside([0.0, 0.0], 61) == [1.0, -1.0]
    assert with_eq_5_inside([-1.0, -1.0], 60) == pytest.approx([-0.27148, -0.72852], abs=1e-5)
    assert with_eq_5_inside([-1.0, -1.0], 61) == pytest.approx([-0.27148, -0.72852], abs=1e-5)


def test_each_row_keeps_its_k_largest_and_never_itself() -> None:
    rows = csr_array(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]]))
    assert nearest_rows(rows, 1).toarray() == pytest.approx(
        np.array([[0, 0.8, 0, 0], [0, 0, 0.96, 0], [0, 0.96, 0, 0], [0, 0, 0.8, 0]])
    )
    assert nearest_rows(rows, 9).toarray()[0] == pytest.approx([0, 0.8, 0.6, 0])
    assert nearest_rows(csr_array((0, 2)), 3).shape == (0, 0)


def link(name: str, anchor: str) -> Link:
    return Link(
        f"http://{name}.example/", f"{name}.example", anchor, depth=1, source_url="http://hub.example/"
    )


def prepared(off_topic: tuple[str, ...] = ()) -> LinkModel:
    strategy = LinkModel(linking=0.0)
    strategy.prepare(Knowledge(topic=Topic(name="fund", keywords={"基金": 1.0}), off_topic=off_topic))
    strategy.visit(ROOT, [])
    return strategy


def test_a_link_speaks_for_itself_by_the_pages_it_is_like() -> None:
    """The topic (基金) is the one positive, the page about ball games the one negative: +1, -1, both about 0; the first
    step of eq. 2 takes 1 - .68 of it."""
    strategy = prepared()
    page = Page("http://hub.example/", 0, terms={"足球": 1.0}, is_target=False)
    scores = strategy.visit(
        page, [link("a", "基金"), link("b", "足球"), link("c", "旅游"), link("d", "基金足球")]
    )
    values = {score.url[7]: score.value for score in scores}
    assert (values["a"], values["b"], values["c"]) == pytest.approx((0.32, -0.32, 0.0))
    assert -0.16 < values["d"] < 0.16


def test_a_link_without_a_vote_of_its_own_gets_its_neighbours() -> None:
    """理财 stands on no labelled page; 基金理财 is like both, so at a refresh 理财 rises above 旅游, which is like nothing."""
    strategy = prepared()
    page = Page("http://hub.example/", 0, terms={"足球": 1.0}, is_target=False)
    links = [link("a", "基金理财"), link("b", "理财"), link("c", "旅游"), link("d", "足球")]
    first = {score.url[7]: score.value for score in strategy.visit(page, links)}
    again = {score.url[7]: score.value for score in strategy.refresh(iter(links))}
    assert first["b"] == first["c"] == again["c"] == 0.0
    assert again["a"] > again["b"] > 0.0 > again["d"]


def test_seed_lines_known_to_be_off_topic_are_not_queued() -> None:
    strategy = prepared(off_topic=("http://ball.example/",))
    scores = strategy.visit(Page("http://hub.example/", 0), [link("ball", "足球"), link("fund", "基金")])
    assert [score.url for score in scores] == ["http://fund.example/"]


def test_the_queue_it_looks_at_is_bounded_and_keeps_the_best() -> None:
    strategy = LinkModel(most_queued=10)
    strategy.prepare(Knowledge(topic=Topic(name="fund", keywords={"基金": 1.0})))
    page = Page("http://hub.example/", 0, terms={"足球": 1.0}, is_target=False)
    links = [link(f"n{n}", "基金" if n % 4 == 0 else "足球") for n in range(40)]
    strategy.visit(page, links)
    kept = [score.url for score in strategy.refresh(iter(links))]
    assert kept == [f"http://n{n}.example/" for n in range(0, 40, 4)]


def test_with_seeds_only_neither_keywords_nor_later_pages_are_labelled() -> None:
    """S is the seeds, one relevant and one not: a page read later changes no score."""
    strategy = LinkModel(linking=0.0, graded=False, seeds_only=True)
    strategy.prepare(Knowledge(topic=Topic(name="t", keywords={"基金": 1.0})))
    strategy.visit(ROOT, [])
    fund, ball = Link("http://a.cn/1", "a.cn", "基金"), Link("http://a.cn/2", "a.cn", "足球")
    seeds = (
        Page("http://s.cn/", depth=0, terms={"基金": 3}, similarity=0.9, is_target=True),
        Page("http://n.cn/", depth=0, terms={"足球": 3}),
    )
    for page in seeds:
        strategy.visit(page, [])
    before = {score.url: score.value for score in strategy.visit(Page("http://p.cn/", depth=1), [fund, ball])}
    assert before[fund.url] > 0 > before[ball.url]
    labels = list(strategy._labels)
    strategy.visit(Page("http://q.cn/", depth=1, terms={"足球": 9}, similarity=0.9, is_target=True), [])
    assert strategy._labels == labels
