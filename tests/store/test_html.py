"""The WARC file with the HTML of pages: each page comes back, the last of a URL; any tool reads it; a killed process leaves no rest."""

from contextlib import closing
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from topiccrawler.errors import StateError
from topiccrawler.store.html import MOST_BYTES, PAGES_WARC, HtmlFile, KeptHtml

DAY = 1_714_700_000.0
PAGES = {
    "http://a.cn/基金": "<p>基金净值</p>".encode("gb18030"),
    "http://b.cn/": b"",
    "http://c.cn/": b"<html>\r\n\r\n" * 10_000,
}


def put(folder: Path, pages: dict[str, bytes], *, same: tuple[str, ...] = ()) -> None:
    with closing(HtmlFile(folder / "job.sqlite")) as file:
        for url in same:
            file.is_same(url)
        for url, body in pages.items():
            file.put(url, body, DAY, content_type="text/html; charset=gb18030")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path, PAGES)
    return tmp_path


def found(*folders: Path) -> dict[str, bytes | None]:
    with KeptHtml(folders) as html:
        return {url: html.get(url) for url in [*PAGES, "http://d.cn/"]}


def test_pages_come_back_as_they_were_fetched_and_the_last_counts(folder: Path) -> None:
    assert found(folder) == {**PAGES, "http://d.cn/": None}
    with closing(HtmlFile(folder / "job.sqlite")) as file:
        file.put("http://b.cn/", b"new", DAY)
        assert found(folder)["http://b.cn/"] == b"", "not committed yet"
        file.commit()
        assert found(folder)["http://b.cn/"] == b"new"
    other = folder / "other"
    other.mkdir()
    put(other, {"http://d.cn/": b"of another process"})
    changed = {"http://b.cn/": b"new", "http://d.cn/": b"of another process"}
    assert found(folder, other, folder / "none") == {**PAGES, **changed}


def test_a_page_that_was_looked_at_again_and_is_the_same_stays(folder: Path) -> None:
    size = (folder / PAGES_WARC).stat().st_size
    put(folder, {"http://c.cn/": b"drawn anew"}, same=("http://c.cn/", "http://b.cn/", "http://d.cn/"))
    assert found(folder)["http://c.cn/"] == PAGES["http://c.cn/"]
    assert (folder / PAGES_WARC).stat().st_size == size
    put(folder, {"http://d.cn/": b"not kept before", "http://c.cn/": b"new"}, same=("http://d.cn/",))
    assert found(folder) == {**PAGES, "http://c.cn/": b"new", "http://d.cn/": b"not kept before"}


def test_any_tool_reads_the_pages(folder: Path) -> None:
    with (folder / PAGES_WARC).open("rb") as file:
        for record, (url, body) in zip(
            ArchiveIterator(file, check_digests="raise"), PAGES.items(), strict=True
        ):
            own, http = record.rec_headers, record.http_headers
            assert (record.rec_type, own.get_header("WARC-Target-URI")) == ("response", url)
            assert own.get_header("WARC-Date")[:10] == "2024-05-03"
            assert http.get_statuscode() == "200"
            assert http.get_header("Content-Type") == "text/html; charset=gb18030"
            assert record.content_stream().read() == body


@pytest.fixture
def half(folder: Path) -> Path:
    """The folder of a crawl that was killed after it had written a page and before it had committed it."""
    file = HtmlFile(folder / "job.sqlite")
    file.put("http://d.cn/", b"lost", DAY)
    file._write()
    file.abandon()
    return folder


def test_what_no_transaction_knows_is_cut_off_when_the_crawl_goes_on(half: Path) -> None:
    assert found(half) == {**PAGES, "http://d.cn/": None}
    put(half, {"http://d.cn/": b"again"})
    assert found(half) == {**PAGES, "http://d.cn/": b"again"}
    with (half / PAGES_WARC).open("rb") as file:
        assert len([*ArchiveIterator(file)]) == len(PAGES) + 1


@pytest.mark.parametrize("cut", [1, 30])
def test_a_torn_last_record_costs_no_other_and_the_crawl_goes_on(folder: Path, cut: int) -> None:
    body = (folder / PAGES_WARC).read_bytes()
    (folder / PAGES_WARC).write_bytes(body[:-cut])
    assert found(folder) == {**PAGES, "http://c.cn/": None, "http://d.cn/": None}
    put(folder, {"http://d.cn/": b"new"})
    put(folder, {"http://c.cn/": b"again"})
    assert found(folder) == {**PAGES, "http://c.cn/": b"again", "http://d.cn/": b"new"}


def test_damage_is_no_page_and_no_error(folder: Path) -> None:
    body = bytearray((folder / PAGES_WARC).read_bytes())
    body[60:68] = b"\xff" * 8
    (folder / PAGES_WARC).write_bytes(bytes(body))
    assert found(folder) == {**PAGES, "http://a.cn/基金": None, "http://d.cn/": None}
    (folder / PAGES_WARC).write_bytes(b"no such file" * 100)
    assert set(found(folder).values()) == {None}


def test_a_page_that_would_unpack_to_more_than_is_read_is_bounded(tmp_path: Path) -> None:
    put(tmp_path, {"http://c.cn/": b"a" * (MOST_BYTES + 10)})
    assert found(tmp_path)["http://c.cn/"] == b"a" * MOST_BYTES


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / PAGES_WARC).mkdir()
    file = HtmlFile(tmp_path / "job.sqlite")
    file.put("http://a.cn/", b"a", DAY)
    with pytest.raises(StateError, match=r"pages\.warc\.gz"):
        file.commit()
    file.abandon()


def test_places_that_fit_no_more_give_no_page_of_another(folder: Path) -> None:
    """A file that a person deleted is begun anew; the database still has the places of the pages in the old one."""
    (folder / PAGES_WARC).unlink()
    put(folder, {"http://d.cn/": PAGES["http://a.cn/基金"]})
    assert found(folder) == {**dict.fromkeys(PAGES), "http://d.cn/": PAGES["http://a.cn/基金"]}


@pytest.mark.parametrize(("begin", "length"), [(-5, 100), (0, -1), (0, 1 << 40), (1 << 40, 100)])
def test_a_place_that_cannot_be_is_no_page(folder: Path, begin: int, length: int) -> None:
    with closing(HtmlFile(folder / "job.sqlite")) as file:
        file.database.write(
            "UPDATE html SET begin = ?, length = ? WHERE url = 'http://c.cn/'", (begin, length)
        )
    assert found(folder) == {**PAGES, "http://c.cn/": None, "http://d.cn/": None}
