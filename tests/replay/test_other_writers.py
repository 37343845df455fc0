"""WARC and ARC files as other programs write them: what is in them is replayed, or one line says what was left out."""

import gzip
import logging
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from topiccrawler.errors import ReplayError
from topiccrawler.replay.warc import Found, RecordedWeb

PAGE = "<title>基金定投</title><p>长期坚持的人收益如何".encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
A1 = {"WARC-Record-ID": "<urn:uuid:1>", "WARC-Payload-Digest": "sha1:A1"}


def record(
    url: str,
    block: bytes = HEAD + PAGE,
    kind: str = "response",
    fields: Mapping[str, str] = A1,
    form: str = "",
) -> bytes:
    """One record; `form`: its Content-Type."""
    head = {
        "WARC-Type": kind, "WARC-Date": "2024-03-05T00:00:00Z", "WARC-Target-URI": url, **fields,
        "Content-Type": form or "application/http; msgtype=response", "Content-Length": str(len(block)),
    }  # fmt: skip
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return f"WARC/1.0\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"


def revisit(url: str, block: bytes = HEAD, **fields: str) -> bytes:
    names = {name.replace("_", "-"): value for name, value in fields.items()}
    return record(url, block, "revisit", {"WARC-Record-ID": f"<urn:uuid:{url}>", **names})


def members(*records: bytes) -> bytes:
    return b"".join(map(gzip.compress, records))


@pytest.fixture
def replayed(tmp_path: Path) -> Callable[..., RecordedWeb]:
    def replay(*files: bytes, name: str = "web.warc") -> RecordedWeb:
        paths = [tmp_path / f"{number}-{name}" for number in range(len(files))]
        for path, content in zip(paths, files, strict=True):
            path.write_bytes(content)
        return RecordedWeb(paths)

    return replay


def bodies(web: RecordedWeb) -> dict[str, bytes | None]:
    return {url: answer.body if (answer := web.response(url)) else None for url in web.urls()}


@pytest.mark.parametrize(
    "fields",
    [
        {"WARC_Refers_To": "<urn:uuid:1>"},
        {"WARC_Refers_To": "urn:uuid:1"},
        {"WARC_Payload_Digest": "sha1:A1"},
        {"WARC_Payload_Digest": "SHA-1:a1"},
        {"WARC_Refers_To_Target_URI": "http://a.cn/1"},
        {"WARC_Refers_To_Target_URI": "http://A.cn:80/1", "WARC_Refers_To_Date": "2024-03-05T00:00:00Z"},
        {"WARC_Refers_To": "<urn:uuid:gone>", "WARC_Payload_Digest": "sha1:A1"},
        {"WARC_Refers_To_Target_URI": "http://gone.cn/", "WARC_Payload_Digest": "sha1:A1"},
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
def test_a_revisit_has_the_body_of_the_record_it_names_in_any_way(
    replayed: Callable[..., RecordedWeb], fields: Mapping[str, str], first: bool
) -> None:
    names = {name.replace("_", "-"): value for name, value in fields.items()}
    files = record("http://a.cn/1"), record("http://b.cn/2", HEAD, "revisit", names)
    web = replayed(*(files if first else files[::-1]))
    assert bodies(web) == {"http://a.cn/1": PAGE, "http://b.cn/2": PAGE}


def test_a_revisit_has_the_body_of_the_date_that_it_names(replayed: Callable[..., RecordedWeb]) -> None:
    early = {"WARC-Record-ID": "<urn:uuid:1>", "WARC-Date": "2023-01-01T00:00:00Z"}
    late = {"WARC-Record-ID": "<urn:uuid:2>", "WARC-Date": "2024-01-01T00:00:00Z"}
    named = {"WARC_Refers_To_Target_URI": "http://a.cn/1", "WARC_Refers_To_Date": "2024-01-01T00:00:00Z"}
    web = replayed(
        record("http://a.cn/1", HEAD + b"early", fields=early)
        + record("http://a.cn/1", HEAD + b"late", fields=late)
        + revisit("http://a.cn/2", **named)
    )
    assert bodies(web) == {"http://a.cn/1": b"early", "http://a.cn/2": b"late"}


def test_what_a_revisit_does_not_say_is_that_of_the_original(replayed: Callable[..., RecordedWeb]) -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n"
    web = replayed(
        record("http://a.cn/1")
        + record("http://a.cn/moved", moved, fields={"WARC-Record-ID": "<urn:uuid:2>"})
        + revisit("http://a.cn/empty", b"", WARC_Refers_To="<urn:uuid:1>")
        + revisit("http://a.cn/304", b"HTTP/1.1 304 Not Modified\r\n\r\n", WARC_Refers_To="<urn:uuid:1>")
        + revisit("http://b.cn/x", b"", WARC_Refers_To="<urn:uuid:2>")
    )
    assert web.find("http://a.cn/empty") == web.find("http://a.cn/304") == Found(200)
    assert web.find("http://b.cn/x") == Found(302, "http://b.cn/there")
    empty = web.response("http://a.cn/empty")
    assert (empty.status, empty.body) == (200, PAGE)
    assert (b"Content-Type", b"text/html; charset=utf-8") in empty.headers


@pytest.mark.parametrize(
    "line",
    ["http/1.1 200 OK", "HTTP/2 200", "h2 200", "HTTP/1.1 200", "HTTP/1.1  200 OK", "h3 200", "ICY 200 OK"],
)
def test_status_lines(replayed: Callable[..., RecordedWeb], line: str) -> None:
    web = replayed(record("http://a.cn/1", HEAD.replace(b"HTTP/1.1 200 OK", line.encode()) + PAGE))
    assert (web.find("http://a.cn/1"), bodies(web)) == (Found(200), {"http://a.cn/1": PAGE})


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title], ids=["lower", "upper", "title"])
def test_names_of_fields_in_any_case(
    replayed: Callable[..., RecordedWeb], spell: Callable[[str], str], pack: Callable[[bytes], bytes]
) -> None:
    def spelled(one: bytes) -> bytes:
        head, _, block = one.partition(b"\r\n\r\n")
        lines = [line.partition(": ") for line in head.decode().split("\r\n")]
        return "\r\n".join(spell(n) + c + v if c else n for n, c, v in lines).encode() + b"\r\n\r\n" + block

    information = spelled(record("", b"software: x", "warcinfo", form="application/warc-fields"))
    records = [information, *(spelled(record(f"http://a.cn/{n}", HEAD + PAGE * n)) for n in (1, 2, 3))]
    web = replayed(b"".join(map(pack, records)))
    assert bodies(web) == {f"http://a.cn/{n}": PAGE * n for n in (1, 2, 3)}


@pytest.mark.parametrize("kind", ["RESPONSE", "Response"])
@pytest.mark.parametrize("form", ["application/http", "Application/HTTP; msgtype=response", "text/html"])
def test_types_in_any_case(replayed: Callable[..., RecordedWeb], kind: str, form: str) -> None:
    assert bodies(replayed(record("http://a.cn/1", kind=kind, form=form))) == {"http://a.cn/1": PAGE}


def test_lines_that_end_with_lf_only(replayed: Callable[..., RecordedWeb]) -> None:
    pages = {f"http://a.cn/{n}": PAGE * n for n in (1, 2)}
    records = (record(url, HEAD.replace(b"\r", b"") + body) for url, body in pages.items())
    assert bodies(replayed(b"".join(one.replace(b"\r\n", b"\n") for one in records))) == pages


def odd_members(*records: bytes) -> bytes:
    """gzip members that end in the middle of records."""
    whole = b"".join(records)
    return members(*(whole[begin : begin + 700] for begin in range(0, len(whole), 700)))


@pytest.mark.parametrize(
    "pack",
    [
        lambda *records: gzip.compress(b"".join(records)),
        lambda first, *records: members(first, b"".join(records)),
        lambda first, second, *records: members(first + second, *records),
        lambda first, second, *records: members(first + second, b"".join(records)),
        odd_members,
    ],
    ids=["one member", "one and many", "two and one each", "two and many", "members anywhere"],
)
@pytest.mark.parametrize("with_requests", [False, True])
def test_records_that_share_gzip_members(
    replayed: Callable[..., RecordedWeb], pack: Callable[..., bytes], with_requests: bool
) -> None:
    pages = {f"http://a.cn/{n}": bytes(range(n, 200)) * 3 for n in range(8)}
    records = []
    for number, (url, body) in enumerate(pages.items()):
        if with_requests:
            asked = {"WARC-Record-ID": f"<urn:uuid:request-{number}>"}
            records.append(
                record(url, b"GET / HTTP/1.1\r\n\r\n", "request", asked, "application/http; msgtype=request")
            )
        records.append(record(url, HEAD + body, fields={"WARC-Record-ID": f"<urn:uuid:{number}>"}))
    records.append(revisit("http://b.cn/", WARC_Refers_To="<urn:uuid:7>"))
    web = replayed(pack(*records), record("http://c.cn/"), name="web.warc.gz")
    assert bodies(web) == {**pages, "http://b.cn/": pages["http://a.cn/7"], "http://c.cn/": PAGE}


def test_one_member_that_is_cut_off_gives_its_whole_records(
    replayed: Callable[..., RecordedWeb], caplog: pytest.LogCaptureFixture
) -> None:
    whole = gzip.compress(
        b"".join(record(f"http://a.cn/{n}", HEAD + bytes(range(256)) * 20) for n in range(50))
    )
    with caplog.at_level(logging.WARNING):
        web = replayed(whole[: len(whole) // 2], name="cut.warc.gz")
    assert 10 < len(web) < 40
    assert set(bodies(web).values()) == {bytes(range(256)) * 20}
    assert f"the {len(web)} responses before are used" in caplog.text


def test_a_resource_is_a_page_and_what_is_left_out_is_said(
    replayed: Callable[..., RecordedWeb], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        web = replayed(
            record("http://a.cn/r", PAGE, "resource", form="text/html; charset=utf-8")
            + record("http://a.cn/r", "基金".encode(), "conversion", form="text/plain")
            + record("http://a.cn/c", b"the rest", "continuation")
            + record("http://a.cn/n", b"no head")
            + record("urn:text:http://a.cn/", b"text", "resource", form="text/plain")
            + record("http://a.cn/new", b"x", "novelty")
        )
    found = web.response("http://a.cn/r")
    assert (found.status, found.body) == (200, PAGE)
    assert (b"Content-Type", b"text/html; charset=utf-8") in found.headers
    assert list(web.urls()) == ["http://a.cn/r"]
    [said] = caplog.messages
    assert said.endswith(
        "0-web.warc: left out: 1 conversion records, which are no responses, 1 continuation records, parts of split"
        " responses, 1 records without the head of an HTTP response"
    )


def arc(url: str, block: bytes, version: int = 1) -> bytes:
    """One ARC record."""
    place = "127.0.0.1 20040305000000 text/html"
    place = place if version == 1 else f"{place} 200 - - 0 web.arc"
    return f"{url} {place} {len(block)}\n".encode() + block + b"\n"


ARC_HEAD = {
    version: arc(
        "filedesc://web.arc",
        f"{version} 0 test\nURL IP-address Archive-date Content-type Archive-length\n".encode(),
    )
    for version in (1, 2)
}


@pytest.mark.parametrize(
    "pack", [lambda *all_: b"".join(all_), members, lambda *all_: gzip.compress(b"".join(all_))]
)
def test_arc_files(replayed: Callable[..., RecordedWeb], pack: Callable[..., bytes]) -> None:
    moved = b"HTTP/1.0 301 Moved\r\nLocation: /1\r\n\r\n"
    web = replayed(
        pack(
            ARC_HEAD[1],
            arc("http://a.cn/1", HEAD + PAGE),
            arc("http://a.cn/old", moved),
            arc("dns:a.cn", b"127.0.0.1"),
            arc("http://a.cn/gbk", b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n" + "基金".encode("gbk")),
        ),
        name="web.arc.gz",
    )
    assert bodies(web) == {
        "http://a.cn/1": PAGE,
        "http://a.cn/old": b"",
        "http://a.cn/gbk": "基金".encode("gbk"),
    }
    assert web.find("http://a.cn/old") == Found(301, "http://a.cn/1")


def test_an_arc_file_cut_off_gives_its_whole_records(
    replayed: Callable[..., RecordedWeb], caplog: pytest.LogCaptureFixture
) -> None:
    whole = ARC_HEAD[1] + b"".join(arc(f"http://a.cn/{n}", HEAD + PAGE * 9) for n in range(4))
    with caplog.at_level(logging.WARNING):
        web = replayed(whole[:-50], name="cut.arc")
    assert bodies(web) == {f"http://a.cn/{n}": PAGE * 9 for n in range(3)}
    assert "cut off; the 3 responses before are used" in caplog.text


def test_an_arc_file_without_a_response_is_an_error(replayed: Callable[..., RecordedWeb]) -> None:
    with pytest.raises(ReplayError, match=r"0-no\.arc"):
        replayed(ARC_HEAD[1] + b"rubbish", name="no.arc")
