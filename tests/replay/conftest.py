"""Writes WARC files as crawlers write them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fastwarc.warc import WarcRecordType

from topiccrawler.replay.warc_writing import RESPONSE, new_record, put

# url -> body, or (status line, headers, body)
Pages = Mapping[str, "bytes | tuple[str, Mapping[str, str], bytes]"]


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """`record("a.warc.gz", {url: body, url: ("301 Moved", headers, body)})`: the path of a WARC file."""

    def write(name: str, *webs: Pages) -> Path:
        path = tmp_path / name
        with path.open("wb") as file:
            write_record = put if name.endswith(".gz") else lambda to, record: record.write(to)
            write_record(
                file, new_record(WarcRecordType.warcinfo, b"software: a test\r\n", "application/warc-fields")
            )
            for url, page in [pair for web in webs for pair in web.items()]:
                status, headers, body = page if isinstance(page, tuple) else ("200 OK", {}, page)
                fields = {"Content-Type": "text/html", **headers}
                head = "".join(f"{field}: {value}\r\n" for field, value in fields.items())
                block = f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body
                write_record(file, new_record(WarcRecordType.response, block, RESPONSE, url))
        return path

    return write
