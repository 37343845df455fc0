"""Golden orders of the strategies that look at relevance and text, by a topic of three words."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import pytest

from topiccrawler.model import Link, Page
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge, LinkScorer
from topiccrawler.text.thesaurus import CodedThesaurus
from topiccrawler.topics.topic import Topic

GoldenOrder = Callable[..., list[str]]

TOPIC = Topic(name="fund", keywords={"基金": 1.0, "股票": 1.0, "银行": 1.0})
THESAURUS = CodedThesaurus(["Aa01A01= 银行 钱庄", "Aa01A02= 足球 赛场", "Aa01A03= 股票 理财"])
KNOWLEDGE = Knowledge(topic=TOPIC, thesaurus=THESAURUS)


@pytest.fixture
def order(golden_order: GoldenOrder, word_odds: LinkScorer) -> GoldenOrder:
    """By the name of a strategy and its parameters."""

    def crawl(name: str, **parameters: str) -> list[str]:
        strategy = build(name, parameters)
        strategy.prepare(replace(KNOWLEDGE, link_scorer=word_odds))
        return golden_order(strategy)

    return crawl


def test_fish_search_feeds_relevant_pages_and_starves_others(order: GoldenOrder) -> None:
    """
    width 2, depth 2, a 1.5. hub is poor: sport, bank .5 (depth 1), misc 0. sport is poor: depth 0, nothing queued.
    bank is relevant (page 3): its first three score 4: fund, about, misc in order of discovery, misc was queued first.
    misc (page 4) feeds late at 5, fund (page 6) feeds stock at 7, about nothing. ball and odd are never queued.
    """
    assert order("fish_search", width="2", depth="2") == [
        "hub", "sport", "bank", "misc", "late", "fund", "stock", "about",
    ]  # fmt: skip


def test_shark_search_inherits_and_reads_anchors(order: GoldenOrder) -> None:
    """
    A topic word in an anchor of n <= 10 words makes it sqrt(1/sqrt 3) = .76, as three equal keywords have length sqrt 3.
    hub: inherited .15, .12 of the score: sport, misc .12; bank + .2 * (.8 * .76 + .2) = .28. bank: inherited .45, .36:
    fund .52, about .36, misc .52 (银行公告). misc before fund (found first) queues late .24 + .16 = .40 before about .36;
    fund queues stock .32 + .16 = .48. sport (inherits .15 / 2): odd .16 by its anchor, ball 0 of sport's own 0.
    """
    assert order("shark_search", gamma="0.8") == [
        "hub", "bank", "misc", "fund", "stock", "late", "about", "sport", "odd", "ball",
    ]  # fmt: skip


def test_relevance_weighting_takes_words_that_mean_a_topic_word(order: GoldenOrder) -> None:
    """
    RW 1: bank (银行), then fund, misc (银行公告), stock, late, odd (基金): misc was found before fund. RW .6: ball, for 足球
    is four levels near 银行. RW 0: sport, about.
    """
    assert order("relevance_weighting") == [
        "hub", "bank", "misc", "fund", "late", "stock", "sport", "odd", "ball", "about",
    ]  # fmt: skip


def test_ipagerank_passes_importance_along_the_topic_only(order: GoldenOrder) -> None:
    """
    d = .85, c = .9. root's link has no words: hub .15. hub gives bank all: .15 + .85 * .15 = .2775. bank gives fund and
    misc .1179 each: .2679, misc found first. misc gives late .2277: .3777, next. fund gives stock .2277, next. The rest
    has .15 in order of discovery: sport (gives odd .1275: next), about, ball.
    """
    assert order("ipagerank", c="0.9") == [
        "hub", "bank", "misc", "late", "fund", "stock", "sport", "odd", "about", "ball",
    ]  # fmt: skip


def test_ipagerank_with_growth_0_ranks_at_every_refresh_and_by_default_when_the_graph_has_grown() -> None:
    found = {}
    for growth in ("0.1", "0"):
        strategy = build("ipagerank", {"growth": growth})
        strategy.prepare(Knowledge(topic=Topic(name="t", keywords={"基金": 1.0})))
        link = Link("http://a.example/", "a.example", "基金")
        strategy.visit(Page("http://hub.example/"), [link])
        found[growth] = [len(list(strategy.refresh([link]))) for _ in range(2)]
    assert found == {"0.1": [1, 0], "0": [1, 1]}


def test_seed_selector_fetches_the_links_of_the_best_candidate(order: GoldenOrder) -> None:
    """
    Weights without links: hub .3: sport, bank, misc. bank .9: fund, about, and misc rises. fund .8: stock. misc .6: late.
    """
    assert order("seed_selector", link_weight="0") == [
        "hub", "sport", "bank", "misc", "fund", "about", "stock", "late", "ball", "odd",
    ]  # fmt: skip


def test_links_with_chosen_pages_raise_a_candidate(order: GoldenOrder) -> None:
    """
    link_weight 2. hub .3. sport: hub is chosen and links to it: 0 + 2 * (1/1 + 0) / 2 = 1, so ball and odd go before
    bank. bank 1.9 puts misc, fund, about next; misc: hub and bank are chosen, in 2 of 2: 1.6, late after those of
    fund: in 1 of 2, out (hub) 1: .8 + 2 * (.5 + 1) / 2 = 2.3, stock. about .2 has no links.
    """
    assert order("seed_selector", link_weight="2") == [
        "hub", "sport", "ball", "odd", "bank", "misc", "fund", "stock", "about", "late",
    ]  # fmt: skip


def test_hits_takes_what_hubs_of_the_topic_point_to(order: GoldenOrder) -> None:
    """
    Before the first refresh every hub is 1: authority is the sum of the weights, .05 without a topic word, .05 + .95 * .76
    = .77 with one. bank .77 leads to misc .05 + .77 = .82 and fund .77; misc to late, fund to stock; sport to odd.
    """
    assert order("hits") == [
        "hub", "bank", "misc", "fund", "late", "stock", "sport", "odd", "about", "ball",
    ]  # fmt: skip


def test_hits_judges_by_authority_and_hub_where_asked(word_odds: LinkScorer) -> None:
    """
    Both: w = 1 (anchor 基金 alone). big links to a, b, c, y; small1 and small2 to x alone; also links to a and x. Authorities and hubs
    are the first eigenvectors of W'W and WW' (numpy), scaled to 1. By authority x (three hubs) goes before y (one); by both
    it is y, because big is the best hub and x has no good one.
    """
    pages = {"big": "abcy", "small1": "x", "small2": "x", "also": "ax"}
    nodes = [*pages, *"abcxy"]
    w = np.zeros((len(nodes), len(nodes)))
    for page, links in pages.items():
        w[nodes.index(page), [nodes.index(link) for link in links]] = 1.0
    authority, hub = (np.abs(np.linalg.eigh(m)[1][:, -1]) for m in (w.T @ w, w @ w.T))
    authority, hub = authority / authority.max(), hub / hub.max()
    both = {
        link: (float(authority[nodes.index(link)]), max(float(hub[nodes.index(p)]) for p in pages if link in pages[p]))
        for link in "abcxy"
    }  # fmt: skip
    found = {}
    for hubs in (0.0, 0.5, 1.0):
        strategy = build("hits", {"hubs": str(hubs)})
        strategy.prepare(replace(KNOWLEDGE, topic=Topic(name="fund", keywords={"基金": 1.0})))
        for page, links in pages.items():
            strategy.visit(
                Page(f"http://{page}.cn/"),
                [Link(f"http://{name}.cn/", f"{name}.cn", "基金") for name in links],
            )
        queued = [Link(f"http://{name}.cn/", f"{name}.cn", "基金") for name in "abcxy"]
        scores = {score.url[7]: score.value for score in strategy.refresh(queued)}
        expected = {link: (1 - hubs) * authority + hubs * hub for link, (authority, hub) in both.items()}
        assert scores == pytest.approx(expected, abs=1e-3)
        restored = build("hits", {"hubs": str(hubs)})
        restored.prepare(replace(KNOWLEDGE, topic=Topic(name="fund", keywords={"基金": 1.0})))
        restored.load(json.loads(json.dumps(strategy.save())))
        more = (
            Page("http://more.cn/"),
            [Link("http://x.cn/", "x.cn", "基金"), Link("http://z.cn/", "z.cn", "基金")],
        )
        assert list(restored.visit(*more)) == list(strategy.visit(*more))
        found[hubs] = scores["x"] > scores["y"]
    assert found == {0.0: True, 0.5: False, 1.0: False}


def test_opie_pays_those_about_the_topic(order: GoldenOrder) -> None:
    """
    alpha 1. hub pays by P: sport .12, bank .88, misc .5 of 1.5: .08, .59, .33. bank pays fund .95, about .27, misc .88 of
    2.10: fund .27, about .08, misc .33 + .25: next; late gets its .58, next. fund .27 pays stock .98, hub .5 of 1.48: .18,
    next. sport .080 pays odd .95 of it: .076, just before about .075; ball .004.
    """
    assert order("opie", alpha="1") == [
        "hub", "bank", "misc", "late", "fund", "stock", "sport", "odd", "about", "ball",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["anchor_text", "jlse"])
def test_anchor_text_shares_the_worth_of_a_page(order: GoldenOrder, name: str) -> None:
    """
    hub .3: bank .88, sport and misc .01 each of .90: .29; .0033. bank .9: fund .95, about .01, misc .88 of 1.84: .47,
    .0049, .43. fund .8: stock .98 of .99: .79. misc .6: late .6. sport is classified negative and no seed: its links are not
    queued. jlse has seen too few result pages to know more.
    """
    assert order(name) == [
        "hub", "bank", "fund", "stock", "misc", "late", "about", "sport",
    ]  # fmt: skip


def test_link_model_and_context_graph_end_where_all_was_fetched(
    order: GoldenOrder, golden_site: Collection[str]
) -> None:
    """Before anything is learned context_graph goes by relevance, relevant pages first (layer 0)."""
    assert sorted(order("link_model")) == sorted(golden_site)
    assert order("context_graph") == [
        "hub", "sport", "bank", "misc", "fund", "about", "stock", "late", "ball", "odd",
    ]  # fmt: skip
