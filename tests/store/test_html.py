"""The file that keeps the HTML of pages: each page comes back, the last of a URL; a killed process costs its last page alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from topiccrawler.errors import StateError
from topiccrawler.store.html import MOST_BYTES, HtmlFile, KeptHtml
from topiccrawler.zstandard import zstd

PAGES = {
    "http://a.cn/基金": "<p>基金净值</p>".encode("gb18030"),
    "http://b.cn/": b"",
    "http://c.cn/": b"<html>" * 10_000,
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    file = HtmlFile(tmp_path / "html.zst")
    for url, body in PAGES.items():
        file.put(url, body)
    file.close()
    return file.path


def found(*places: Path) -> dict[str, bytes | None]:
    with KeptHtml(places) as html:
        return {url: html.get(url) for url in PAGES}


def test_pages_come_back_as_they_were_fetched_and_the_last_counts(place: Path) -> None:
    assert found(place) == PAGES
    assert place.stat().st_size < 1_000
    file = HtmlFile(place)
    file.put("http://b.cn/", b"new")
    assert found(place)["http://b.cn/"] == b""  # not committed yet
    file.commit()
    assert found(place) == {**PAGES, "http://b.cn/": b"new"}
    file.abandon()


def test_a_page_that_was_looked_at_again_and_is_the_same_stays(place: Path) -> None:
    size = place.stat().st_size
    file = HtmlFile(place)
    for url in ("http://c.cn/", "http://b.cn/", "http://d.cn/"):
        file.is_same(url)
    file.put("http://c.cn/", b"drawn anew")
    file.close()
    assert (found(place), place.stat().st_size) == (PAGES, size)
    file = HtmlFile(place)
    file.is_same("http://d.cn/")
    file.put("http://d.cn/", b"not kept before")
    file.put("http://c.cn/", b"new")
    file.close()
    assert found(place) == {**PAGES, "http://c.cn/": b"new"}
    with KeptHtml([place]) as html:
        assert html.urls == {*PAGES, "http://d.cn/"}


def test_any_zstd_program_reads_all_pages(place: Path) -> None:
    assert zstd.decompress(place.read_bytes()) == b"".join(PAGES.values())


@pytest.mark.parametrize("at", [0, 4, 8], ids=["magic number", "length of the URL", "length of the page"])
def test_a_damaged_page_costs_no_other_and_the_crawl_goes_on(place: Path, at: int) -> None:
    body = bytearray(place.read_bytes())
    second = body.index(b"\x50\x2a\x4d\x18", 1)
    body[second + at : second + at + 4] = b"\xff" * 4
    place.write_bytes(body)
    file = HtmlFile(place)
    file.put("http://d.cn/", b"new")
    file.close()
    assert found(place) == {**PAGES, "http://b.cn/": None}
    with KeptHtml([place]) as html:
        assert html.get("http://d.cn/") == b"new"


@pytest.mark.parametrize("cut", [1, 30])
def test_half_a_page_at_the_end_is_cut_off_when_the_crawl_goes_on(place: Path, cut: int) -> None:
    body = place.read_bytes()
    place.write_bytes(body[:-cut])
    assert found(place) == {**PAGES, "http://c.cn/": None}
    file = HtmlFile(place)
    file.put("http://c.cn/", b"again")
    file.close()
    assert found(place) == {**PAGES, "http://c.cn/": b"again"}


def test_damage_is_no_page_and_no_error(place: Path, tmp_path: Path) -> None:
    body = bytearray(place.read_bytes())
    at = body.index("净值".encode("gb18030")) if "净值".encode("gb18030") in body else 60
    body[at : at + 8] = b"\xff" * 8
    place.write_bytes(bytes(body))
    assert found(place)["http://c.cn/"] == PAGES["http://c.cn/"]
    place.write_bytes(b"no such file" * 100)
    assert found(place) == dict.fromkeys(PAGES)
    assert found(tmp_path / "missing") == dict.fromkeys(PAGES)


def test_a_page_that_would_unpack_to_more_than_is_read_is_bounded(tmp_path: Path) -> None:
    file = HtmlFile(tmp_path / "html.zst")
    file.put("http://a.cn/", b"a" * (MOST_BYTES + 10))
    file.close()
    with KeptHtml([file.path]) as html:
        assert html.get("http://a.cn/") == b"a" * MOST_BYTES


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    file = HtmlFile(tmp_path / "no" / "html.zst")
    file.put("http://a.cn/", b"a")
    with pytest.raises(StateError, match=r"html\.zst"):
        file.commit()
