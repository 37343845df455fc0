"""CSV for a spreadsheet: opens in Excel with Chinese whole, and no cell is a formula.

Excel takes a file without a byte order mark for the system's own charset. Spreadsheets evaluate a cell of text that begins with = + - @ (or with
these in full width, where the system's language has them), a tab or a line end; such a text gets an apostrophe before it.
Control characters, which would steer a terminal that shows the file, are left out.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from topiccrawler.results.exports.fields import NAMES, plain
from topiccrawler.store.pages import PageRecord

_STEERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_EVALUATED = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


def write(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write page by page, under a line of names."""
    text = io.TextIOWrapper(out, encoding="utf-8-sig", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(NAMES)
    count = 0
    for count, record in enumerate(records, start=1):  # noqa: B007
        found = plain(record)
        found["media"] = json.dumps(found["media"], ensure_ascii=False) if found["media"] else ""
        rows.writerow([inert(found[name]) for name in NAMES])
    text.detach()
    return count


def inert(value: object) -> object:
    """A cell that no spreadsheet evaluates; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    text = _STEERS.sub("", value)
    return f"'{text}" if text.startswith(_EVALUATED) else text
