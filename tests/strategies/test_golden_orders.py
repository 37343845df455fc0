"""Each strategy fetches the golden site in the order of golden_orders.toml, which says why."""

import json
import tomllib
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topiccrawler.model import Link, Page
from topiccrawler.strategies import STRATEGIES, build
from topiccrawler.strategies.base import Knowledge, LinkScorer
from topiccrawler.text.thesaurus import CodedThesaurus
from topiccrawler.topics.topic import Topic

GoldenOrder = Callable[..., list[str]]

TOPIC = Topic(name="fund", keywords={"基金": 1.0, "股票": 1.0, "银行": 1.0})
THESAURUS = CodedThesaurus(["Aa01A01= 银行 钱庄", "Aa01A02= 足球 赛场", "Aa01A03= 股票 理财"])
KNOWLEDGE = Knowledge(topic=TOPIC, thesaurus=THESAURUS)
CASES: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("golden_orders.toml").read_text(encoding="utf-8")
)["case"]


def test_every_strategy_has_a_golden_order() -> None:
    assert {case["strategy"] for case in CASES} == set(STRATEGIES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["shows"])
def test_pages_are_fetched_in_the_golden_order(
    case: dict[str, Any], golden_order: GoldenOrder, word_odds: LinkScorer
) -> None:
    strategy = build(case["strategy"], case.get("parameters", {}))
    strategy.prepare(replace(KNOWLEDGE, link_scorer=word_odds))
    assert golden_order(strategy) == case["order"], case["why"]


def test_random_order_repeats_under_a_seed_and_differs_under_another(
    golden_order: GoldenOrder, golden_site: Collection[str]
) -> None:
    orders = []
    for seed in (0, 0, 1):
        strategy = build("random_order")
        strategy.prepare(Knowledge(seed=seed))
        orders.append(golden_order(strategy))
    assert orders[0] == orders[1] != orders[2]
    assert [sorted(order) for order in orders] == [sorted(golden_site)] * 3


def test_seed_selector_in_stages_fetches_all_links_of_the_chosen_page_first(
    crawl_order: Callable[..., list[str]],
) -> None:
    """hub is chosen with its first link. In stages b follows a though a's page is better than the hub; without, x does."""
    site = {"hub": (0.3, [("a", ""), ("b", "")]), "a": (0.9, [("x", "")]), "b": (0.0, []), "x": (0.0, [])}
    assert crawl_order(build("seed_selector", {"stages": "true"}), site, ["hub"]) == ["hub", "a", "b", "x"]
    assert crawl_order(build("seed_selector"), site, ["hub"]) == ["hub", "a", "x", "b"]


def test_ipagerank_with_growth_0_ranks_at_every_refresh_and_by_default_when_the_graph_has_grown() -> None:
    found = {}
    for growth in ("0.1", "0"):
        strategy = build("ipagerank", {"growth": growth})
        strategy.prepare(Knowledge(topic=Topic(name="t", keywords={"基金": 1.0})))
        link = Link("http://a.example/", "a.example", "基金")
        strategy.visit(Page("http://hub.example/"), [link])
        found[growth] = [len(list(strategy.refresh([link]))) for _ in range(2)]
    assert found == {"0.1": [1, 0], "0": [1, 1]}


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
            found_links = [Link(f"http://{name}.cn/", f"{name}.cn", "基金") for name in links]
            strategy.visit(Page(f"http://{page}.cn/"), found_links)
        queued = [Link(f"http://{name}.cn/", f"{name}.cn", "基金") for name in "abcxy"]
        scores = {score.url[7]: score.value for score in strategy.refresh(queued)}
        expected = {link: (1 - hubs) * authority + hubs * hub for link, (authority, hub) in both.items()}
        assert scores == pytest.approx(expected, abs=1e-3)
        restored = build("hits", {"hubs": str(hubs)})
        restored.prepare(replace(KNOWLEDGE, topic=Topic(name="fund", keywords={"基金": 1.0})))
        restored.load(json.loads(json.dumps(strategy.save())))
        more = Page("http://more.cn/"), [Link(f"http://{name}.cn/", f"{name}.cn", "基金") for name in "xz"]
        assert list(restored.visit(*more)) == list(strategy.visit(*more))
        found[hubs] = scores["x"] > scores["y"]
    assert found == {0.0: True, 0.5: False, 1.0: False}
