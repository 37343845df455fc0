"""Contexts worked by hand on one small page; junk and limits; the shared labelled links as an oracle."""

import gzip
import json
import os
import random
from collections import defaultdict
from itertools import takewhile
from pathlib import Path

import pytest

from topiccrawler.links.extract import LONGEST_ANCHOR, extract
from topiccrawler.model import Link
from topiccrawler.pages.document import Document
from topiccrawler.pages.parse import parse
from topiccrawler.text.characters import decode

PAGE = "http://www.a.test/dir/page.html"
#   |甲乙|丙丁|戊己庚|辛|壬癸|    links: 丙丁, 辛
HTML = "<p>甲乙 <a href=/1>丙丁</a> 戊己庚 <a href=/2>辛</a></p><p>壬癸</p>"


def links_of(html: str, **options: object) -> list[Link]:
    return extract(parse(html), PAGE, depth=2, **options)  # type: ignore[arg-type]


def contexts(html: str, **options: object) -> list[tuple[str, str, str]]:
    return [(link.before, link.anchor, link.after) for link in links_of(html, **options)]


def test_window_is_a_slice_of_each_side_with_boundaries() -> None:
    assert contexts(HTML) == [("|甲乙|", "丙丁", "|戊己庚|辛|壬癸|"), ("|甲乙|丙丁|戊己庚|", "辛", "|壬癸|")]
    assert contexts(HTML, window=4) == [("|甲乙|", "丙丁", "|戊己庚"), ("戊己庚|", "辛", "|壬癸|")]


def test_neighbour_takes_the_other_links_anchor_per_side_when_it_is_within_the_window() -> None:
    assert contexts(HTML, context="neighbour") == [("|甲乙|", "丙丁", "辛"), ("丙丁", "辛", "|壬癸|")]
    assert contexts(HTML, context="neighbour", window=5) == [
        ("|甲乙|", "丙丁", "|戊己庚|"),
        ("|戊己庚|", "辛", "|壬癸|"),
    ]


def test_neighbour_reads_the_title_of_a_picture_link_and_passes_over_silent_ones() -> None:
    html = "<a href=/1>甲</a><a href=/2></a><a href=/3><img alt=乙></a><p>丙</p>"
    assert contexts(html, context="neighbour") == [("|", "甲", "乙"), ("甲", "", "乙"), ("甲", "乙", "|丙|")]


def test_dom_takes_text_within_five_edges_of_the_link() -> None:
    #  div > (p 近) + (ul > li > a) + (div*4 > p 远): a to p(近): a-li-ul-div-p = 4; to p(远): a-li-ul-div-d-d-d-d-p = 8
    html = "<div><p>近</p><ul><li><a href=/1>甲</a>旁</li><li>邻</li></ul><div><div><div><div><p>远</p></div></div></div></div></div>"
    assert contexts(html, context="dom") == [("近", "甲", "旁|邻")]


def test_dom_is_capped_by_the_window() -> None:
    html = f"<p>{'前' * 50}<a href=/1>甲</a>{'后' * 50}</p>"
    assert contexts(html, context="dom", window=10) == [("前" * 10, "甲", "后" * 10)]


@pytest.mark.parametrize("seed", range(20))
def test_dom_is_what_a_search_of_all_texts_finds(seed: int) -> None:
    """On a random tree: the texts at most five tree edges from the link's element, outwards until the window is full."""
    chance = random.Random(seed)
    document = parse(f"<body>{tree(chance, 6)}</body>")
    for anchor, link in zip(
        document.anchors,
        extract(document, "http://h.example/", depth=1, context="dom", window=9),
        strict=True,
    ):
        sides: list[list[str]] = [[], []]
        for start, end, node, _, _ in document.runs:
            if not anchor.start <= start < anchor.end and edges(document, anchor.node, node) <= 5:
                sides[start >= anchor.end].append(document.text[start:end])
        before, after = "|".join(sides[0])[-9:].strip("|"), "|".join(sides[1])[:9].strip("|")
        assert (link.before.strip("|"), link.after.strip("|")) == (before, after)


def tree(chance: random.Random, depth: int) -> str:
    """Up to three elements in each other, some with a text of their own or a link."""
    own, below = (
        chance.choice(["", "字", "文本", "<a href=/1>链接</a>"]),
        chance.randint(1, 3) if depth else 0,
    )
    return own + "".join(f"<div>{tree(chance, depth - 1)}</div>" for _ in range(below))


def edges(document: Document, one: int, other: int) -> int:
    paths = []
    for node in (one, other):
        path = [node]
        while document.node_parents[path[-1]] >= 0:
            path.append(document.node_parents[path[-1]])
        paths.append(path[::-1])
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*paths, strict=False)))
    return len(paths[0]) + len(paths[1]) - 2 * shared


def test_all_fields_of_a_link() -> None:
    html = "<h2>财经</h2><div class='list red'><ul><li><a href='sub/1.html#x' title=' 提示 ' rel=nofollow>新闻</a></li></ul></div>"
    assert links_of(html) == [
        Link(
            url="http://www.a.test/dir/sub/1.html",
            host="www.a.test",
            anchor="新闻",
            before="|财经|",
            after="|",
            title=" 提示 ",
            heading="财经",
            region="body",
            path="div.list>ul>li",
            kind="down",
            position=0,
            depth=2,
            source_url=PAGE,
            nofollow=True,
        )
    ]


def test_extra_tracking_parameters_are_dropped() -> None:
    assert [
        link.url for link in links_of("<a href='/x?id=1&zz=2'>甲</a>", extra_parameters=frozenset({"zz"}))
    ] == ["http://www.a.test/x?id=1"]


def test_anchors_are_bounded_and_links_counted() -> None:
    html = f"<a href=/0>{'长' * 1000}</a>" + "".join(f"<a href=/{i}>{i}</a>" for i in range(1, 6000))
    links = links_of(html)
    assert len(links[0].anchor) == LONGEST_ANCHOR
    assert len(links) == 5000
    assert links[-1].url == "http://www.a.test/4999"


@pytest.mark.skipif(
    "TOPICCRAWLER_SHARED" not in os.environ, reason="TOPICCRAWLER_SHARED names no unpacked shared data"
)
def test_windows_are_those_of_the_shared_labelled_links() -> None:
    shared = Path(os.environ["TOPICCRAWLER_SHARED"]) / "links"
    expected: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    with (shared / "links_dev.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            expected[row["source_url"]].append(
                (_address(row["url"]), row["left"], row["anchor"], row["right"])
            )
    found = exact = 0
    manifest = (shared / "extraction_dev" / "manifest.tsv").read_text(encoding="utf-8").splitlines()
    for name, _, url, *_ in (line.split("\t") for line in manifest[1:]):
        if url in expected:
            html, _ = decode(gzip.decompress((shared / "extraction_dev" / f"{name}.html.gz").read_bytes()))
            ours = {
                (_address(link.url), link.before, link.anchor, link.after)
                for link in extract(parse(html), url, depth=1)
            }
            addresses = {address for address, *_ in ours}
            found += sum(row[0] in addresses for row in expected[url])
            exact += sum(row in ours for row in expected[url])
    assert found > 800
    assert exact / found > 0.95


def _address(url: str) -> str:
    return url.partition("://")[2].rstrip("/")


def test_links_keep_document_order_even_when_one_stands_in_another() -> None:
    links = links_of("<a href=/1>甲<iframe src=/2></iframe>乙</a><a href=/3>丙</a>")
    assert [link.url[-2:] for link in links] == ["/1", "/2", "/3"]
