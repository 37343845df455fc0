"""Computes what a job's report shows of its link graph: distances to kept pages, shortest paths from the seeds, communities of pages.

The graph has the fetched pages and the links by which they were found; with TOPIC_LINK_GRAPH it has all links among them, of which those
beyond MOST_LINKS are left out. networkx does the search. Communities (results.communities) need all links, for the links by which pages were
found are a tree.

`layers` groups pages by the smallest number of links that lead from them to a kept page, 0 to 4, as a context graph does (Diligenti et al.,
VLDB 2000); the last group holds the pages with no kept page within four links.

`GraphViews.path` finds the path with the fewest links from a seed to a page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import networkx as nx

from topiccrawler.results.communities import Communities, communities
from topiccrawler.results.link_graph import fetched_graph, has_links
from topiccrawler.strategies.context_graph import OTHER

MOST_LINKS = 500_000
_ROOT = ""  # an artificial node that links to each seed; no page has this URL


@dataclass(frozen=True, slots=True)
class GraphViews:
    """The size, layers, communities and shortest paths of one job's link graph."""

    pages: int
    links: int
    layers: list[int]  # numbers of pages 0, 1, … links before a kept page; the last: all other pages
    communities: Communities | None  # None: the job has not stored its links
    path: Callable[[str], list[str]]  # URLs from a seed to a page, both included; empty when no path is known


def graph_views(folder: Path) -> GraphViews:
    """Read a job's crawl log, and its links if it stored them, and analyse the graph."""
    graph = fetched_graph(folder, MOST_LINKS)
    groups = communities(graph) if has_links(folder) else None
    return GraphViews(len(graph), graph.number_of_edges(), layers(graph), groups, _paths(graph))


def layers(graph: nx.DiGraph) -> list[int]:
    """The numbers of pages that are 0, 1, … links before a kept page; the last counts those further away, or that lead to none."""
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
