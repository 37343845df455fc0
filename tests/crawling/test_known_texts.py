"""Texts of an earlier job or corpus are known again, exactly and nearly, whatever form they are in."""

import csv
import gzip
import json
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pytest
from page_records import PAGE
from postgresql_server import PostgresqlServer
from pyarrow import parquet

from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.crawling.job_files import JobFiles, write_recipe
from topiccrawler.crawling.known_texts import KnownTexts
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import ArgumentError
from topiccrawler.zstandard import zstd

SHORT = "基金净值今日上涨，投资者信心增强。"
LONG = "".join(
    f"第{number}周的市场行情报告指出，{fund}的收益率上升了{number % 7}个百分点，投资者因此更看重风险。"
    for number, fund in enumerate(("股票基金", "货币基金", "债券", "黄金", "理财产品", "保险资金") * 4)
)
NEARLY = LONG.replace("第3周", "第三周").replace("第9周", "第九周") + "（编辑：张三）"
OTHER = (
    LONG.replace("收益率", "成交量")
    .replace("百分点", "亿元")
    .replace("投资者", "分析师")
    .replace("风险", "流动性")
)
TEXTS = (SHORT, LONG)


def rows() -> list[dict[str, str]]:
    return [{"url": f"http://a.cn/{number}", "text": text} for number, text in enumerate(TEXTS)]


def as_jsonl(place: Path) -> Path:
    body = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows()).encode()
    packed = {".gz": gzip.compress, ".zst": zstd.compress}.get(place.suffix, bytes)
    place.write_bytes(packed(body))
    return place


def as_csv(place: Path) -> Path:
    with place.open("w", encoding="utf-8-sig", newline="") as out:
        table = csv.DictWriter(out, ["url", "text"])
        table.writeheader()
        table.writerows(rows())
    return place


def as_parquet(place: Path) -> Path:
    parquet.write_table(pa.Table.from_pylist(rows()), place)
    return place


def as_job(place: Path) -> Path:
    files = JobFiles(place)
    for row in rows():
        files.keep(replace(PAGE, **row))
    files.keep(replace(PAGE, url="http://a.cn/off", text=OTHER, stored=False))
    files.close()
    return place


def as_folder(place: Path) -> Path:
    (place / "shards").mkdir(parents=True)
    as_jsonl(place / "shards" / "pages-00000.jsonl.gz")
    (place / "README.md").write_text(OTHER, encoding="utf-8")
    (place / "shards" / "single.txt").write_text(SHORT, encoding="utf-8")
    return place


SOURCES = pytest.mark.parametrize(
    ("make", "name"),
    [
        (as_jsonl, "a.jsonl"),
        (as_jsonl, "a.jsonl.gz"),
        (as_jsonl, "a.jsonl.zst"),
        (as_csv, "语料.csv"),
        (as_parquet, "a.parquet"),
        (as_job, "job"),
        (as_folder, "folder"),
    ],
)


@SOURCES
def test_the_texts_of_each_source_are_known_exactly_and_nearly(
    make: Callable[[Path], Path], name: str, tmp_path: Path
) -> None:
    known = KnownTexts.of(make(tmp_path / name), tmp_path / "new")
    asked = (
        SHORT,
        f" {SHORT[:9]} \n {SHORT[9:]} ",
        LONG,
        NEARLY,
        SHORT + "昨日下跌。",
        OTHER,
        LONG[:300],
        "",
    )
    assert [known.has(text) for text in asked] == [True, True, True, True, False, False, False, False]
    assert len(known) == 2


def test_a_source_is_read_once_until_it_changes(tmp_path: Path) -> None:
    source, job = as_jsonl(tmp_path / "a.jsonl"), tmp_path / "new"
    assert len(KnownTexts.of(source, job)) == 2
    before = source.stat()
    source.write_bytes(b" " * before.st_size)  # nothing to read, and neither size nor time says so
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert KnownTexts.of(source, job).has(LONG)
    source.write_text(json.dumps({"text": OTHER}), encoding="utf-8")
    again = KnownTexts.of(source, job)
    assert (again.has(LONG), again.has(OTHER), job.exists()) == (False, True, False)


def test_fingerprints_that_cannot_be_beside_their_source_are_in_the_job(tmp_path: Path) -> None:
    source, job = as_jsonl(tmp_path / "a.jsonl"), tmp_path / "new"
    (tmp_path / "a.jsonl.fingerprints").mkdir()
    KnownTexts.of(source, job)
    before = source.stat()
    source.write_bytes(b" " * before.st_size)
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert KnownTexts.of(source, job).has(LONG)


def test_damaged_fingerprints_are_made_again(tmp_path: Path) -> None:
    source = as_jsonl(tmp_path / "a.jsonl")
    kept = tmp_path / "a.jsonl.fingerprints"
    kept.write_bytes(b"PK\x03\x04 half")
    assert KnownTexts.of(source, tmp_path / "new").has(LONG)
    with np.load(kept) as found:
        state, digests, bits = (found[name] for name in ("state", "digests", "bits"))
    for spoiled in ((digests, bits[:, 1:]), (digests[:, None], bits), (digests.astype("f8"), bits)):
        with kept.open("wb") as file:
            np.savez(file, state=state, digests=spoiled[0], bits=spoiled[1])
        assert KnownTexts.of(source, tmp_path / "new").has(LONG)


def test_texts_of_a_job_in_postgresql_are_known_and_those_that_it_gets_later(
    postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    name, address, job = uuid4().hex, postgresql_server.url(), tmp_path / "job"
    job.mkdir()
    write_recipe(Recipe("finance", store=address, store_job=name), job)
    with closing(PostgresPages(Session(address), name)) as pages:
        pages.put(replace(PAGE, url="http://a.cn/1", text=LONG))
        pages.commit()
        known = [KnownTexts.of(job, tmp_path / "new").has(text) for text in (LONG, OTHER)]
        pages.put(replace(PAGE, url="http://a.cn/2", text=OTHER))
        pages.commit()
        later = [KnownTexts.of(job, tmp_path / "new").has(text) for text in (LONG, OTHER)]
    assert (known, later) == ([True, False], [True, True])
    with pytest.raises(ArgumentError, match="export the pages of a job that is only on a server"):
        KnownTexts.of(tmp_path / name, tmp_path / "new")


def test_a_job_does_not_know_its_own_texts(tmp_path: Path) -> None:
    jobs = tmp_path / "jobs"
    own = as_job(jobs / "own")
    as_folder(jobs / "earlier")
    files = JobFiles(own)
    files.keep(replace(PAGE, url="http://a.cn/own", text=OTHER))
    files.close()
    known = KnownTexts.of(jobs, own)
    assert (known.has(LONG), known.has(OTHER)) == (True, False)


@pytest.mark.parametrize(
    ("name", "body", "fault"),
    [
        ("missing.jsonl", None, "cannot be read"),
        ("a.doc", b"text", "ends with no known format"),
        ("a.jsonl", b'{"title": "x"}\n', "has no texts"),
        ("a.jsonl", b"{", "cannot be read: a.jsonl: "),
        ("a.jsonl.gz", b"no gzip", "cannot be read"),
        ("a.zst.jsonl.zst", b"no zstd", "cannot be read"),
        ("a.csv", b"url,title\nx,y\n", "has no texts"),
        ("a.csv", b"text\n\xff\xfe\n", "is not UTF-8"),
        ("a.parquet", b"PAR1 no parquet", "cannot be read"),
    ],
)
def test_a_source_that_cannot_be_read_is_one_line(
    name: str, body: bytes | None, fault: str, tmp_path: Path
) -> None:
    source = tmp_path / name
    if body is not None:
        source.write_bytes(body)
    with pytest.raises(
        ArgumentError, match=f"^argument -a known={source}: {fault}.*; (name a job's folder|save it as UTF-8)"
    ):
        KnownTexts.of(source, tmp_path / "new")
