"""What a recorded web answers, on files written here and on the shared webs."""

import gzip
import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from topiccrawler.errors import ReplayError
from topiccrawler.replay.warc import Found, RecordedWeb
from topiccrawler.urls.canonical import canonical

Record = Callable[..., Path]
GBK_PAGE = "<title>股票</title>".encode("gbk")


def body_of(web: RecordedWeb, url: str) -> bytes | None:
    response = web.response(url)
    return response.body if response else None


@pytest.mark.parametrize("name", ["web.warc", "web.warc.gz"])
def test_every_page_is_found_with_its_status_headers_and_bytes(record: Record, name: str) -> None:
    pages = {
        "http://a.cn/": b"home",
        "http://a.cn/gbk.html": ("200 OK", {"Content-Type": "text/html; charset=gbk"}, GBK_PAGE),
        "http://a.cn/gone": ("410 Gone", {}, b"gone"),
        "http://b.cn/empty": b"",
    }
    web = RecordedWeb([record(name, pages)])
    assert (len(web), list(web.urls())) == (4, list(pages))
    gbk = web.response("http://a.cn/gbk.html")
    assert (gbk.url, gbk.status, gbk.body) == ("http://a.cn/gbk.html", 200, GBK_PAGE)
    assert gbk.headers == [
        (b"Content-Type", b"text/html; charset=gbk"),
        (b"Content-Length", b"%d" % len(GBK_PAGE)),
    ]
    assert [body_of(web, url) for url in pages] == [b"home", GBK_PAGE, b"gone", b""]
    assert [web.find(url) for url in pages] == [Found(200), Found(200), Found(410), Found(200)]


def test_unknown_pages_of_a_known_host_are_404_and_unknown_hosts_502(record: Record) -> None:
    web = RecordedWeb([record("web.warc.gz", {"http://a.cn:8080/": b"x", "http://b.cn/": b"y"})])
    asked = [
        "http://b.cn/no",
        "http://b.cn/robots.txt",
        "http://a.cn:8080/no",
        "http://a.cn/",
        "http://c.cn/",
        "x",
        "",
    ]
    assert [web.find(url) for url in asked] == [Found(404)] * 3 + [Found(502)] * 4
    assert [web.response(url) for url in asked] == [None] * 7


def test_other_spellings_of_a_directory_move_to_the_recorded_one(record: Record) -> None:
    pages = {
        "http://a.cn/dir/": b"1",
        "http://a.cn/page.html": b"2",
        "http://a.cn/both": b"3",
        "http://a.cn/both/": b"4",
    }
    web = RecordedWeb([record("web.warc.gz", pages)])
    assert web.find("http://a.cn/dir") == Found(301, "http://a.cn/dir/")
    assert web.find("http://a.cn/page") == Found(301, "http://a.cn/page.html")
    assert web.find("http://a.cn/dir/index.html") == Found(301, "http://a.cn/dir/")
    assert web.find("http://a.cn/dir/index.shtml") == Found(301, "http://a.cn/dir/")
    assert web.find("http://a.cn/both") == Found(200)
    moved = web.response("http://a.cn/dir")
    assert (moved.status, moved.headers[0], moved.body) == (301, (b"Location", b"http://a.cn/dir/"), b"")


def test_a_file_of_aliases_beside_the_recording_is_obeyed(record: Record) -> None:
    path = record("web.warc.gz", {"http://a.cn/1": b"1"})
    lines = "http://a.cn/one\thttp://a.cn/1\nhttp://a.cn/two\thttp://a.cn/2\nnonsense\n"
    path.with_name("aliases.tsv").write_text(lines, encoding="utf-8")
    web = RecordedWeb([path])
    assert web.find("http://a.cn/one") == Found(301, "http://a.cn/1")
    assert web.find("http://a.cn/two") == Found(404)


def test_percent_encoding_case_port_user_and_fragment_make_no_difference(record: Record) -> None:
    web = RecordedWeb([record("web.warc.gz", {"http://A.cn/%e4%b8%ad?k=%d6%d0#top": b"x"})])
    spellings = [
        "http://a.cn/中?k=%D6%D0",
        "http://me@A.CN:80/%E4%B8%AD?k=%d6%d0#end",
        "HTTP://a.cn./%e4%b8%ad?k=%D6%d0",
    ]
    assert [body_of(web, url) for url in spellings] == [b"x"] * 3
    assert list(web.urls()) == ["http://A.cn/%e4%b8%ad?k=%d6%d0#top"]


def test_a_page_is_found_by_its_canonical_url_without_a_redirect(record: Record) -> None:
    pages = {
        "http://a.cn/dir/index.shtml": b"1",
        "http://a.cn/news?id=1&utm_source=b": b"2",
        "http://a.cn/tags/100%25": b"3",
        "http://b.cn": b"4",
    }
    web = RecordedWeb([record("web.warc.gz", pages)])
    assert [web.find(canonical(url) or "") for url in pages] == [Found(200)] * 4
    answers = [web.response(canonical(url) or "") for url in pages]
    assert [answer.url for answer in answers if answer] == [canonical(url) for url in pages]
    assert [answer.body for answer in answers if answer] == [b"1", b"2", b"3", b"4"]


def test_https_and_http_stand_for_each_other_unless_both_were_recorded(record: Record) -> None:
    web = RecordedWeb([record("web.warc.gz", {"http://a.cn/": b"1", "https://b.cn/x/": b"2"})])
    assert [body_of(web, "https://a.cn/"), body_of(web, "http://b.cn/x/")] == [b"1", b"2"]
    assert web.find("http://b.cn/x") == Found(301, "https://b.cn/x/")
    assert list(web.urls()) == ["http://a.cn/", "https://b.cn/x/"]

    to_https = ("301 Moved", {"Location": "https://c.cn/"}, b"")
    for pages in (
        {"http://c.cn/": to_https, "https://c.cn/": b"3"},
        {"https://c.cn/": b"3", "http://c.cn/": to_https},
    ):
        web = RecordedWeb([record("both.warc.gz", pages)])
        assert body_of(web, "https://c.cn/") == b"3"
        assert web.find("http://c.cn/") in (Found(301, "https://c.cn/"), Found(200))
        assert web.find("HTTPS://C.cn/").status == 200


@pytest.mark.parametrize(
    "url", ["https://a.cn/", "HTTP://A.cn/", "http://a.cn/%e4%b8%ad", "https://a.cn/v/#2"]
)
def test_the_first_of_several_records_counts_however_its_url_is_spelled(record: Record, url: str) -> None:
    web = RecordedWeb([record("web.warc.gz", {url: b"first"}, {url: b"second"}, {url: b"third"})])
    assert (list(web.urls()), body_of(web, url), body_of(web, canonical(url) or "")) == (
        [url],
        b"first",
        b"first",
    )


def test_records_that_differ_only_in_the_fragment_are_kept_apart_when_asked_for_exactly(
    record: Record,
) -> None:
    web = RecordedWeb([record("web.warc.gz", {"http://a.cn/v/": b"1", "http://a.cn/v/#2": b"2"})])
    assert [body_of(web, url) for url in ("http://a.cn/v/", "http://a.cn/v/#2", "http://a.cn/v/#3")] == [
        b"1",
        b"2",
        b"1",
    ]


def test_what_is_no_http_response_is_passed_over(tmp_path: Path) -> None:
    def written(url: str, block: bytes, kind: str = "application/http;msgtype=response") -> bytes:
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: {kind}\r\n"
        return f"{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"

    path = tmp_path / "odd.warc"
    path.write_bytes(
        written("dns:a.cn", b"1.2.3.4", "text/dns")
        + written("http://a.cn/no-head", b"nothing of HTTP")
        + written("http://a.cn/no-status", b"HTTP/1.0 fine\r\nA: b\r\n\r\nx")
        + written("ftp://a.cn/", b"HTTP/1.1 200 OK\r\n\r\nftp")
        + written("<http://a.cn/angles>", b"HTTP/1.1 200 OK\r\n\r\nyes")
        + written("http://a.cn/unix", b"HTTP/1.1 200 OK\nContent-Type: text/html\n\nyes too")
    )
    web = RecordedWeb([path])
    assert list(web.urls()) == ["http://a.cn/angles", "http://a.cn/unix"]
    assert [body_of(web, url) for url in web.urls()] == [b"yes", b"yes too"]


@pytest.mark.parametrize("name", ["cut.warc", "cut.warc.gz"])
def test_a_file_cut_off_gives_its_whole_records_and_says_so(
    record: Record, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = record(name, {f"http://a.cn/{n}": bytes(range(256)) * 20 for n in range(3)})
    path.write_bytes(path.read_bytes()[:-200])
    with caplog.at_level(logging.WARNING):
        web = RecordedWeb([path])
    assert list(web.urls()) == ["http://a.cn/0", "http://a.cn/1"]
    assert re.search(f"{re.escape(str(path))}: .* 2 responses", caplog.text)


def test_a_file_spoilt_in_the_middle_gives_what_comes_before(record: Record) -> None:
    path = record("spoilt.warc.gz", {f"http://a.cn/{n}": b"page" * 500 for n in range(20)})
    spoilt = bytearray(path.read_bytes())
    middle = len(spoilt) // 2
    spoilt[middle : middle + 40] = b"U" * 40
    path.write_bytes(bytes(spoilt))
    web = RecordedWeb([path])
    assert 5 < len(web) < 15
    assert {body_of(web, url) for url in web.urls()} == {b"page" * 500}


@pytest.mark.parametrize(
    "content", [b"", b"<html>no WARC</html>" * 50, b"\x1f\x8b\x08 broken", gzip.compress(b"text", mtime=0)]
)
def test_a_file_without_a_response_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no.warc.gz"
    path.write_bytes(content)
    with pytest.raises(ReplayError, match=r"no\.warc\.gz"):
        RecordedWeb([path])


def test_a_file_that_changes_under_the_reader_is_an_error_not_a_wrong_page(record: Record) -> None:
    path = record("web.warc.gz", {"http://a.cn/": b"x" * 1000})
    web = RecordedWeb([path])
    path.write_bytes(b"\0" * 2000)
    with pytest.raises(ReplayError, match=r"byte \d+"):
        web.response("http://a.cn/")


@pytest.mark.parametrize("name", ["blogs", "portal"])
def test_every_url_of_a_shared_web_answers_with_its_bytes_and_by_its_canonical_form(
    shared: Path, name: str
) -> None:
    web = RecordedWeb([shared / name / "pages.warc.gz"])
    lines = (shared / name / "index.tsv").read_text("utf-8").splitlines()
    wrong: list[str] = []
    with (shared / name / "pages.warc.gz").open("rb") as file:
        for line in lines:
            url, _, _, offset, length = line.split("\t")
            file.seek(int(offset))
            stored = (
                gzip.decompress(file.read(int(length))).split(b"\r\n\r\n", 2)[2].removesuffix(b"\r\n\r\n")
            )
            if body_of(web, url) != stored or web.find(canonical(url) or "") != Found(200):
                wrong.append(url)
    assert len(web) == len(lines)
    assert wrong == []
