"""What the link graph of a job says, for its report: steps to a kept page, shortest paths, communities of sites, a picture of them.

Layers: pages by the fewest links from them to a kept page, 0 to 4, as a context graph has them (Diligenti et al., VLDB 2000); the rest lead
to none within four. Paths: the fewest links from a seed. Communities: Louvain (Blondel et al. 2008) on sites, an edge's weight is the number
of links between pages of the two. All by networkx, on the pages fetched; links are those by which pages were found, with TOPIC_LINK_GRAPH all.
Cost: in memory, 7 s and 250 MB for 100 000 pages and 600 000 links; of the links kept beside, those beyond MOST_LINKS are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any

import networkx as nx

from topiccrawler.results.link_graph import fetched_graph
from topiccrawler.strategies.context_graph import OTHER
from topiccrawler.urls.canonical import host_of, registered_domain

MOST_LINKS = 500_000
MOST_COMMUNITIES, MOST_DRAWN, MOST_NAMED = 20, 60, 24
WIDTH, HEIGHT, LEAST_RADIUS, LARGEST_RADIUS = 640.0, 420.0, 3.0, 18.0
# Okabe and Ito's colours, which most colour-blind people can distinguish, for the first communities
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
OTHERS = "#999999"
_ROOT = ""  # links to each seed; no page's URL


@dataclass(frozen=True, slots=True)
class Community:
    """Sites that link to each other more than to others, those with most kept pages first."""

    sites: list[str]
    fetched: int  # pages
    kept: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """A site in the picture; `colour`: that of its community."""

    site: str
    x: float
    y: float
    radius: float
    colour: str
    is_named: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """Circles, their area by pages kept, and lines between those that link to each other: ends and width."""

    sites: list[Drawn]
    lines: list[tuple[float, float, float, float, float]]
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class GraphViews:
    """Of one job."""

    pages: int
    links: int
    layers: list[int]  # pages 0, 1, … links before a kept page; the last: all others
    communities: list[Community]
    alone: int  # sites that are in no community of two or more
    picture: Picture
    path: Callable[[str], list[str]]  # URLs from a seed to a page, both included; none when no path is known


def graph_views(folder: Path) -> GraphViews:
    """Read the job's log, and its links where it kept them."""
    graph = fetched_graph(folder, MOST_LINKS)
    sites = site_graph(graph)
    groups = [group for group in _communities(sites) if len(group.sites) > 1]
    return GraphViews(
        pages=len(graph),
        links=graph.number_of_edges(),
        layers=layers(graph),
        communities=groups[:MOST_COMMUNITIES],
        alone=len(sites) - sum(len(group.sites) for group in groups),
        picture=picture(sites, groups[:MOST_COMMUNITIES]),
        path=_paths(graph),
    )


def layers(graph: nx.DiGraph) -> list[int]:
    """How many pages are 0, 1, … links before a kept one; the last number: how many more, or before none."""
    kept = [url for url, is_kept in graph.nodes(data="kept") if is_kept]
    nearest = islice(nx.bfs_layers(graph.reverse(copy=False), kept), OTHER) if kept else ()
    found = list(map(len, nearest))
    return [*found, *[0] * (OTHER - len(found)), len(graph) - sum(found)]


def site_graph(graph: nx.DiGraph) -> nx.Graph:
    """Sites with their pages (`fetched`, `kept`), and how many links of pages join two of them (`weight`)."""
    sites = nx.Graph()
    site_of = {url: registered_domain(url) or host_of(url) for url in graph}
    for url, is_kept in graph.nodes(data="kept"):
        site = site_of[url]
        if site not in sites:
            sites.add_node(site, fetched=0, kept=0)
        sites.nodes[site]["fetched"] += 1
        sites.nodes[site]["kept"] += is_kept
    for source, target in graph.edges:
        one, other = site_of[source], site_of[target]
        if one != other:
            known = sites.get_edge_data(one, other, {"weight": 0})
            sites.add_edge(one, other, weight=known["weight"] + 1)
    return sites


def _communities(sites: nx.Graph) -> list[Community]:
    """Those with most kept pages first."""
    found = []
    for group in nx.community.louvain_communities(sites, weight="weight", seed=0):
        fetched, kept = (sum(sites.nodes[site][what] for site in group) for what in ("fetched", "kept"))
        found.append(Community(_ranked(sites, group), fetched, kept))
    return sorted(found, key=lambda one: (-one.kept, -one.fetched, one.sites))


def _ranked(sites: nx.Graph, some: Collection[str]) -> list[str]:
    return sorted(some, key=lambda site: (-sites.nodes[site]["kept"], -sites.nodes[site]["fetched"], site))


def picture(sites: nx.Graph, communities: list[Community]) -> Picture:
    """The sites with most kept pages, near each other where they link (Fruchterman and Reingold 1991)."""
    drawn = _ranked(sites, sites.nodes)[:MOST_DRAWN]
    part = sites.subgraph(drawn)
    ordered = nx.Graph()  # the same picture each time
    ordered.add_nodes_from(drawn)
    edges = ((*sorted((one, other)), data) for one, other, data in part.edges(data=True))
    ordered.add_edges_from(sorted(edges))
    places: dict[str, Any] = nx.spring_layout(ordered, weight="weight", seed=0)
    most = max((sites.nodes[site]["kept"] for site in drawn), default=0) or 1
    of = {site: colour for group, colour in zip(communities, COLOURS, strict=False) for site in group.sites}
    found = {
        site: Drawn(
            site,
            x=(1 + float(places[site][0])) * WIDTH / 2,
            y=(1 + float(places[site][1])) * HEIGHT / 2,
            radius=max(LEAST_RADIUS, LARGEST_RADIUS * sqrt(sites.nodes[site]["kept"] / most)),
            colour=of.get(site, OTHERS),
            is_named=number < MOST_NAMED,
        )
        for number, site in enumerate(drawn)
    }
    lines = [
        (found[one].x, found[one].y, found[other].x, found[other].y, min(4.0, 0.5 + weight / 20))
        for one, other, weight in ordered.edges(data="weight")
    ]
    return Picture(list(found.values()), lines)


def _paths(graph: nx.DiGraph) -> Callable[[str], list[str]]:
    seeds = [url for url, is_seed in graph.nodes(data="seed") if is_seed]
    graph.add_edges_from((_ROOT, url) for url in seeds)
    before = dict(nx.bfs_predecessors(graph, _ROOT)) if seeds else {}
    graph.remove_nodes_from([_ROOT])

    def path(url: str) -> list[str]:
        steps = []
        while url in before:
            steps.append(url)
            url = before[url]
        return steps[::-1]

    return path
