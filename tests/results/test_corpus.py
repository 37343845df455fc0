"""A job as a corpus: rows by the names that data tools read, in their order, in shards, with a card that counts what was left out."""

import gzip
import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from message_facts import numbers

from topiccrawler.errors import ArgumentError
from topiccrawler.results.corpus import FIELDS, WHOLE, Shape, size_of, write_corpus
from topiccrawler.results.jobs import selection_of
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
from topiccrawler.zstandard import zstd

TEXT = (
    "基金定投是指在固定的时间以固定的金额投资到指定的开放式基金中。类似于银行的零存整取方式，适合没有时间打理的人。"
    * 4
)


def record(number: int, text: str = "", **known: Any) -> PageRecord:
    filled = {
        "relevance": 0.9,
        "language": "zh-Hans",
        "kind": "article",
        "opinion": "yes",
        "opinion_reason": "讲基金",
        "published": f"2024-05-0{number}",
        **known,
    }
    return PageRecord(
        url=f"http://a{number % 2}.cn/{number}",
        title=f"基金{number}",
        text=text,
        fetched=1_714_700_000.0,
        **filled,
    )


def write(
    place: Path, *records: PageRecord, shape: Shape = WHOLE, limit: int | None = None
) -> list[list[dict[str, Any]]]:
    """The rows of each shard."""
    write_corpus(records, place, lambda one: one.text, shape, limit=limit, about=["topic: 基金"])
    unpack: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".zst": zstd.decompress}
    bodies = [unpack.get(file.suffix, bytes)(file.read_bytes()) for file in sorted(place.glob("pages-*"))]
    return [[json.loads(line) for line in body.splitlines()] for body in bodies]


def test_a_row_has_the_fields_of_the_card_in_their_order(tmp_path: Path) -> None:
    place = tmp_path / "corpus"
    ((row,),) = write(place, record(1, "一行\n“二行”"))
    assert list(row) == list(FIELDS)
    assert row == {
        "id": "f8c00dd7226568ae",
        "url": "http://a1.cn/1",
        "title": "基金1",
        "text": "一行\n“二行”",
        "date": "2024-05-01",
        "language": "zh-Hans",
        "kind": "article",
        "score": 0.9,
        "opinion": "yes",
        "opinion_reason": "讲基金",
        "fetched": "2024-05-03T01:33:20+00:00",
        "usage": "unstated",
        "licence": "",
        "personal_data": "",
    }
    assert pd.read_json(place / "pages-00000.jsonl.gz", lines=True)["text"].tolist() == [row["text"]]
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize(
    ("compress", "ending"), [("gz", ".jsonl.gz"), ("zst", ".jsonl.zst"), ("none", ".jsonl")]
)
def test_shards_hold_whole_rows_in_order(tmp_path: Path, compress: str, ending: str) -> None:
    place = tmp_path / "corpus"
    records = [record(number, TEXT) for number in range(5)]
    shards = write(place, *records, shape=Shape(shard_bytes=2_000, compress=compress))
    assert [[row["url"] for row in rows] for rows in shards] == [
        [one.url for one in records[:2]],
        [one.url for one in records[2:4]],
        [records[4].url],
    ]
    names = [f"pages-0000{number}{ending}" for number in range(3)]
    assert sorted(file.name for file in place.iterdir()) == ["README.md", *names]
    again = tmp_path / "again"
    write(again, *records, shape=Shape(shard_bytes=2_000, compress=compress))
    assert all((place / name).read_bytes() == (again / name).read_bytes() for name in names)


def test_pages_without_text_and_on_request_near_copies_are_left_out_the_best_is_kept(tmp_path: Path) -> None:
    other = "银行贷款的利率由中国人民银行规定，各家银行可以在一定的范围里浮动，贷款的人要提供收入证明。" * 4
    records = [
        record(1, TEXT),
        record(2),
        record(3, f"{TEXT}转载。"),
        record(4, other, language="", published=""),
    ]
    (rows,) = write(tmp_path / "all", *records)
    assert [row["url"][-1] for row in rows] == ["1", "3", "4"]
    (rows,) = write(tmp_path / "once", *records, shape=Shape(no_copies=True))
    assert [row["url"][-1] for row in rows] == ["1", "4"]
    assert (rows[1]["language"], rows[1]["date"]) == ("und", records[3].day)
    (rows,) = write(tmp_path / "one", *records, limit=1)
    assert [row["url"][-1] for row in rows] == ["1"]
    card = (tmp_path / "once" / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"\n- 1 ", card)) == 2


def test_the_card_has_counts_sources_filters_and_the_licence(tmp_path: Path) -> None:
    place = tmp_path / "funds"
    write(place, record(1, TEXT), record(2, TEXT, language="zh-Hant"), record(3, TEXT, language="en"))
    lines = (place / "README.md").read_text(encoding="utf-8").splitlines()
    head, card = lines[: lines.index("# funds")], lines[lines.index("# funds") :]
    assert head[:3] == ["---", "license: unknown", 'language: ["en", "zh"]']
    assert numbers(card[2])[:3] == ["3", str(3 * len(TEXT)), "1"]
    headings = [line for line in card if line.startswith("## ")]
    assert headings == [
        f"## {name}"
        for name in (
            "Licence",
            "Use",
            "Personal data",
            "Second opinions",
            "Job and filters",
            "Fields",
            "Languages",
            "Sources",
        )
    ]
    assert "- topic: 基金" in card
    assert card[-2:] == ["| a1.cn | 2 |", "| a0.cn | 1 |"]


SAID = {
    1: {"usage": "train-ai=n; source=robots.txt", "licence": "CC-BY-4.0; source=JSON-LD"},
    2: {"usage": "search=y; source=robots.txt | tdm=n; source=tdmrep.json"},
    3: {"usage": "train-ai=y, search=n; source=header Content-Usage", "personal_data": "phone=2, email=1"},
    4: {
        "usage": "unstated",
        "licence": "CC0-1.0; url=https://a.cn/; source=JSON-LD",
        "personal_data": "phone=1",
    },
    5: {},
}


@pytest.mark.parametrize(
    ("usage", "written"),
    [("train-ai", [3, 4, 5]), ("train-ai=y", [3]), ("tdm", [1, 3, 4, 5]), ("search", [1, 2, 4, 5]), ("any", [1, 2, 3, 4, 5])],
)  # fmt: skip
def test_what_refuses_a_use_is_left_out_and_counted(usage: str, written: list[int], tmp_path: Path) -> None:
    records = [record(number, f"{number}. {TEXT}", **known) for number, known in SAID.items()]
    counts = write_corpus(records, tmp_path / "corpus", lambda one: one.text, WHOLE, usage=usage)
    lines = gzip.decompress((tmp_path / "corpus" / "pages-00000.jsonl.gz").read_bytes()).splitlines()
    assert [int(json.loads(line)["url"][-1]) for line in lines] == written
    assert (counts.written, counts.refused) == (len(written), len(SAID) - len(written))
    with job_of(tmp_path / "job.sqlite", records) as store:
        rows = store.best(selection_of(usage=usage))
        assert sorted(int(one.url[-1]) for row in rows if (one := store.at(row)) is not None) == written


def job_of(place: Path, records: list[PageRecord]) -> closing[PageStore]:
    store = PageStore(place)
    for one in records:
        store.put(one)
    return closing(store)


def test_the_card_counts_wishes_licences_and_personal_data(tmp_path: Path) -> None:
    records = [record(number, f"{number}. {TEXT}", **known) for number, known in SAID.items()]
    records.append(record(9, f"9. {TEXT}", opinion="", usage="search=y; source=robots.txt", licence="MIT"))
    write_corpus(records, tmp_path / "corpus", lambda one: one.text, WHOLE)
    card = (tmp_path / "corpus" / "README.md").read_text(encoding="utf-8")
    rows = {line for line in card.splitlines() if line.startswith("| ")}
    assert {"| CC0-1.0 | 1 |", "| unstated | 2 |", "| train-ai=y | 1 |", "| search=n | 1 |"} <= rows
    assert not any("tdm=" in row or "CC-BY" in row for row in rows)  # of pages that were left out
    assert "\n2 pages have some: 3 phone, 1 email.\n" in card
    assert "\n- 2 pages that refuse the use" in card
    assert "\nA language model called 3 of the pages about the topic;" in card


def test_no_page_is_a_card_alone(tmp_path: Path) -> None:
    assert write(tmp_path / "none", record(1)) == []
    assert "\n0 pages, 0 " in (tmp_path / "none" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", ["", "0", "-1MB", "1.5GB", "MB", "1TB", "1" * 20])
def test_what_is_no_size_is_refused(words: str) -> None:
    with pytest.raises(ArgumentError, match=r"--shard-size.*500MB or 1GB$"):
        size_of(words)


def test_a_failure_leaves_nothing_and_a_folder_with_files_is_not_touched(tmp_path: Path) -> None:
    def fail(_: PageRecord) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_corpus([record(1, TEXT)], tmp_path / "corpus", fail)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ArgumentError, match="--out"):
        write(tmp_path, record(1, TEXT))
    with pytest.raises(ArgumentError, match=r"--compress xz: .*\bgz, zst\b"):
        Shape(compress="xz")
