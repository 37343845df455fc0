"""WARC files as a crawl writes them: whole, numbered, read by others' programs and by ours."""

import gzip
import re
from dataclasses import replace
from errno import EEXIST
from os import strerror
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from warcio.checker import Checker

from topiccrawler.errors import ReplayError
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.replay.warc_writing import RESPONSE, Exchange, WarcWriter, iso, new_record, put, write_web

PAGE = Exchange(
    "http://a.cn/",
    1_700_000_000.5,
    b"GET / HTTP/1.1\r\nHost: a.cn\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gb18030\r\n\r\n",
    "基金".encode("gb18030"),
    200,
    "127.0.0.1",
)
ROOM = 1_000_000


def written(path: Path, *exchanges: Exchange, most_bytes: int = ROOM) -> list[Path]:
    writer = WarcWriter(path, most_bytes, {"software": "ours\r\nX: y"})
    for exchange in exchanges:
        writer.write(exchange)
    writer.close()
    return sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime_ns)


def kinds(path: Path) -> list[WarcRecordType]:
    with path.open("rb") as file:
        return [record.record_type for record in ArchiveIterator(file, parse_http=False)]


def assert_valid(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By warcio's own check and by fastwarc's digests."""
    checker = Checker(type("Arguments", (), {"verbose": True, "inputs": [str(path)]})())
    checker.process_all()
    printed = capsys.readouterr().out
    assert checker.exit_value == 0, printed
    assert "digest pass" in printed
    with path.open("rb") as file:
        assert all(record.verify_block_digest() for record in ArchiveIterator(file, parse_http=False))


def test_a_response_its_request_and_the_file_itself_are_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = written(tmp_path / "a.warc.gz", PAGE)
    assert kinds(path) == [WarcRecordType.warcinfo, WarcRecordType.response, WarcRecordType.request]
    text = gzip.decompress(path.read_bytes())
    for line in (
        b"software: ours X: y\r\n", b"WARC-Filename: a.warc.gz", b"WARC-Date: 2023-11-14T22:13:20.500000Z",
        b"WARC-IP-Address: 127.0.0.1", b"WARC-Target-URI: http://a.cn/", b"WARC-Concurrent-To: <urn:uuid:",
    ):  # fmt: skip
        assert line in text
    assert_valid(path, capsys)
    recorded = RecordedWeb([path]).response("http://a.cn/")
    assert recorded is not None
    assert (recorded.status, recorded.body.decode("gb18030")) == (200, "基金")


def test_a_body_written_before_is_referred_to_and_replayed_with_its_own_headers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = replace(
        PAGE,
        head=b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Own: 1\r\n\r\n",
        body=gzip.compress("股票".encode()),
    )
    copy = replace(packed, url="http://a.cn/copy", head=packed.head.replace(b"Own: 1", b"Own: 2"))
    (path,) = written(tmp_path / "a.warc.gz", packed, copy, replace(copy, url="http://a.cn/3"))
    assert kinds(path).count(WarcRecordType.revisit) == 2
    assert_valid(path, capsys)
    web = RecordedWeb([path])
    recorded = web.response("http://a.cn/copy")
    assert recorded is not None
    assert (recorded.body.decode(), (b"X-Own", b"2") in recorded.headers, len(web)) == ("股票", True, 3)


def revisit(path: Path, url: str, head: bytes, of: str) -> Path:
    """A file with one revisit record, as other programs write it."""
    response = new_record(WarcRecordType.revisit, head, RESPONSE, url, iso(1.0))
    response.headers["WARC-Refers-To-Target-URI"] = of
    with path.open("wb") as file:
        put(file, response)
    return path


def test_the_body_of_a_revisit_is_unpacked_as_the_response_that_has_it_says(tmp_path: Path) -> None:
    """Payload digests of other programs are those of the body without its chunks."""
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    (first,) = written(tmp_path / "a.warc.gz", replace(PAGE, head=chunked, body=b"4\r\npage\r\n0\r\n\r\n"))
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Own: 2\r\n\r\n"
    second = revisit(tmp_path / "b.warc.gz", "http://a.cn/copy", head, PAGE.url)
    recorded = RecordedWeb([first, second]).response("http://a.cn/copy")
    assert recorded is not None
    assert (recorded.headers, recorded.body) == ([(b"X-Own", b"2"), (b"Content-Length", b"4")], b"page")


@pytest.mark.parametrize("url", ["http://a.cn/", "https://a.cn/"])
def test_a_page_whose_revisit_is_read_before_its_response_is_kept(tmp_path: Path, url: str) -> None:
    (response,) = written(tmp_path / "2025.warc.gz", replace(PAGE, url=url))
    later = revisit(tmp_path / "2024.warc.gz", url, b"HTTP/1.1 200 OK\r\n\r\n", url)
    web = RecordedWeb([later, response])
    recorded = web.response(url)
    assert recorded is not None
    assert (list(web.urls()), recorded.body) == ([url], PAGE.body)


@pytest.mark.parametrize(
    ("target", "escaped"),
    [
        ("/中文".encode(), "%E4%B8%AD%E6%96%87"),
        ("/中文".encode("gbk"), "%D6%D0%CE%C4"),
        (b"/%d6%D0", "%D6%D0"),
    ],
)
def test_the_bytes_of_a_redirects_target_are_escaped_as_a_crawl_does(
    tmp_path: Path, target: bytes, escaped: str
) -> None:
    moved = replace(
        PAGE, head=b"HTTP/1.1 302 Found\r\nLocation: " + target + b"\r\n\r\n", status=302, body=b""
    )
    (path,) = written(tmp_path / "a.warc.gz", moved)
    assert RecordedWeb([path]).find(PAGE.url).location == f"http://a.cn/{escaped}"


def test_files_are_rotated_by_size_and_a_file_that_is_there_is_never_touched(tmp_path: Path) -> None:
    bodies = [replace(PAGE, url=f"http://a.cn/{n}", body=bytes([n]) * 9) for n in range(3)]
    files = written(tmp_path / "a.warc.gz", *bodies, most_bytes=1)
    assert [file.name for file in files] == ["a.warc.gz", "a_00002.warc.gz", "a_00003.warc.gz"]
    before = [file.read_bytes() for file in files]
    files = written(tmp_path / "a.warc.gz", replace(bodies[0], url="http://a.cn/new"))
    assert [file.name for file in files][3:] == ["a_00004.warc.gz"]
    assert [file.read_bytes() for file in files[:3]] == before
    assert len(RecordedWeb(files)) == 4


def test_a_revisit_whose_original_lies_in_another_file_needs_that_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = written(tmp_path / "a.warc.gz", PAGE, replace(PAGE, url="http://a.cn/2"), most_bytes=1)
    assert len(RecordedWeb([second, first])) == 2
    with pytest.raises(ReplayError, match="no HTTP responses"):
        RecordedWeb([second])
    assert re.search(r"\b1 records", caplog.text)


def test_what_a_killed_crawl_leaves_is_readable_to_its_last_whole_record(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path / "a.warc.gz", ROOM, {})
    writer.write(PAGE)  # never closed
    writer.write(replace(PAGE, url="http://a.cn/2", body=b"other"))
    body = (tmp_path / "a.warc.gz").read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(body[:-600])
    assert len(RecordedWeb([tmp_path / "a.warc.gz"])) == 2
    assert len(RecordedWeb([tmp_path / "cut.warc.gz"])) == 1
    writer.close()


@pytest.mark.parametrize(
    ("name", "fault"), [("a.warc", r"a\.warc: .*\.warc\.gz"), ("file/a.warc.gz", strerror(EEXIST))]
)
def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path, name: str, fault: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReplayError, match=fault):
        WarcWriter(tmp_path / name, ROOM, {})


def test_a_made_up_web_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    html = [("Content-Type", "text/html; charset=gb18030")]
    pages = [
        ("http://a.cn/", 200, html, "基金".encode("gb18030")),
        ("http://a.cn/old", 301, [("Location", "/")], b""),
    ]
    for name in ("a.warc", "b.warc"):
        write_web(tmp_path / name, pages)
    assert (tmp_path / "a.warc").read_bytes() == (tmp_path / "b.warc").read_bytes()
    web = RecordedWeb([tmp_path / "a.warc"])
    page = web.response("http://a.cn/")
    assert page is not None
    assert (page.content_type, page.body.decode("gb18030")) == (html[0][1], "基金")
    assert web.find("http://a.cn/old").location == "http://a.cn/"
