"""The link model by hand: its algebra on the example of ALGORITHMS §4, and what a crawl feeds it."""

import math
from errno import ENOENT
from os import strerror
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from topiccrawler.crawling.ordering import BELOW_LEAST_SCORE, Ordering
from topiccrawler.errors import StrategyError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
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


def test_each_row_keeps_its_k_largest_and_never_itself() -> None:
    rows = csr_array(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8], [0.0, 1.0]]))
    assert nearest_rows(rows, 1).toarray() == pytest.approx(
        np.array([[0, 0.8, 0, 0], [0, 0, 0.96, 0], [0, 0.96, 0, 0], [0, 0, 0.8, 0]])
    )
    assert nearest_rows(rows, 9).toarray()[0] == pytest.approx([0, 0.8, 0.6, 0])
    assert nearest_rows(csr_array((0, 2)), 3).shape == (0, 0)


def test_step_3_as_printed_drops_what_equals_the_kth_largest_with_it() -> None:
    """Row 0 has .8 and .6 to the others: k = 2 leaves .8 alone, k = 1 nothing; with fewer than k the k-th largest is 0."""
    rows = csr_array(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]]))
    for k, expected in ((1, [0, 0, 0]), (2, [0, 0.8, 0]), (3, [0, 0.8, 0.6])):
        assert nearest_rows(rows, k, ties=False).toarray()[0] == pytest.approx(expected)


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


@pytest.mark.parametrize(("most", "ball"), [(1.0, -0.32), (math.inf, -0.64)])
def test_by_eq_4_one_negative_weighs_as_much_as_two_positives(most: float, ball: float) -> None:
    """Sum 1 of the two positives (the topic, a page), -1 of the negative: X is scaled by 2. Ours: no more than one positive."""
    strategy = LinkModel(linking=0.0, graded=False, negative_most=most)
    strategy.prepare(Knowledge(topic=Topic(name="fund", keywords={"基金": 1.0})))
    strategy.visit(Page("http://a.example/", 0, terms={"基金": 1.0}, is_target=True), [])
    page = Page("http://b.example/", 0, terms={"足球": 1.0}, is_target=False)
    scores = strategy.visit(page, [link("a", "基金"), link("b", "足球")])
    assert [score.value for score in scores] == pytest.approx([0.32, ball])


def test_a_link_without_a_vote_of_its_own_gets_its_neighbours() -> None:
    """理财 stands on no labelled page; 基金理财 is like both, so at a refresh, every 25 pages, 理财 rises above 旅游, which is like nothing."""
    strategy = prepared()
    page = Page("http://hub.example/", 0, terms={"足球": 1.0}, is_target=False)
    links = [link("a", "基金理财"), link("b", "理财"), link("c", "旅游"), link("d", "足球")]
    first = {score.url[7]: score.value for score in strategy.visit(page, links)}
    again = {score.url[7]: score.value for score in strategy.refresh(iter(links))}
    assert LinkModel.refresh_every == 25
    assert first["b"] == first["c"] == again["c"] == 0.0
    assert again["a"] > again["b"] > 0.0 > again["d"]


def test_without_context_a_link_is_its_anchor_alone() -> None:
    """基金 stands beside the link, its anchor says nothing: .32 / sqrt(2) of the topic with the context, 0 without."""
    beside = Link("http://a.example/", "a.example", "更多", before="基金")
    values = []
    for both in (True, False):
        strategy = LinkModel(linking=0.0, with_context=both)
        strategy.prepare(Knowledge(topic=Topic(name="fund", keywords={"基金": 1.0})))
        values += [score.value for score in strategy.visit(Page("http://hub.example/", 1), [beside])]
    assert values[0] > 0.0 == values[1]


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
    strategy.visit(Page("http://s.cn/", depth=0, terms={"基金": 3}, similarity=0.9, is_target=True), [])
    strategy.visit(Page("http://n.cn/", depth=0, terms={"足球": 3}), [])
    before = {score.url: score.value for score in strategy.visit(Page("http://p.cn/", depth=1), [fund, ball])}
    assert before[fund.url] > 0 > before[ball.url]
    labels = list(strategy._labels)
    strategy.visit(Page("http://q.cn/", depth=1, terms={"足球": 9}, similarity=0.9, is_target=True), [])
    assert strategy._labels == labels


def test_eq_6_discards_urls_below_d_and_keeps_those_of_exactly_d() -> None:
    """Scores as above: 基金 .32, 旅游 0 = d, 足球 -.32."""
    strategy = LinkModel(linking=0.0, d=0.0)
    strategy.prepare(Knowledge(topic=Topic(name="fund", keywords={"基金": 1.0})))
    ordering = Ordering(strategy, MemoryFrontier(Hosts()))
    seed = Link("http://hub.example/", "hub.example")
    ordering.seed([seed], 0.0)
    assert ordering.lease(0.0) is not None
    page = Page(seed.url, 0, terms={"足球": 1.0}, is_target=False)
    ordering.visit(page, [link("a", "基金"), link("b", "足球"), link("c", "旅游")], 0.0)
    leased = [ordering.lease(1.0) for _ in range(3)]
    assert [one and one.link.host[0] for one in leased] == ["a", "c", None]
    rows = ordering.frontier.look().rows()
    assert [(row.link.host, row.reason) for row in rows if row.state is State.DISCARDED] == [
        ("b.example", BELOW_LEAST_SCORE)
    ]


def test_labels_of_seeds_by_hand_go_before_the_page_classifiers(tmp_path: Path) -> None:
    """The page classifier has them the wrong way round; a seed that is not on file keeps its label, and so does a later page."""
    file = tmp_path / "labels.tsv"
    file.write_text("#url\ttopics\nhttp://S.cn\ttravel,t\nhttp://n.cn/\t\t-\thub\n", encoding="utf-8")
    strategy = LinkModel(linking=0.0, graded=False, labels=str(file))
    strategy.prepare(Knowledge(topic=Topic(name="t", keywords={"基金": 1.0})))
    pages = [
        Page("http://s.cn/", depth=0),
        Page("http://n.cn/", depth=0, is_target=True),
        Page("http://other.cn/", depth=0, is_target=True),
        Page("http://n.cn/", depth=1, is_target=True),
    ]
    assert [strategy._label_of(page) for page in pages] == [1.0, -1.0, 1.0, 1.0]


def test_labels_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for text, fault in (("http://a.cn/ no tab", r"labels\.tsv: "), (None, strerror(ENOENT))):
        file = tmp_path / "labels.tsv"
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text, encoding="utf-8")
        with pytest.raises(StrategyError, match=fault):
            LinkModel(labels=str(file)).prepare(Knowledge(topic=Topic(name="t", keywords={"基金": 1.0})))


def test_without_cuts_all_links_and_all_words_take_part() -> None:
    strategy = LinkModel(most_queued=0, page_words=0)
    strategy.prepare(Knowledge(topic=Topic(name="fund", keywords={"基金": 1.0})))
    page = Page("http://hub.example/", 0, terms={f"w{n}": 1.0 for n in range(99)}, is_target=False)
    links = [link(f"n{n}", "基金") for n in range(40)]
    strategy.visit(page, links)
    assert len(list(strategy.refresh(iter(links)))) == 40
    assert np.count_nonzero(strategy._sums[:, 0]) == 99
