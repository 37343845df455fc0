"""What a job's report says of its link graph, on a graph of nine pages drawn by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from topiccrawler.crawling.job_files import OUTLINKS
from topiccrawler.model import Visit
from topiccrawler.results.graph_views import graph_views
from topiccrawler.results.job_pages import job_pages
from topiccrawler.results.link_graph import fetched_graph
from topiccrawler.results.report import report
from topiccrawler.store.outlinks import OutlinkStore
from topiccrawler.store.pages import PageRecord

SEED, HUB, LIST = "http://seed.cn/", "http://a.cn/", "http://a.cn/list"
FUND, STOCK, SHARE = "http://b.cn/fund", "http://b.cn/stock", "http://c.cn/share"
BALL, GAME, LONE = "http://x.cn/ball", "http://y.cn/game", "http://z.cn/"
FOUND = {HUB: SEED, LIST: HUB, FUND: LIST, STOCK: FUND, SHARE: FUND, BALL: SEED, GAME: BALL}
KEPT = {FUND, STOCK, SHARE}
OWN_LINKS = {
    HUB: [FUND, LIST],
    FUND: [SHARE, HUB],
    SHARE: [STOCK, LIST, "http://elsewhere.cn/"],
    GAME: [BALL],
}


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    visits = [
        Visit(url, 200, 1.0, 0.5, stored=url in KEPT, time=float(number), source_url=FOUND.get(url, ""))
        for number, url in enumerate((SEED, *FOUND, LONE), start=1)
    ]
    visits.append(Visit("http://x.cn/gone", 404, 1.0, 0.0, stored=False, time=99.0, source_url=BALL))
    return make_job("job", PageRecord(url=SHARE, title="股票", relevance=0.9), visits=tuple(visits))


def keep_links(job: Path) -> None:
    store = OutlinkStore(job / OUTLINKS)
    for url, targets in OWN_LINKS.items():
        store.put(url, targets)
    store.close()


def test_pages_are_layers_by_their_links_to_a_kept_page_as_in_a_context_graph(job: Path) -> None:
    """By the links that found them: LIST leads to FUND, HUB to LIST, SEED to HUB; BALL, GAME and LONE to none."""
    assert graph_views(job).layers == [3, 1, 1, 1, 0, 3]
    keep_links(job)
    assert graph_views(job).layers == [3, 2, 1, 0, 0, 3]  # HUB links to FUND itself


def test_a_path_is_the_shortest_there_is_on_file(job: Path) -> None:
    path = graph_views(job).path
    assert path(SHARE) == [SEED, HUB, LIST, FUND, SHARE]
    assert (path(LONE), path("http://never.cn/")) == ([LONE], [])
    keep_links(job)
    assert graph_views(job).path(SHARE) == [SEED, HUB, FUND, SHARE]


def test_links_beyond_the_bound_are_left_out(job: Path) -> None:
    keep_links(job)
    assert fetched_graph(job, 2).number_of_edges() == len(FOUND) + 2


def test_the_report_has_layers_and_paths(job: Path) -> None:
    keep_links(job)
    with job_pages(job) as pages:
        html = report(pages)
    for part in (
        "12 links among 9 pages fetched", "0: 3, 1: 2, 2: 1, 3: 0, 4: 0, more, or to none: 3",
        "3 links from a seed",
    ):  # fmt: skip
        assert part in html, part


def test_a_job_without_pages_has_no_graph(make_job: Callable[..., Path]) -> None:
    found = graph_views(make_job("empty"))
    assert (found.pages, found.layers) == (0, [0] * 6)
