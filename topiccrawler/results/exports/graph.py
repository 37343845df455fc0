"""GraphML: the link graph of a job, for Gephi, networkx, igraph.

Nodes are pages that were fetched. An edge says by which link a page was found; with TOPIC_LINK_GRAPH the job has kept all links, and each
that leads from one of these pages to another is an edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import networkx as nx

from topiccrawler.crawling.job_files import OUTLINKS, VISITS
from topiccrawler.store.outlinks import OutlinkStore, fingerprint
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import read_visits

FOUND, LINK = "found", "link"  # kinds of edges


def write(records: Iterator[PageRecord], out: BinaryIO, *, folder: Path, whole: bool) -> int:
    """The graph of these pages; `whole`: of all that were fetched, kept or not."""
    graph = nx.DiGraph()
    sources: dict[str, tuple[str, str]] = {}
    for record in records:
        graph.add_node(
            record.url, title=_xml(record.title), relevance=record.relevance, depth=record.depth, kept=True
        )
        sources[record.url] = record.source_url, record.anchor
    log = folder / VISITS
    for visit in read_visits(log) if whole and log.is_file() else ():
        if 200 <= visit.status < 300 and visit.url not in graph:
            graph.add_node(visit.url, relevance=visit.relevance, kept=False)
            sources[visit.url] = visit.source_url, visit.anchor
    for url, (source, anchor) in sources.items():
        if source in graph:
            graph.add_edge(source, url, kind=FOUND, anchor=_xml(anchor))
    if (folder / OUTLINKS).is_file():
        _add_links(graph, folder / OUTLINKS)
    nx.write_graphml(graph, out, encoding="utf-8")
    return len(graph)


def _add_links(graph: nx.DiGraph, place: Path) -> None:
    known = {fingerprint(url): url for url in graph}
    store = OutlinkStore(place)
    try:
        for url, targets in store.pages():
            if url in graph:
                for target in filter(None, map(known.get, targets)):
                    if target != url and not graph.has_edge(url, target):
                        graph.add_edge(url, target, kind=LINK)
    finally:
        store.close()


def _xml(text: str) -> str:
    """Without what no XML file may hold."""
    return "".join(character for character in text if character >= " " or character in "\t\n")
