"""What the link graph of a job says, for its report: steps to a kept page, and shortest paths.

Layers: pages by the fewest links from them to a kept page, 0 to 4, as a context graph has them (Diligenti et al., VLDB 2000); the rest lead
to none within four. Paths: the fewest links from a seed. By networkx, on the pages fetched; links are those by which pages were found, with
TOPIC_LINK_GRAPH all. Of the links kept beside, those beyond MOST_LINKS are left out. Sites and their communities: of the GraphML, in Gephi.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import networkx as nx

from topiccrawler.results.link_graph import fetched_graph
from topiccrawler.strategies.context_graph import OTHER

MOST_LINKS = 500_000
_ROOT = ""  # links to each seed; no page's URL


@dataclass(frozen=True, slots=True)
class GraphViews:
    """Of one job."""

    pages: int
    links: int
    layers: list[int]  # pages 0, 1, … links before a kept page; the last: all others
    path: Callable[[str], list[str]]  # URLs from a seed to a page, both included; none when no path is known


def graph_views(folder: Path) -> GraphViews:
    """Read the job's log, and its links where it kept them."""
    graph = fetched_graph(folder, MOST_LINKS)
    return GraphViews(len(graph), graph.number_of_edges(), layers(graph), _paths(graph))


def layers(graph: nx.DiGraph) -> list[int]:
    """How many pages are 0, 1, … links before a kept one; the last number: how many more, or before none."""
    kept = [url for url, is_kept in graph.nodes(data="kept") if is_kept]
    nearest = islice(nx.bfs_layers(graph.reverse(copy=False), kept), OTHER) if kept else ()
    found = list(map(len, nearest))
    return [*found, *[0] * (OTHER - len(found)), len(graph) - sum(found)]


def _paths(graph: nx.DiGraph) -> Callable[[str], list[str]]:
    graph.add_edges_from([(_ROOT, url) for url, is_seed in graph.nodes(data="seed") if is_seed])

    def path(url: str) -> list[str]:
        try:
            return [*nx.shortest_path(graph, _ROOT, url)][1:]
        except (nx.NodeNotFound, nx.NetworkXNoPath):
            return []

    return path
