"""The link graph: what it remembers, and what survives being saved."""

from __future__ import annotations

import json

import numpy as np
import pytest

from topiccrawler.links.columns import grown
from topiccrawler.links.graph import LinkGraph


def urls(*names: str) -> list[str]:
    return [f"http://{name}.example/" for name in names]


def test_nodes_count_from_0_in_the_order_they_are_met() -> None:
    graph = LinkGraph()
    assert graph.nodes(urls("a", "b", "a", "c")).tolist() == [0, 1, 0, 2]
    assert graph.nodes(urls("c", "d")).tolist() == [2, 3]
    assert graph.find(urls("b", "never")).tolist() == [1, -1]
    assert len(graph) == 4


def test_a_page_adds_its_edges_once_without_repeats_or_itself_the_largest_weight_counts() -> None:
    graph = LinkGraph()
    source, nodes = graph.add(urls("a")[0], urls("b", "a", "c", "b"), [0.5, 1.0, 0.25, 0.75])
    assert (source, nodes.tolist()) == (0, [1, 0, 2, 1])
    assert graph.out(0) == [1, 2]
    assert graph.out_weights(0) == [0.75, 0.25]
    graph.add(urls("a")[0], urls("d"))
    assert graph.out(0) == [1, 2]
    assert (graph.edges, graph.pages(), graph.out(3)) == (2, [0], [])


def test_the_matrix_has_sources_as_rows() -> None:
    graph = LinkGraph()
    graph.add(urls("a")[0], urls("b", "c"), [0.5, 0.25])
    graph.add(urls("c")[0], urls("a"), [1.0])
    assert graph.matrix().toarray().tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert graph.matrix(weighted=True).toarray().tolist() == [[0, 0.5, 0.25], [0, 0, 0], [1, 0, 0]]


def test_nodes_stay_the_same_beyond_what_is_kept_unsorted_and_through_json() -> None:
    graph = LinkGraph()
    names = [f"http://h{n % 97}.example/{n}" for n in range(12_000)]
    for begin in range(0, len(names), 100):
        graph.add(f"http://page.example/{begin}", names[begin : begin + 100])
    expected = graph.find(names).tolist()
    assert len(set(expected)) == 12_000
    assert len(graph) == 12_120
    again = LinkGraph.load(json.loads(json.dumps(graph.save())))
    assert again.find(names).tolist() == expected
    assert again.nodes(["http://new.example/"]).tolist() == [12_120]
    assert (again.edges, again.pages(), again.out(0)) == (graph.edges, graph.pages(), graph.out(0))


def test_a_url_with_half_a_character_is_a_node_like_any_other() -> None:
    graph = LinkGraph()
    assert graph.nodes(["http://a.example/\ud800", "http://a.example/"]).tolist() == [0, 1]


@pytest.mark.parametrize("size", [0, 3, 5000])
def test_grown_keeps_values_and_fills_the_rest(size: int) -> None:
    values = grown(np.array([1.0, 2.0]), size, 7.0)
    assert values[:2].tolist() == [1.0, 2.0]
    assert values.size >= max(2, size)
    assert set(values[2:].tolist()) <= {7.0}
