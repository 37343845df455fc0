"""Exports the links of a job for other programs: as GraphML for Gephi, networkx and igraph, or as JLSE's two tables in a SQLite file.

`write_graph` writes GraphML. Its nodes are pages that were fetched. An edge is the link by which a page was found; with TOPIC_LINK_GRAPH
the job has stored all links, and each link from one of these pages to another is an edge.

`write_tables` writes JLSE's tables (§3.3.1):

    LinkTable(ID, url, parentID, depth, anchorText)     every URL the crawl found; parentID is the page of its first link,
                                                        empty for a seed
    ResultTable(ID, urlID)                              the pages that were kept; urlID is an ID of LinkTable

The paper follows parentID from a result back to its seed. The queue has all of this in its own numbers and host tables; the export is a
copy for readers, and can be made while the crawl is running.
Cost: 5 s for 100 000 URLs.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import networkx as nx

from topiccrawler.crawling.page_stores import database_of, open_pages, visits_of
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.frontier.stored_queue import StoredQueue
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.resources import package_text
from topiccrawler.store.outlinks import OutlinkStore, fingerprint
from topiccrawler.store.pages import PageRecord

FOUND, LINK = "found", "link"  # kinds of edges
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graph(records: Iterator[PageRecord], out: BinaryIO, *, folder: Path, whole: bool) -> int:
    """Write the graph of these pages as GraphML; return the number of nodes. `whole`: add all fetched pages that were not kept."""
    graph = nx.DiGraph()
    sources: dict[str, tuple[str, str]] = {}
    for record in records:
        url = _xml(record.url)
        known = {"title": _xml(record.title), "relevance": record.relevance, "depth": record.depth}
        graph.add_node(url, **known, kept=True)
        sources[url] = _xml(record.source_url), record.anchor
    for visit in visits_of(folder) if whole else ():
        url = _xml(visit.url)
        if visit.is_page and url not in graph:
            graph.add_node(url, relevance=visit.relevance, kept=False)
            sources[url] = _xml(visit.source_url), visit.anchor
    for url, (source, anchor) in sources.items():
        if source in graph:
            graph.add_edge(source, url, kind=FOUND, anchor=_xml(anchor))
    if has_links(folder):
        _add_links(graph, folder)
    nx.write_graphml(graph, out, encoding="utf-8")
    return len(graph)


def fetched_graph(folder: Path, most_links: int) -> nx.DiGraph:
    """The graph of the fetched pages, each with `kept`, `seed` and `relevance`, and of the links among them: those by which pages were
    found, and at most `most_links` of the others that the job has stored."""
    graph = nx.DiGraph()
    sources = {}
    for visit in (visit for visit in visits_of(folder) if visit.is_page):
        graph.add_node(visit.url, kept=visit.stored, seed=not visit.source_url, relevance=visit.relevance)
        sources[visit.url] = visit.source_url
    graph.add_edges_from(((source, url) for url, source in sources.items() if source in graph), kind=FOUND)
    if has_links(folder):
        _add_links(graph, folder, most_links)
    return graph


def has_links(folder: Path) -> bool:
    """Whether the job has stored all links among its pages (TOPIC_LINK_GRAPH)."""
    with closing(database_of(folder)) as database:
        return OutlinkStore(database).has_any()


def _add_links(graph: nx.DiGraph, folder: Path, most: int | None = None) -> None:
    with closing(database_of(folder)) as database:
        graph.add_edges_from(islice(_links(graph, OutlinkStore(database)), most), kind=LINK)


def _links(graph: nx.DiGraph, store: OutlinkStore) -> Iterator[tuple[str, str]]:
    """The stored links between two pages of the graph that are not edges yet."""
    known = {fingerprint(url): url for url in graph}
    for url, targets in store.pages():
        if url in graph:
            for target in filter(None, map(known.get, targets)):
                if target != url and not graph.has_edge(url, target):
                    yield url, target


def _xml(text: str) -> str:
    """The text without characters that XML forbids (XML 1.0, production 2)."""
    return _NO_XML.sub("", text)


def write_tables(job: Path, file: Path) -> tuple[int, int]:
    """Write both tables; return the numbers of rows of LinkTable and ResultTable. ArgumentError when the file exists."""
    if file.exists():
        raise ArgumentError(f"--file {file}", "is there already", "name a new file")
    with closing(StoredQueue(job / JOB_DATABASE)) as queue:
        links = [row.link for row in queue.rows()]
    numbers = {link.url: number for number, link in enumerate(links, start=1)}
    kept = _kept(job)
    results = [numbers[url] for url in kept if url in numbers]
    found = (
        (numbers[link.url], link.url, numbers.get(link.source_url), link.depth, link.anchor) for link in links
    )
    with file_faults(ArgumentError, f"--file {file}", "cannot be written", "name another file"):
        file.open("xb").close()
    try:
        with closing(sqlite3.connect(file)) as database, database:
            database.executescript(package_text("results/link_tables.sql"))
            database.executemany("INSERT INTO LinkTable VALUES (?, ?, ?, ?, ?)", found)
            database.executemany("INSERT INTO ResultTable VALUES (?, ?)", enumerate(results, start=1))
    except BaseException as failure:
        file.unlink()  # half a file would stand in the way of the next attempt
        if isinstance(failure, sqlite3.Error):
            remedy = "make room or name another file"
            raise ArgumentError(f"--file {file}", f"cannot be written: {failure}", remedy) from None
        raise
    return len(links), len(results)


def _kept(job: Path) -> list[str]:
    """The URLs of the pages that a job kept, in order of arrival."""
    with closing(open_pages(job)) as store:
        return [record.url for record in store.records() if record.stored]
