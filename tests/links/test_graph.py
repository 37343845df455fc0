"""The link graph: what it remembers, and what survives being saved."""

import json

from topiccrawler.links.graph import LinkGraph


def urls(*names: str) -> list[str]:
    return [f"http://{name}.example/" for name in names]


def test_a_page_adds_its_edges_once_without_repeats_or_itself_the_largest_weight_counts() -> None:
    graph = LinkGraph()
    source, nodes = graph.add(urls("a")[0], urls("b", "a", "c", "b"), [0.5, 1.0, 0.25, 0.75])
    assert (source, nodes.tolist()) == (0, [1, 0, 2, 1])
    assert graph.out(0) == [1, 2]
    assert graph.out_weights(0) == [0.75, 0.25]
    graph.add(urls("a")[0], urls("d"))
    assert graph.out(0) == [1, 2]
    assert (graph.edges, graph.pages(), graph.out(3)) == (2, [0], [])


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
