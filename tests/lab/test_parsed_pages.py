from __future__ import annotations

from pathlib import Path

from topiccrawler.lab.parsed_pages import Judged, ParsedPages, pack, write_pages
from topiccrawler.model import Link, Page, Via
from topiccrawler.relevance.evidence import Found

URLS = ["http://a.example/", "http://a.example/b/"]
PAGE = Page(URLS[0], title="题\ud800目", terms={"茶": 2.0}, seconds=0.5)
LINK = Link(
    URLS[1], "a.example", "茶", "前", "后", "题", "头", "body", "ul>li", "down", 3, 0, URLS[0], nofollow=True
)


def store(path: Path) -> ParsedPages:
    blob = pack(
        PAGE,
        [Judged(0.3, 0.7, True, [Found("title", 7, 1, {"茶": 1})]), Judged(0.2, 0.1, False, None)],
        {"window": [(1, LINK)], "dom": []},
    )
    write_pages(path, [(0, URLS[0], "a.example", blob), (1, URLS[1], "a.example", None)])
    return ParsedPages(path)


def test_a_page_comes_back_as_it_was_read_with_what_the_run_adds(tmp_path: Path) -> None:
    parsed = store(tmp_path / "parsed.sqlite")
    reading = parsed.read(0)
    assert reading is not None
    via = Via(Link(URLS[0], "a.example", depth=4), score=2.0)
    first, second = (parsed.page(0, reading, topic, via) for topic in (0, 1))
    assert (first.url, first.title, first.terms, first.seconds) == (URLS[0], PAGE.title, PAGE.terms, 0.5)
    assert (first.depth, first.via) == (4, via)
    assert (first.similarity, first.relevance, first.is_target) == (0.3, 0.7, True)
    assert (second.similarity, second.relevance, second.is_target) == (0.2, 0.1, False)
    assert [one.found for one in reading.judged] == [[["title", 7, 1, {"茶": 1}]], None]
    parsed.close()


def test_links_come_back_with_target_depth_and_source(tmp_path: Path) -> None:
    parsed = store(tmp_path / "parsed.sqlite")
    reading = parsed.read(0)
    assert reading is not None
    page = parsed.page(0, reading, 0, Via(Link(URLS[0], "a.example", depth=4)))
    (link,) = parsed.links(reading, page, "window")
    assert (link.url, link.host, link.depth, link.source_url) == (URLS[1], "a.example", 5, URLS[0])
    assert (link.anchor, link.before, link.after, link.position, link.nofollow) == ("茶", "前", "后", 3, True)
    assert parsed.links(reading, page, "dom") == []
    parsed.close()


def test_what_is_no_html_has_no_reading(tmp_path: Path) -> None:
    parsed = store(tmp_path / "parsed.sqlite")
    assert parsed.read(1) is None
    assert parsed.numbers == {URLS[0]: 0, URLS[1]: 1}
    parsed.close()
