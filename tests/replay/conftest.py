"""Writes WARC files as crawlers write them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

# url -> body, or (status line, headers, body)
Pages = Mapping[str, "bytes | tuple[str, Mapping[str, str], bytes]"]


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """`record("a.warc.gz", {url: body, url: ("301 Moved", headers, body)})`: the path of a WARC file."""

    def write(name: str, *webs: Pages) -> Path:
        file = io.BytesIO()
        information = WarcRecord()
        information.init_headers(WarcRecordType.warcinfo)
        information.set_bytes_content(b"software: a test\r\n")
        records = [information]
        for url, page in [pair for web in webs for pair in web.items()]:
            status, headers, body = page if isinstance(page, tuple) else ("200 OK", {}, page)
            fields = "".join(
                f"{name}: {value}\r\n" for name, value in {"Content-Type": "text/html", **headers}.items()
            )
            response = WarcRecord()
            response.init_headers(WarcRecordType.response)
            response.headers["WARC-Target-URI"] = url
            response.headers["Content-Type"] = "application/http; msgtype=response"
            response.set_bytes_content(f"HTTP/1.1 {status}\r\n{fields}\r\n".encode() + body)
            records.append(response)
        for each in records:
            if name.endswith(".gz"):
                member = GzipWriter(file)
                each.write(member)
                member.close()
            else:
                each.write(file)
        path = tmp_path / name
        path.write_bytes(file.getvalue())
        return path

    return write
