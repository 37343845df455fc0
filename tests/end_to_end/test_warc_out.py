"""A crawl that is written down, and crawled again from what was written."""

import gzip
import io
from pathlib import Path

import networkx as nx
import pytest
from drawn_crawls import FUNDS, HUB, Crawl
from drawn_web import answer
from warcio.checker import Checker

from topiccrawler.crawling.page_stores import visits_of
from topiccrawler.results.link_graph import write_graph

pytestmark = pytest.mark.slow


def page(title: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">基金 {link}</a> ' for link in links)
    return f"<title>{title}</title><p>{FUNDS}{title}</p>{anchors}"


def edges(job: Path) -> set[tuple[str, str, str]]:
    """Of the job's GraphML."""
    out = io.BytesIO()
    write_graph(iter(()), out, folder=job, whole=True)
    found = nx.read_graphml(io.BytesIO(out.getvalue())).edges(data="kind")
    return {(source.removeprefix(HUB), target.removeprefix(HUB), kind) for source, target, kind in found}


def visits(job: Path) -> list[tuple[str, int, bool]]:
    return sorted((visit.url, visit.status, visit.stored) for visit in visits_of(job))


def test_a_crawl_replayed_from_its_own_warc_fetches_the_same_pages(crawl: Crawl, tmp_path: Path) -> None:
    """Compressed pages, a redirect, copies, a failure that is tried again, a 404 and what robots.txt forbids."""
    again = iter([answer(503), *[answer(200, page("busy").encode())] * 9])
    pages = {
        "http://hub.example/robots.txt": answer(200, b"User-agent: *\nDisallow: /secret", Content_Type="text/plain"),
        HUB: page("hub", "/packed", "/moved", "/copy1", "/copy2", "/busy", "/gone", "/secret", "http://b.example/"),
        f"{HUB}packed": answer(
            200, gzip.compress(page("packed", "/deep", "/copy1", "/gone").encode()), Content_Encoding="gzip"
        ),
        f"{HUB}deep": answer(200, page("深").encode("gb18030"), Content_Type="text/html; charset=gb18030"),
        f"{HUB}moved": answer(301, Location="/target"),
        f"{HUB}target": page("target"),
        f"{HUB}copy1": page("copy"),
        f"{HUB}copy2": page("copy"),
        f"{HUB}busy": lambda: next(again),
        f"{HUB}secret": page("secret"),
        "http://b.example/": page("b"),
    }  # fmt: skip

    warc = tmp_path / "web.warc.gz"
    ran = crawl(pages, job="first", CONCURRENT_REQUESTS=1, WARC_OUT=warc)
    assert "'topic/warc/revisits': 1" in ran.err
    assert (f"{HUB}secret" in ran.web.asked, ran.web.asked.count(f"{HUB}busy")) == (False, 2)
    checker = Checker(type("Arguments", (), {"verbose": False, "inputs": [str(warc)]})())
    checker.process_all()
    assert checker.exit_value == 0

    crawl(None, job="again", CONCURRENT_REQUESTS=1, REPLAY_WARC=warc, TOPIC_LINK_GRAPH=True)
    first = visits(tmp_path / "first")
    assert visits(tmp_path / "again") == first  # but for the order: what is tried again comes later
    assert (len(first), sum(stored for *_, stored in first)) == (10, 8)  # not the 404 and the forbidden one
    links = edges(tmp_path / "again")
    assert {("", "packed", "found"), ("packed", "deep", "found"), ("packed", "copy1", "link")} <= links
    assert {kind for *_, kind in edges(tmp_path / "first")} == {"found"}
