"""Parquet: for pandas, DuckDB, Spark. Needs pyarrow (`pip install pyarrow`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from topiccrawler.errors import ArgumentError
from topiccrawler.results.exports.fields import NAMES, plain
from topiccrawler.store.pages import PageRecord

ROWS = 1_000  # of a row group: what is in memory at once
_NUMBERS = {"relevance": "float64", "score": "float64", "depth": "int32", "status": "int32"}


def write(records: Iterator[PageRecord], out: BinaryIO) -> int:
    """Write a batch of pages at a time; `fetched` becomes a time, `media` stays JSON."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise ArgumentError(
            "--format parquet", "needs pyarrow", "give the command: pip install pyarrow"
        ) from None
    kinds = {name: pa.type_for_alias(_NUMBERS.get(name, "string")) for name in NAMES}
    schema = pa.schema([*(kinds | {"fetched": pa.timestamp("ms", tz="UTC")}).items()])
    count = 0
    with ParquetWriter(out, schema, compression="zstd") as file:
        while rows := [plain(record) for record in islice(records, ROWS)]:
            for row in rows:
                row["fetched"] = int(row["fetched"] * 1000)
                row["media"] = json.dumps(row["media"], ensure_ascii=False) if row["media"] else ""
            file.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count
