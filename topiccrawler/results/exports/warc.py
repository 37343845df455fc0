"""WARC: the texts of the pages as `conversion` records, for archives' tools. What was fetched itself is written by WARC_OUT."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from fastwarc.warc import WarcRecordType

from topiccrawler.replay.writing import iso, new_record, put
from topiccrawler.results.exports.fields import plain
from topiccrawler.store.pages import PageRecord


def write(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Two records a page: its text, and as `metadata` all else that is known of it, in JSON."""
    info = b"software: topiccrawler\r\nformat: WARC File Format 1.1\r\ndescription: texts of the pages a crawl has kept\r\n"
    put(out, new_record(WarcRecordType.warcinfo, info, "application/warc-fields"))
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        date = iso(record.fetched)
        text = new_record(
            WarcRecordType.conversion, record.text.encode(), "text/plain; charset=utf-8", record.url, date
        )
        known = {name: value for name, value in plain(record).items() if name != "text"}
        about = new_record(
            WarcRecordType.metadata,
            json.dumps(known, ensure_ascii=False).encode(),
            "application/json",
            record.url,
            date,
        )
        about.headers["WARC-Refers-To"] = text.headers["WARC-Record-ID"]
        put(out, text)
        put(out, about)
    return count
