"""Groups the pages of a job into communities by the links among them, and draws them as the job's report shows them.

A page in a community links to others of it more than to other pages, whatever their sites: pages on one subject lie in such clusters (SkyReach
§2.3.3). Communities are those of Louvain (Blondel et al. 2008), the picture is a force-directed layout (Fruchterman and Reingold 1991). Both
are networkx's, with a fixed random seed and pages in a fixed order: a job has the same communities and picture each time.

Pages beyond the MOST_GROUPED most relevant are left out, and those without a link to one of the others.
Cost: 4 s for MOST_GROUPED pages with 100 links each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from math import cos, sin, sqrt
from unicodedata import east_asian_width

import networkx as nx

from topiccrawler.text.printable import one_line
from topiccrawler.urls.canonical import host_of

MOST_GROUPED = 2000  # pages
MOST_LISTED = 20  # communities
BEST_OF_EACH = 3  # pages of a community that are listed
MOST_DRAWN, MOST_LINES = 300, 5000  # pages, and links among them
_RANDOM_SEED = 0

WIDTH, HEIGHT = 900.0, 560.0  # of the picture, in SVG units
LEAST_RADIUS, LARGEST_RADIUS = 2.0, 5.0
LAYOUT_STEPS = 100
GAP = 1.3  # between the circles of two communities: distance of the middles by the sum of the radii
LABEL_HEIGHT, LETTER = (
    14.0,
    6.6,
)  # of a label: height, and width of a Latin letter; a Chinese character has twice that
LONGEST_LABEL = 14  # characters
# Okabe and Ito's colours, which most colour-blind people can tell apart, for the first communities
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
OTHER_COLOUR = "#999999"


@dataclass(frozen=True, slots=True)
class Community:
    """Pages that link to each other more than to others."""

    pages: list[str]  # URLs, the most relevant first
    kept: int  # the number of them that were kept
    best: list[str]  # the first kept ones
    sites: list[str]  # hosts, those with most of its pages first
    colour: str

    @property
    def share(self) -> float:
        """The share of its pages that was kept, 0..1."""
        return self.kept / len(self.pages)


@dataclass(frozen=True, slots=True)
class Communities:
    """The communities of a job."""

    found: list[Community]  # those with most kept pages first
    alone: int  # pages without a link to or from another
    left_out: int  # pages beyond MOST_GROUPED
    graph: nx.Graph  # pages with `kept` and `relevance`, the most relevant first, and the links among them

    @property
    def listed(self) -> list[Community]:
        """The first MOST_LISTED communities."""
        return self.found[:MOST_LISTED]

    @property
    def drawn(self) -> list[str]:
        """The pages of the picture: the most relevant of all communities."""
        known = {url for one in self.found for url in one.pages}
        return [url for url in self.graph if url in known][:MOST_DRAWN]


def communities(graph: nx.DiGraph) -> Communities:
    """The communities of pages that have `kept` and `relevance`."""
    grouped = _ordered(graph, _ranked(graph, graph)[:MOST_GROUPED])
    urls = list(grouped)
    numbered = nx.convert_node_labels_to_integers(grouped)  # sets of texts have another order in each process
    groups = nx.community.louvain_communities(numbered, weight=None, seed=_RANDOM_SEED)
    ranked = [_ranked(graph, [urls[number] for number in group]) for group in groups if len(group) > 1]
    kept = [[url for url in group if graph.nodes[url]["kept"]] for group in ranked]
    in_order = sorted(zip(ranked, kept, strict=True), key=lambda one: (-len(one[1]), -len(one[0]), one[0][0]))
    found = [
        Community(group, len(of_it), of_it[:BEST_OF_EACH], _sites(group), _colour(number))
        for number, (group, of_it) in enumerate(in_order)
    ]
    alone = len(grouped) - sum(len(one.pages) for one in found)
    return Communities(found, alone, len(graph) - len(grouped), grouped)


def _ranked(graph: nx.DiGraph, some: Collection[str]) -> list[str]:
    """The kept pages before the others, the most relevant first."""
    of = graph.nodes
    return sorted(some, key=lambda url: (not of[url]["kept"], -of[url]["relevance"], url))


def _ordered(graph: nx.Graph, some: Sequence[str]) -> nx.Graph:
    """These pages and the links among them, in an order that depends on nothing else."""
    number = {url: at for at, url in enumerate(some)}
    ends = {
        (min(number[one], number[other]), max(number[one], number[other]))
        for one, other in graph.subgraph(some).edges
    }
    made = nx.Graph()
    made.add_nodes_from((url, graph.nodes[url]) for url in some)
    made.add_edges_from((some[one], some[other]) for one, other in sorted(ends))
    return made


def _sites(urls: Sequence[str]) -> list[str]:
    return [site for site, _ in Counter(map(host_of, urls)).most_common()]


def _colour(number: int) -> str:
    return COLOURS[number] if number < len(COLOURS) else OTHER_COLOUR


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A page in the picture: a circle, its area by the page's relevance; hollow when the page was not kept."""

    url: str
    x: float
    y: float
    radius: float
    colour: str  # that of its community
    kept: bool
    label: str  # its title; empty where it would cover another, a number at the first of a community


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawn pages, and the links among them, those of the most relevant first: x and y of both ends."""

    pages: list[DrawnPage]
    lines: list[tuple[float, float, float, float]]
    width: float = WIDTH
    height: float = HEIGHT


def picture(groups: Communities, titles: Mapping[str, str]) -> Picture:
    """Pages near each other where they link. `titles`: those known, by URL."""
    colours = {url: one.colour for one in groups.found for url in one.pages}
    drawn = _ordered(groups.graph, groups.drawn)
    if not drawn:
        return Picture([], [])
    at = _places(drawn, [[url for url in one.pages if url in drawn] for one in groups.found])
    circles = {
        url: (*at[url], max(LEAST_RADIUS, LARGEST_RADIUS * sqrt(known["relevance"])))
        for url, known in drawn.nodes(data=True)
    }
    labels = _labels(circles, groups.listed, titles)
    pages = [
        DrawnPage(url, *circles[url], colours[url], is_kept, labels.get(url, ""))
        for url, is_kept in drawn.nodes(data="kept")
    ]
    lines = [(*at[one], *at[other]) for one, other in islice(drawn.edges, MOST_LINES)]
    return Picture(pages, lines)


def _places(drawn: nx.Graph, groups: Iterable[Sequence[str]]) -> dict[str, tuple[float, float]]:
    """The place of each page: those of a group within a circle, the circles beside each other, the first groups in the middle."""
    circles: list[tuple[complex, float]] = []
    places: dict[str, complex] = {}
    for group in filter(None, groups):
        radius = sqrt(len(group))
        middle = _free_place(circles, radius)
        circles.append((middle, radius))
        spread = nx.spring_layout(
            _ordered(drawn, group), seed=_RANDOM_SEED, k=2 / radius, scale=radius, iterations=LAYOUT_STEPS
        )
        places |= {url: middle + complex(*map(float, spread[url])) for url in group}
    return _in_frame(places)


def _free_place(circles: Sequence[tuple[complex, float]], radius: float) -> complex:
    """The first place on a spiral where a circle covers none of these."""
    for step in count():
        turn = sqrt(step) / 2
        place = complex(WIDTH / HEIGHT * turn * cos(turn), turn * sin(turn)) / 2
        if all(abs(place - other) > GAP * (radius + its) for other, its in circles):
            return place
    raise AssertionError("a spiral leaves every circle")


def _in_frame(places: Mapping[str, complex]) -> dict[str, tuple[float, float]]:
    """The places scaled to the size of the picture, and moved to its middle."""
    sizes = []
    for size, values in (
        (WIDTH, [at.real for at in places.values()]),
        (HEIGHT, [at.imag for at in places.values()]),
    ):
        sizes.append((size, (max(values) + min(values)) / 2, max(values) - min(values)))
    scale = min((size / span for size, _, span in sizes if span), default=1.0)
    (width, across, _), (height, down, _) = sizes
    return {
        url: (width / 2 + scale * (at.real - across), height / 2 + scale * (at.imag - down))
        for url, at in places.items()
    }


def _labels(
    circles: Mapping[str, tuple[float, float, float]], groups: Iterable[Community], titles: Mapping[str, str]
) -> dict[str, str]:
    """The titles of the circles (x, y, radius), each to the right of its own, but those that would cover an earlier one. The first
    are one of each group, with the group's number."""
    taken: list[tuple[float, float, float, float]] = []
    found: dict[str, str] = {}

    def fits(url: str, number: str = "") -> bool:
        title = one_line(titles.get(url, ""), LONGEST_LABEL)
        if not title or url not in circles or url in found:
            return False
        label, (x, y, radius) = number + title, circles[url]
        left, top = x + radius + 2, y - LABEL_HEIGHT / 2
        box = (left, top, left + _width(label), top + LABEL_HEIGHT)
        if any(_overlap(box, other) for other in taken):
            return False
        taken.append(box)
        found[url] = label
        return True

    for number, group in enumerate(groups, 1):
        any(fits(url, f"{number} · ") for url in group.pages)
    for url in circles:
        fits(url)
    return found


def _width(text: str) -> float:
    return LETTER * sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
