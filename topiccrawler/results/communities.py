"""Groups the sites of a job into communities by the links among them, and draws the graph as the report shows it.

A site is a host, as in the report's table of sites. The weight of an edge is the number of links between pages of the two sites. Communities
are those of Louvain (Blondel et al. 2008); the picture is a force-directed layout (Fruchterman and Reingold 1991). Both are networkx's, with
a fixed random seed and nodes in a fixed order: a job has the same communities and picture each time.

A site that shares no link with another is in no community and not in the picture.
Cost: 2 s for MOST_GROUPED sites with 20 000 edges; further sites are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log1p, sqrt

import networkx as nx

from topiccrawler.text.printable import one_line
from topiccrawler.urls.canonical import host_of

MOST_GROUPED = 1000  # sites
MOST_LISTED = 20  # communities
BEST_OF_EACH = 3  # pages of a community that are listed
MOST_DRAWN = 80  # sites
_RANDOM_SEED = 0

WIDTH, HEIGHT = 760.0, 460.0  # of the picture, in SVG units
LEAST_RADIUS, LARGEST_RADIUS = 3.0, 18.0
LEAST_LINE, LARGEST_LINE = 0.5, 4.0
LABEL_HEIGHT, LETTER = 14.0, 6.6  # of a label: height, and width of a letter
LONGEST_LABEL = 24
# Okabe and Ito's colours, which most colour-blind people can tell apart, for the first communities
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
OTHER_COLOUR = "#999999"


@dataclass(frozen=True, slots=True)
class Community:
    """Sites that link to each other more than to others."""

    sites: list[str]  # those with most kept pages first
    fetched: int  # pages
    kept: int
    best: list[str]  # URLs of the most relevant kept pages, the most relevant first
    colour: str

    @property
    def share(self) -> float:
        """The share of its fetched pages that was kept, 0..1."""
        return self.kept / self.fetched


@dataclass(frozen=True, slots=True)
class DrawnSite:
    """A site in the picture: a circle, its area by the pages kept."""

    site: str
    x: float
    y: float
    radius: float
    colour: str  # that of its community
    label: str  # empty where it would cover another label


@dataclass(frozen=True, slots=True)
class DrawnLinks:
    """A line between two sites that link to each other, its width by the number of links."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float


@dataclass(frozen=True, slots=True)
class Picture:
    """The sites with most kept pages, and the links among them."""

    sites: list[DrawnSite]
    lines: list[DrawnLinks]
    width: float = WIDTH
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class Communities:
    """The communities of a job, and the picture of its sites."""

    found: list[Community]  # those with most kept pages first
    alone: int  # sites that link to no other
    left_out: int  # sites beyond MOST_GROUPED
    picture: Picture

    @property
    def listed(self) -> list[Community]:
        """The first MOST_LISTED communities."""
        return self.found[:MOST_LISTED]


def communities(graph: nx.DiGraph) -> Communities:
    """The communities of the sites of these pages, which have `kept` and `relevance`."""
    sites = site_graph(graph)
    grouped = _ordered(sites, _ranked(sites, sites)[:MOST_GROUPED])
    groups = [
        group
        for group in nx.community.louvain_communities(grouped, weight="weight", seed=_RANDOM_SEED)
        if len(group) > 1
    ]
    ranked = sorted((_ranked(sites, group) for group in groups), key=lambda group: _rank(sites, *group))
    of_site = {site: number for number, group in enumerate(ranked) for site in group}
    best = _best(graph, of_site, len(ranked))
    found = [
        Community(
            group,
            _pages(sites, group, "fetched"),
            _pages(sites, group, "kept"),
            best[number],
            _colour(number),
        )
        for number, group in enumerate(ranked)
    ]
    return Communities(
        found,
        alone=len(grouped) - len(of_site),
        left_out=len(sites) - len(grouped),
        picture=picture(grouped, {site: _colour(number) for site, number in of_site.items()}),
    )


def site_graph(graph: nx.DiGraph) -> nx.Graph:
    """The sites with their pages (`fetched`, `kept`), and the number of links between pages of two of them (`weight`)."""
    sites = nx.Graph()
    site_of = {url: host_of(url) for url in graph}
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


def picture(sites: nx.Graph, colours: dict[str, str]) -> Picture:
    """The sites that have a colour, the MOST_DRAWN with most kept pages of them, near each other where they link."""
    drawn = _ordered(sites, _ranked(sites, colours)[:MOST_DRAWN])
    if not drawn:
        return Picture([], [])
    for _, _, data in drawn.edges(data=True):
        data["pull"] = log1p(
            data["weight"]
        )  # a list of friends on each page of a site is one link, not a thousand
    places = nx.spring_layout(drawn, weight="pull", seed=_RANDOM_SEED, k=2.5 / sqrt(len(drawn)))
    at = _in_frame(places)
    most = max(kept for _, kept in drawn.nodes(data="kept")) or 1
    radius = {
        site: max(LEAST_RADIUS, LARGEST_RADIUS * sqrt(kept / most)) for site, kept in drawn.nodes(data="kept")
    }
    labels = _labels([(site, *at[site], radius[site]) for site in drawn])
    heaviest = max(log1p(weight) for _, _, weight in drawn.edges(data="weight")) if drawn.edges else 1.0
    lines = [
        DrawnLinks(*at[one], *at[other], max(LEAST_LINE, LARGEST_LINE * log1p(weight) / heaviest))
        for one, other, weight in drawn.edges(data="weight")
    ]
    return Picture(
        [DrawnSite(site, *at[site], radius[site], colours[site], labels.get(site, "")) for site in drawn],
        lines,
    )


def _in_frame(places: dict[str, Sequence[float]]) -> dict[str, tuple[float, float]]:
    """The places stretched to the size of the picture."""
    axes = []
    for axis, size in enumerate((WIDTH, HEIGHT)):
        values = [float(place[axis]) for place in places.values()]
        least, span = min(values), (max(values) - min(values)) or 1.0
        axes.append([size * (value - least) / span for value in values])
    return dict(zip(places, zip(*axes, strict=True), strict=True))


def _labels(circles: Sequence[tuple[str, float, float, float]]) -> dict[str, str]:
    """The labels of the circles (site, x, y, radius), each to the right of its own, but those that would cover an earlier one."""
    taken: list[tuple[float, float, float, float]] = []
    found = {}
    for site, x, y, radius in circles:
        label = one_line(site.removeprefix("www."), LONGEST_LABEL)
        left, top = x + radius + 2, y - LABEL_HEIGHT / 2
        box = (left, top, left + LETTER * len(label), top + LABEL_HEIGHT)
        if not any(_overlap(box, other) for other in taken):
            taken.append(box)
            found[site] = label
    return found


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _best(graph: nx.DiGraph, of_site: dict[str, int], number: int) -> list[list[str]]:
    """For each community the BEST_OF_EACH kept pages of most relevance."""
    kept: list[list[tuple[float, str]]] = [[] for _ in range(number)]
    for url, known in graph.nodes(data=True):
        if known["kept"] and (group := of_site.get(host_of(url))) is not None:
            kept[group].append((-known["relevance"], url))
    return [[url for _, url in sorted(pages)[:BEST_OF_EACH]] for pages in kept]


def _ordered(sites: nx.Graph, some: Collection[str]) -> nx.Graph:
    """The part of the graph with these sites, nodes and edges in an order that does not depend on how the graph was made."""
    number = {site: at for at, site in enumerate(some)}
    made = nx.Graph()
    made.add_nodes_from((site, sites.nodes[site]) for site in some)
    edges = (sorted((one, other), key=number.__getitem__) for one, other in sites.subgraph(some).edges)
    for one, other in sorted(edges, key=lambda edge: [number[site] for site in edge]):
        made.add_edge(one, other, weight=sites.edges[one, other]["weight"])
    return made


def _ranked(sites: nx.Graph, some: Collection[str]) -> list[str]:
    """Those with most kept pages first."""
    return sorted(some, key=lambda site: _rank(sites, site))


def _rank(sites: nx.Graph, *some: str) -> tuple[int, int, str]:
    return -_pages(sites, some, "kept"), -_pages(sites, some, "fetched"), some[0]


def _pages(sites: nx.Graph, some: Collection[str], what: str) -> int:
    return sum(sites.nodes[site][what] for site in some)


def _colour(number: int) -> str:
    return COLOURS[number] if number < len(COLOURS) else OTHER_COLOUR
