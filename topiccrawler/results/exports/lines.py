"""JSONL: one page a line, as a feed (-o FILE.jsonl) has them, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from topiccrawler.results.exports.fields import plain
from topiccrawler.store.pages import PageRecord


def write(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write page by page."""
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        out.write(json.dumps(plain(record), ensure_ascii=False).encode() + b"\n")
    return count
