"""Layers by hand, and the orders they give."""

import json
import math

import networkx as nx
import numpy as np
import pytest

from topiccrawler.model import Link, Page
from topiccrawler.strategies import build
from topiccrawler.strategies.base import Knowledge
from topiccrawler.strategies.context_graph import OTHER, ContextGraph, Layers, distances
from topiccrawler.strategies.features import as_rows, hashed_counts


def counts(text: str) -> tuple[np.ndarray, np.ndarray]:
    return hashed_counts(text.split())


@pytest.mark.parametrize("seed", range(5))
def test_layers_are_those_of_networkx(seed: int) -> None:
    graph = nx.gnm_random_graph(60, 90, seed=seed, directed=True)
    sources, targets = np.array(graph.edges, np.int32).T
    expected = dict.fromkeys(range(60), OTHER)
    for layer, nodes in enumerate(nx.bfs_layers(graph.reverse(), [0, 1])):
        expected |= dict.fromkeys(nodes, min(layer, OTHER))
    assert distances(sources, targets, [0, 1], 60).tolist() == [expected[node] for node in range(60)]


def test_a_layer_is_classified_by_naive_bayes_with_equal_priors() -> None:
    """
    Layer 0: a a b; layer 1: b c. V 3. P(a|0) = 3/6, P(b|0) = 2/6; P(a|1) = 1/5, P(b|1) = 2/5.
    Page (a b): ln(3/6 * 2/6) and ln(1/5 * 2/5), each divided by sqrt 2.
    """
    layers = Layers.learned([[counts("a a"), counts("b")], [counts("b c")], [], [], []])
    best, sure = layers.classify(as_rows([counts("a b"), counts("c")]))
    first, second = (math.log(value) / math.sqrt(2) for value in (3 / 6 * 2 / 6, 1 / 5 * 2 / 5))
    assert best.tolist() == [0, 1]
    assert sure[0] == pytest.approx(math.exp(first) / (math.exp(first) + math.exp(second)))
    assert layers.documents == [2, 1, 0, 0, 0]


def test_layers_come_back_from_what_a_job_keeps() -> None:
    layers = Layers.learned([[counts("基金")], [counts("目录 列表")], [], [], []])
    pages = as_rows([counts("目录 基金"), counts("列表")])
    again = Layers.load(json.loads(json.dumps(layers.save()))).classify(pages)
    assert [part.tolist() for part in again] == [part.tolist() for part in layers.classify(pages)]


def test_layers_are_learned_once_enough_relevant_pages_were_read() -> None:
    strategy = build("context_graph", {"first": "2"})
    strategy.prepare(Knowledge())
    known = []
    for n in range(3):
        target = Link(f"http://fund.example/{n}", "fund.example")
        strategy.visit(Page(f"http://list.example/{n}", 1, terms={"目录": 3.0}), [target])
        strategy.visit(Page(target.url, 2, terms={"基金": 5.0}, similarity=0.9, is_target=True), [])
        list(strategy.refresh([target]))
        layers = strategy.save()["layers"]
        known.append(None if layers is None else layers["documents"][:2])
    assert known == [None, [2, 2], [3, 3]]


def test_learned_layers_score_the_pages_like_those_before_a_result() -> None:
    """A page of layer 1's words is one step away, one of layer 2's two; an unsure one is other; a target is layer 0."""
    documents = [[counts("基金 股票")] * 3, [counts("目录 列表")] * 3, [counts("首页 网站")] * 3, [], []]
    strategy = ContextGraph()
    strategy._layers = Layers.learned(documents)
    found = [Link("http://x.example/", "x.example")]
    values = {}
    for name, terms in {"list": "目录 列表", "home": "首页 网站", "odd": "天气 目录 首页 基金"}.items():
        page = Page(f"http://{name}.example/", 1, terms=dict.fromkeys(terms.split(), 2.0))
        [score] = strategy.visit(page, found)
        values[name] = score.value
    target = Page("http://fund.example/", 1, terms={"天气": 1.0}, similarity=0.7, is_target=True)
    [score] = strategy.visit(target, found)
    assert -1.0 < values["list"] < 0.0
    assert -2.0 < values["home"] < -1.0
    assert -5.0 < values["odd"] < -4.0
    assert score.value == pytest.approx(0.999 * 0.7)


def test_of_pages_that_are_forgotten_nothing_is_kept() -> None:
    strategy = build("context_graph", {"most_pages": "3"})
    strategy.prepare(Knowledge())
    for n in range(9):
        page = Page(f"http://{n}.cn/", terms={"词": 1.0}, similarity=n / 10)
        list(strategy.visit(page, [Link(f"http://{n + 1}.cn/", f"{n + 1}.cn")]))
    state = json.loads(json.dumps(dict(strategy.save())))
    assert [value for _, value in state["relevances"]] == [0.6, 0.7, 0.8]
    again = build("context_graph", {"most_pages": "3"})
    again.load({**state, "relevances": [[10**6, 0.5], *state["relevances"]]})  # of a page that is not kept
    assert again.save()["relevances"] == [tuple(pair) for pair in state["relevances"]]
