"""The link graph of a job, as other programs read it."""

import io
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest

from topiccrawler.crawling.job_files import write_recipe
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.results.link_graph import write_graph
from topiccrawler.store.outlinks import OutlinkStore
from topiccrawler.store.pages import PageRecord

SEED, ONE, TWO = (f"http://a.cn/{name}" for name in ("", "1", "2"))
PAGES = (
    PageRecord(
        url=ONE, title="基金\x00\x1b<b>\ufffe", relevance=0.5, depth=1, source_url=SEED, anchor="一\x02\uffff"
    ),
    PageRecord(url=TWO, title="股票", relevance=0.4, depth=2, source_url=ONE, anchor="二"),
)


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    visits = (
        Visit(SEED, 200, 1.0, 0.1, stored=False, time=1.0),
        *(
            Visit(page.url, 200, 1.0, page.relevance, stored=True, time=2.0, source_url=page.source_url)
            for page in PAGES
        ),
        Visit("http://a.cn/gone", 404, 1.0, 0.0, stored=False, time=3.0, source_url=SEED),
    )
    return make_job("job", *PAGES, visits=visits)


def graph_of(job: Path, *, whole: bool = True, nodes: int = 3) -> nx.DiGraph:
    out = io.BytesIO()
    assert write_graph(iter(PAGES), out, folder=job, whole=whole) == nodes
    return nx.read_graphml(io.BytesIO(out.getvalue()))


def test_pages_fetched_are_nodes_and_the_links_that_found_them_edges(job: Path) -> None:
    graph = graph_of(job)
    assert graph.nodes[ONE] == {"title": "基金<b>", "relevance": 0.5, "depth": 1, "kept": True}
    assert graph.nodes[SEED] == {"relevance": 0.1, "kept": False}
    found = {(SEED, ONE): {"kind": "found", "anchor": "一"}, (ONE, TWO): {"kind": "found", "anchor": "二"}}
    assert {(source, target): data for source, target, data in graph.edges(data=True)} == found


def test_pages_that_any_process_of_a_job_fetched_are_nodes(job: Path, make_job: Callable[..., Path]) -> None:
    other = "http://a.cn/other"
    second = make_job(
        "second", visits=(Visit(other, 200, 1.0, 0.1, stored=False, time=2.5, source_url=SEED),)
    )
    for folder in (job, second):
        write_recipe(
            Recipe("finance", "breadth_first", store="postgresql://host/pages", store_job="both"), folder
        )
    assert (SEED, other) in graph_of(job, nodes=4).edges


def test_all_links_are_edges_where_the_job_kept_them(job: Path) -> None:
    store = OutlinkStore(job / JOB_DATABASE)
    store.put(SEED, [ONE, TWO, "http://elsewhere.cn/"])
    store.put(TWO, [TWO, SEED])
    store.put("http://a.cn/gone", [ONE])
    store.close()
    kinds = {(source, target): data["kind"] for source, target, data in graph_of(job).edges(data=True)}
    assert kinds == {(SEED, ONE): "found", (ONE, TWO): "found", (SEED, TWO): "link", (TWO, SEED): "link"}
