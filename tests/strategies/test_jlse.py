"""JLSE by hand: the paper's example of Q-learning, BM25 over three fields, and what the next links gain from both."""

import math

import numpy as np
import pytest

from topiccrawler.crawling.ordering import Ordering
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Page, Via
from topiccrawler.relevance.detail import DetailClassifier, DetailReader
from topiccrawler.relevance.linear import LinearClassifier
from topiccrawler.strategies.base import Knowledge
from topiccrawler.strategies.baselines import AnchorText
from topiccrawler.strategies.jlse import Jlse, q_values
from topiccrawler.strategies.link_index import LinkIndex, hashed

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


def test_a_word_of_most_vertices_still_counts_for_something() -> None:
    """N 3, n 3: the plain idf ln(.5 / 3.5) is negative; ln(1 + .5 / 3.5) is not."""
    index = LinkIndex([words("a"), words("a"), words("a b")])
    _, most = index.nearest([words("a b")])
    assert most[0] == pytest.approx(0.5)
    assert math.log(1 + 0.5 / 3.5) > 0


class Dull:
    """A link model that holds no link for relevant."""

    def log_odds(self, links: list[Link]) -> list[float]:
        return [-1.0] * len(links)


def test_links_like_one_that_led_to_results_gain_from_it_after_cf_of_them() -> None:
    """
    The seed leads by "名册" to a list, that by "排名" to two results. With cf 2 Q(list) = 1, Q(result) = 1, Q(seed) = .9.
    On the next page "名册" finds the list's vertex: anchor alike, URL and context differ. BM25 .5 of anchor; sim = .5 * Q = .5
    against .01 of the other link: shares .5 / .51 and .01 / .51 of the page's .2.
    """
    strategy = Jlse(cf=2)
    strategy.prepare(Knowledge(link_scorer=Dull()))

    def read(
        name: str, anchor: str, source: str, found: list[tuple[str, str]], relevance: float
    ) -> dict[str, float]:
        at = f"http://{name}.example/"
        came = Link(at, f"{name}.example", anchor, source_url=source and f"http://{source}.example/")
        page = Page(at, 1, similarity=relevance, is_target=relevance >= 0.5, via=Via(came))
        links = [Link(f"http://{to}.example/", f"{to}.example", text, source_url=at) for to, text in found]
        return {score.url[7:-9]: score.value for score in strategy.visit(page, links)}

    read("seed", "", "", [("list", "名册")], 0.1)
    before = read("list", "名册", "seed", [("one", "排名"), ("two", "排名")], 0.2)
    assert before == pytest.approx({"one": 0.1, "two": 0.1})
    read("one", "排名", "list", [], 0.9)
    read("two", "排名", "list", [], 0.9)
    after = read("more", "别的", "seed", [("list", "名册"), ("excluded", "天气")], 0.2)
    assert after["list"] / after["excluded"] == pytest.approx(50.0, rel=0.01)
    assert sum(after.values()) == pytest.approx(0.2)


def test_what_it_remembers_of_links_is_bounded_by_the_newest_vertices() -> None:
    strategy = Jlse(cf=5, most_vertices=3)
    strategy.prepare(Knowledge(link_scorer=Dull()))
    for n in range(5):
        came = Link(f"http://p{n}.example/", f"p{n}.example", f"词语{n}", source_url="http://hub.example/")
        strategy.visit(Page(came.url, 1, similarity=0.9, is_target=True, via=Via(came)), [])
    assert len(strategy.save()["pages"]) == 3
    assert strategy.save()["built"] == (3, 0, 5)


HUB = "http://hub.example/"


def page(name: str, *, detail: bool, source: str = HUB, anchor: str = "基金净值") -> Page:
    """A relevant page."""
    came = Link(f"http://{name}.example/", f"{name}.example", anchor, source_url=source)
    return Page(came.url, 1, similarity=0.8, is_target=True, via=Via(came), is_detail=detail)


def links(*names: str) -> list[Link]:
    return [Link(f"http://{name}.example/", f"{name}.example", "天气") for name in names]


def ready(strategy: AnchorText) -> AnchorText:
    strategy.prepare(Knowledge(link_scorer=Dull()))
    return strategy


def test_with_detail_only_relevant_detail_pages_are_result_pages() -> None:
    """
    Two relevant pages: a list of links, then a text. cf 1: without `detail` both are results, and G_W has both, Q = 1.
    With it the list is none, but it leads to the text, so Q(list) = r = 1 all the same.
    """
    for asks, results in ((False, 2), (True, 1)):
        strategy = Jlse(cf=1, detail=asks)
        assert strategy.needs_detail is asks
        ready(strategy)
        strategy.visit(page("list", detail=False, anchor="名册"), links("text"))
        assert len(strategy.save()["results"]) == results - 1
        strategy.visit(page("text", detail=True, source="http://list.example/"), [])
        assert len(strategy.save()["results"]) == results
        likeness = strategy.similarities(
            [Link("http://other.example/", "other.example", text) for text in ("名册", "基金净值")]
        )
        assert likeness == pytest.approx([0.5, 0.5])


def test_the_papers_figure_2_crawled_values_links_by_the_vertices_with_children() -> None:
    """
    The ten pages of fig. 2 are read in turn, each by an anchor of its own; 3, 6 and 10 are texts. A link with the anchor of vertex i has
    s_i = .5 (the anchor's weight), so .5 · Q(i) with r = 1. The leaves have no Q: a link like theirs has what its anchor says, .01.
    """
    anchors = ["alpha", "bravo", "delta", "echo", "golf", "hotel", "india", "kilo", "lima", "mike"]
    strategy = ready(Jlse(cf=3, detail=True, terminal=True, leaves=False))
    source = {to: f"http://v{start}.example/" for start, to in reversed(EDGES)}
    for n, name in enumerate(anchors, 1):
        found = links(*(f"v{to}" for start, to in EDGES if start == n))
        read = page(f"v{n}", detail=n in {3, 6, 10}, source=source.get(n, ""), anchor=name)
        strategy.visit(read, found)
    likeness = strategy.similarities([Link("http://o.example/", "o.example", name) for name in anchors])
    expected = [0.01 if n in {3, 6, 10} else 0.5 * q / 100 for n, q in PAGES.items()]
    assert likeness == pytest.approx(expected)


def test_eq_9_read_as_q_alone_gives_a_link_the_whole_q_of_its_vertex() -> None:
    strategy = ready(Jlse(cf=1, detail=True, by_similarity=False))
    strategy.visit(page("list", detail=False, anchor="名册"), links("text"))
    strategy.visit(page("text", detail=True, source="http://list.example/"), [])
    asked = [Link("http://o.example/", "o.example", text) for text in ("名册", "天气")]
    assert strategy.similarities(asked) == pytest.approx([1.0, 0.01])


def scored(strategy: AnchorText, of_page: Page) -> list[str]:
    return [score.url for score in ready(strategy).visit(of_page, links("a", "b"))]


@pytest.mark.parametrize("kind", [AnchorText, Jlse])
def test_with_terminal_the_links_of_result_pages_are_not_queued_but_those_of_seeds_are(
    kind: type[AnchorText],
) -> None:
    both = ["http://a.example/", "http://b.example/"]
    text, hub = page("p", detail=True), page("p", detail=False)
    assert scored(kind(), text) == scored(kind(detail=True), text) == both
    assert scored(kind(terminal=True), text) == scored(kind(terminal=True), hub) == []
    assert scored(kind(terminal=True, detail=True), text) == []
    assert scored(kind(terminal=True, detail=True), hub) == both
    assert scored(kind(terminal=True, detail=True), page("p", detail=True, source="")) == both


def test_the_papers_two_classifiers_decide_what_a_page_hands_to_its_links() -> None:
    """
    Naive Bayes, eq. 1-2: P(基金|+) .4, P(基金|-) .1, P(天气|+) .1, P(天气|-) .4, both classes alike. A page of 基金 基金 天气:
    P(+|page) = .4 * .4 * .1 / (.4 * .4 * .1 + .1 * .1 * .4) = .8; that of 天气 alone .2. It is shared among two equal
    links (eq. 10): .4 each. An SVM that takes every text for a detail page ends the first page's links.
    """
    values = np.log([[0.4, 0.1], [0.1, 0.4]])
    bayes = LinearClassifier(
        name="naive_bayes", topic="fund", similarity_threshold=0.5, classes=("fund", "rest"), words={"基金": 0, "天气": 1},
        factors=np.ones(2), values=values, biases=np.log([0.5, 0.5]), slope=1.0, offset=0.0, unit=False, mean=False,
    )  # fmt: skip
    svm = DetailClassifier(1.0, np.zeros(3), np.ones(3), np.zeros((1, 3)), np.zeros(1), 1.0)
    reader = DetailReader(bayes, svm)
    came = Via(Link("http://p.example/", "p.example", "基金", source_url=HUB))
    about, beside = (
        reader.read("http://p.example/", f"<p>{text}</p>".encode(), "utf-8", via=came).page
        for text in ("基金，基金，天气", "天气")
    )
    assert (about.similarity, beside.similarity) == (pytest.approx(0.8), pytest.approx(0.2))
    assert (about.relevance, beside.relevance) == (pytest.approx(0.8), pytest.approx(0.2))
    assert (about.is_target, about.is_detail, beside.is_target) == (True, True, False)
    shares = [score.value for score in ready(Jlse(detail=True)).visit(about, links("a", "b"))]
    assert shares == pytest.approx([0.4, 0.4])
    assert [score.value for score in ready(Jlse()).visit(beside, links("a"))] == pytest.approx([0.2])
    assert list(ready(Jlse(detail=True, terminal=True)).visit(about, links("a", "b"))) == []


def test_the_three_texts_of_a_link_have_no_stop_words() -> None:
    """
    The vertex 更多名册 has the anchor 名册 and the context 公司: a link with both has s = .5 + .3, whatever else is 更多 or 首页. Q = 1.
    """
    strategy = ready(Jlse(cf=1))
    came = Link("http://p.example/", "p.example", "更多名册", before="首页 公司", source_url=HUB)
    strategy.visit(Page(came.url, 1, similarity=0.8, is_target=True, via=Via(came)), [])
    asked = [
        Link("http://o.test/", "o.test", "名册", before="公司 更多"),
        Link("http://o.test/", "o.test", "更多", after="首页"),
    ]
    assert strategy.similarities(asked) == pytest.approx([0.8, 0.01])


def test_a_page_judged_negative_hands_on_no_less_than_a_link_has_whose_anchor_is_negative() -> None:
    """A seed with P(+|page) = 0: two equal links share .01, not 0."""
    seed = Page(HUB, 0, similarity=0.0, via=Via(Link(HUB, "hub.example")))
    assert [score.value for score in ready(Jlse()).visit(seed, links("a", "b"))] == pytest.approx([0.005] * 2)


def test_a_seed_off_topic_leads_on_and_a_later_page_off_topic_does_not() -> None:
    """Algorithm 2, step 1 drops both."""
    ordering = Ordering(ready(Jlse()), MemoryFrontier(Hosts()))
    ordering.seed([Link(HUB, "hub.example")], 0.0)
    assert ordering.lease(0.0) is not None
    one = Link("http://a.example/", "a.example", "天气", source_url=HUB)
    ordering.visit(Page(HUB, 0, via=Via(Link(HUB, "hub.example"))), [one], 0.0)
    leased = ordering.lease(1.0)
    assert leased.link.url == one.url
    ordering.visit(Page(one.url, 1, via=Via(one)), links("b"), 1.0)
    assert ordering.lease(2.0) is None
