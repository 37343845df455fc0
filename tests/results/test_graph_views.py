"""What a job's report says of its link graph, on a graph of nine pages drawn by hand: layers, paths, communities, picture."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import networkx as nx
import pytest
from selectolax.lexbor import LexborHTMLParser

from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.model import Visit
from topiccrawler.results.communities import (
    COLOURS,
    LABEL_HEIGHT,
    LETTER,
    MOST_DRAWN,
    MOST_GROUPED,
    MOST_LINES,
    Community,
    communities,
    picture,
)
from topiccrawler.results.graph_views import graph_views
from topiccrawler.results.job_pages import job_pages
from topiccrawler.results.report import report
from topiccrawler.store.outlinks import OutlinkStore
from topiccrawler.store.pages import PageRecord

SEED, HUB, LIST = "http://seed.cn/", "http://a.cn/", "http://a.cn/list"
FUND, STOCK, SHARE = "http://b.cn/fund", "http://b.cn/stock", "http://c.cn/share"
BALL, GAME, LONE = "http://x.cn/ball", "http://y.cn/game", "http://z.cn/"
FOUND = {HUB: SEED, LIST: HUB, FUND: LIST, STOCK: FUND, SHARE: FUND, BALL: SEED, GAME: BALL}
KEPT = {FUND: 0.7, STOCK: 0.8, SHARE: 0.9}  # with their relevance
TITLES = {FUND: "基金定投", STOCK: "股票入门", SHARE: "個股分析"}
OWN_LINKS = {
    HUB: [FUND, LIST],
    FUND: [SHARE, HUB],
    SHARE: [STOCK, LIST, "http://elsewhere.cn/"],
    GAME: [BALL],
}


@pytest.fixture
def job(make_job: Callable[..., Path]) -> Path:
    visits = [
        Visit(url, 200, 1.0, KEPT.get(url, 0.2), url in KEPT, float(number), source_url=FOUND.get(url, ""))
        for number, url in enumerate((SEED, *FOUND, LONE), start=1)
    ]
    visits.append(Visit("http://x.cn/gone", 404, 1.0, 0.0, stored=False, time=99.0, source_url=BALL))
    kept = [PageRecord(url=url, title=TITLES[url], relevance=relevance) for url, relevance in KEPT.items()]
    return make_job("job", *kept, visits=tuple(visits))


def keep_links(job: Path, links: Mapping[str, list[str]] = OWN_LINKS) -> None:
    with closing(OutlinkStore(job / JOB_DATABASE)) as store:
        for url, targets in links.items():
            store.put(url, targets)


def test_pages_are_layers_by_their_links_to_a_kept_page_as_in_a_context_graph(job: Path) -> None:
    """By the links that found them: LIST leads to FUND, HUB to LIST, SEED to HUB; BALL, GAME and LONE to none."""
    assert graph_views(job).layers == [3, 1, 1, 1, 0, 3]
    keep_links(job)
    assert graph_views(job).layers == [3, 2, 1, 0, 0, 3]  # HUB links to FUND itself


def test_pages_that_link_to_each_other_are_a_community(job: Path) -> None:
    """Modularity .28: of ten links five join LIST, FUND, STOCK and SHARE, three SEED, HUB, BALL and GAME; LONE has none."""
    keep_links(job)
    groups = graph_views(job).communities
    sites = ["b.cn", "c.cn", "a.cn"]
    assert groups.found == [
        Community([SHARE, STOCK, FUND, LIST], 3, [SHARE, STOCK, FUND], sites, COLOURS[0]),
        Community([HUB, SEED, BALL, GAME], 0, [], ["a.cn", "seed.cn", "x.cn", "y.cn"], COLOURS[1]),
    ]
    modularity = nx.community.modularity(groups.graph, [*(one.pages for one in groups.found), [LONE]])
    assert modularity == pytest.approx(8 / 10 - (12 / 20) ** 2 - (8 / 20) ** 2)
    assert [round(one.share, 2) for one in groups.found] == [0.75, 0.0]
    assert (groups.alone, groups.left_out) == (1, 0)


def test_without_all_links_there_are_no_communities(job: Path) -> None:
    assert graph_views(job).communities is None
    with job_pages(job) as pages:
        html = report(pages)
    assert html.count("TOPIC_LINK_GRAPH=True") == 1
    assert "Communities</h3>" not in html


DRAWN = """
import random, networkx as nx
from topiccrawler.results.communities import communities, picture
draw, graph = random.Random(5), nx.DiGraph()
urls = [f"http://s{number % 7}.cn/{number}" for number in range(210)]
graph.add_nodes_from((url, {"kept": draw.random() < 0.6, "relevance": draw.random()}) for url in urls)
graph.add_edges_from((one, draw.choice(urls[at % 7 :: 7] if draw.random() < 0.6 else urls)) for at, one in enumerate(urls * 6))
groups = communities(graph)
print(groups.found, picture(groups, {url: url for url in urls}))
"""


def test_the_picture_is_the_same_in_another_process() -> None:
    """Python orders sets of texts differently in each process."""
    root, found = Path(__file__).parents[2], []
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        words = [sys.executable, "-c", DRAWN]
        ran = subprocess.run(words, env=environment, capture_output=True, check=True, cwd=root)
        found.append(ran.stdout)
    assert found[0].startswith(b"[Community(")
    assert found[0] == found[1] == found[2]


def test_a_large_graph_is_bounded_and_no_label_covers_another() -> None:
    graph = nx.DiGraph()
    for number in range(MOST_GROUPED + 50):
        graph.add_node(f"http://s{number % 9}.cn/{number:04}", kept=True, relevance=1 - number / 10_000)
    urls = [*graph]
    graph.add_edges_from(
        (url, urls[at]) for number, url in enumerate(urls) for at in range(number % 9, 360, 9)
    )
    groups = communities(graph)
    assert (groups.left_out, sum(len(one.pages) for one in groups.found)) == (50, MOST_GROUPED)
    assert [len(one.sites) for one in groups.found] == [1] * 9
    drawn = picture(groups, dict.fromkeys(urls, "很长的中文标题" * 9))
    assert (len(drawn.pages), len(drawn.lines)) == (MOST_DRAWN, MOST_LINES)
    labels = [page for page in drawn.pages if page.label]
    numbered = sorted(page.label[:4] for page in drawn.pages if page.label[1:3] == " ·")
    assert numbered == [f"{number} · " for number in range(1, 10)]
    assert len(labels) > 20
    boxes = [(page.x + page.radius, page.y, LETTER * 2 * 14) for page in labels]
    for number, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[:number]:
            apart = abs(y - other_y) >= LABEL_HEIGHT or x + width <= other_x or other_x + other_width <= x
            assert apart, (x, y)


def test_communities_of_a_hostile_job_are_text(make_job: Callable[..., Path]) -> None:
    hostile = "</text></svg><script>alert(1)</script>\"'<img src=x onerror=alert(2)>\u202e"
    urls = [
        *(f"http://a.cn/{number}" for number in range(3)),
        "http://a.cn/\"onmouseover='x'",
        "javascript:alert(3)",
    ]
    visits = tuple(Visit(url, 200, 1.0, 0.9, stored=True, time=1.0) for url in urls)
    job = make_job("job", *(PageRecord(url=url, title=hostile, relevance=0.9) for url in urls), visits=visits)
    keep_links(job, dict.fromkeys(urls, urls))
    with job_pages(job) as pages:
        html = report(pages)
    assert "Communities</h3>" in html
    nodes = list(LexborHTMLParser(html).root.traverse())  # type: ignore[union-attr]
    assert not {"script", "img", "iframe", "object", "link", "form"} & {node.tag for node in nodes}
    attributes = [entry for node in nodes for entry in node.attributes.items()]
    assert not [name for name, _ in attributes if name.startswith("on")]
    assert all((value or "").startswith("http://a.cn/") for name, value in attributes if name == "href")
    assert "\u202e" not in html


def test_the_report_has_communities_with_their_pages_sites_and_shares(job: Path) -> None:
    keep_links(job)
    with job_pages(job) as pages:
        html = LexborHTMLParser(report(pages))
    rows = [[cell.text(strip=True) for cell in row.css("td")] for row in html.css("table tr")]
    assert [row[:4] for row in rows if row and row[0].startswith("●")] == [
        ["●1", "4", "3", "75 %"],
        ["●2", "4", "0", "0 %"],
    ]
    titles = {node.text() for node in html.css("svg text")}
    assert titles >= {"1 · 個股分析", "股票入门", "基金定投"}
    assert "Pages without a link to another: 1." in html.body.text()  # type: ignore[union-attr]
