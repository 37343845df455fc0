"""What the strategies that look at the whole crawl cost at size.

    python benchmarks/graph.py [--edges 2000000] [--queued 100000] [--vertices 20000] [--json]

graph: bytes allocated by a graph of that many edges (a page links to 100 URLs, most of them met before), and seconds of one
    PageRank, IPageRank and HITS refresh there. Bounds: 100 MB, 1 s each.
link_model: seconds of one refresh with so many queued URLs. Bound: 1 s.
adaptive: milliseconds of CPU for a page of 200 links, without the link classifier, and to weigh all queued URLs anew, which
    happens in one piece every ten pages. Bounds: 1.5 ms a page on top of naive_bayes, weighing included; 50 ms at once.
jlse: milliseconds to find for 200 links of a page the likest of so many vertices. Bound: 50 ms.
Seconds are of CPU (other work may run on the machine); texts are drawn from a vocabulary with Zipf's frequencies.
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from collections.abc import Callable, Sequence

import _checkout  # noqa: F401 first: the package may not be installed
import numpy as np

from topiccrawler.links.graph import LinkGraph
from topiccrawler.links.ranks import hits, pagerank
from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.adaptive import Adaptive
from topiccrawler.strategies.base import Knowledge
from topiccrawler.strategies.link_index import LinkIndex, Words
from topiccrawler.strategies.link_model import LinkModel
from topiccrawler.topics.topic import Topic

LINKS_PER_PAGE = 100


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """CPU seconds, the best of a few repeats."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def zipf(draw: np.random.Generator, words: int, size: int) -> np.ndarray:
    """Numbers below `words`, the smaller the commoner."""
    return np.minimum(np.exp(draw.random(size) * np.log(words)), words - 1).astype(np.uint32)


def graph_costs(edges: int) -> dict[str, float]:
    """Memory of the graph and seconds of its rankings."""
    draw = np.random.default_rng(0)
    pages = edges // LINKS_PER_PAGE
    nodes = edges // 4
    tracemalloc.start()
    graph = LinkGraph()
    for page in range(pages):
        targets = (draw.random(LINKS_PER_PAGE) ** 2 * nodes).astype(int).tolist()
        graph.add(
            f"http://h.example/{page}",
            [f"http://h.example/{n}" for n in targets],
            draw.random(LINKS_PER_PAGE).tolist(),
        )
    allocated, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "edges": graph.edges,
        "nodes": len(graph),
        "megabytes": allocated / 1e6,
        "pagerank_seconds": seconds(lambda: pagerank(graph.matrix())),
        "ipagerank_seconds": seconds(lambda: pagerank(graph.matrix(weighted=True))),
        "hits_seconds": seconds(lambda: hits(graph.matrix(weighted=True))),
    }


def link_model_costs(queued: int) -> dict[str, float]:
    """One refresh of link_model."""
    draw = np.random.default_rng(0)
    strategy = LinkModel()
    strategy.prepare(Knowledge(topic=Topic(name="t", keywords={"w3 w5": 1.0, "word7": 1.0})))
    links: list[Link] = []
    page_seconds = []
    for page in range(queued // LINKS_PER_PAGE):
        found = [
            Link(
                f"http://h.example/{page}/{n}", "h.example", _text(draw, 3), _text(draw, 10), _text(draw, 10)
            )
            for n in range(LINKS_PER_PAGE)
        ]
        terms = {f"w{word}": 1.0 for word in zipf(draw, 20_000, 150).tolist()}
        read = Page(f"http://h.example/{page}", 1, terms=terms, is_target=page % 3 == 0)
        began = time.process_time()
        strategy.visit(read, found)
        page_seconds.append(time.process_time() - began)
        links += found
    return {
        "queued": len(links),
        "page_milliseconds": 1000 * float(np.median(page_seconds)),
        "refresh_seconds": seconds(lambda: list(strategy.refresh(iter(links)))),
    }


def _text(draw: np.random.Generator, size: int) -> str:
    return " ".join(f"w{word}" for word in zipf(draw, 20_000, size).tolist())


class _Silent:
    """A link scorer that costs nothing, so that what is measured is what comes on top of the classifier."""

    def log_odds(self, links: Sequence[Link]) -> list[float]:
        return [len(link.anchor) - 8.0 for link in links]


def adaptive_costs(queued: int) -> dict[str, float]:
    """A page of 200 links, and one refresh, with so many queued URLs."""
    draw = np.random.default_rng(0)
    strategy = Adaptive()
    topic = Topic(name="t", keywords={"w3 w5": 1.0})
    strategy.prepare(Knowledge(topic=topic, link_scorer=_Silent(), similarity_threshold=0.2))
    page_seconds, refresh_seconds = [], []
    links: list[Link] = []
    for page in range(queued // 200):
        host = f"h{page % 500}.example"
        via = Via(links[-1 - 7 * (page % 20)], 1.0) if links else None
        url = via.link.url if via else "http://h0.example/"
        targets = (draw.random(200) ** 2 * 500).astype(int).tolist()
        links = [
            Link(
                f"http://h{target}.example/{page}/{n}", f"h{target}.example", "w" * (n % 16), "", "", "", f"head {n // 20}",
                "body", f"div.c{n % 9}>ul>li", "cross", n, 2, url,
            )
            for n, target in enumerate(targets)
        ]  # fmt: skip
        read = Page(url, 1, f"title of {host}", {}, float(draw.random()), page % 3 == 0, 0.1, via)
        began = time.process_time()
        list(strategy.visit(read, links))
        page_seconds.append(time.process_time() - began)
        if page % strategy.refresh_every == 0:
            began = time.process_time()
            next(iter(strategy.refresh(())), None)
            refresh_seconds.append(time.process_time() - began)
            for _ in strategy.refresh(()):
                pass
    return {
        "queued": queued,
        "page_milliseconds": 1000 * float(np.median(page_seconds)),
        "weighing_milliseconds": 1000 * float(np.median(refresh_seconds[-20:])),
    }


def jlse_costs(vertices: int) -> dict[str, float]:
    """Finding the likest vertices."""
    draw = np.random.default_rng(0)

    def described() -> list[Words]:
        return [zipf(draw, 20_000, 4), zipf(draw, 3_000, 4), zipf(draw, 20_000, 22)]

    known = [described() for _ in range(vertices)]
    index = LinkIndex(known)
    links = [described() for _ in range(200)]
    return {
        "vertices": vertices,
        "build_seconds": seconds(lambda: LinkIndex(known), 1),
        "page_milliseconds": 1000 * seconds(lambda: index.nearest(links), 5),
    }


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--edges", type=int, default=2_000_000)
    parser.add_argument("--queued", type=int, default=100_000)
    parser.add_argument("--vertices", type=int, default=20_000)
    parser.add_argument("--json", action="store_true", help="one JSON line")
    options = parser.parse_args()
    found = {
        "graph": graph_costs(options.edges),
        "link_model": link_model_costs(options.queued),
        "adaptive": adaptive_costs(options.queued),
        "jlse": jlse_costs(options.vertices),
    }
    if options.json:
        print(json.dumps(found))
        return
    for part, figures in found.items():
        print(
            part, "  ".join(f"{name} {value:,.3f}".rstrip("0").rstrip(".") for name, value in figures.items())
        )


if __name__ == "__main__":
    main()
