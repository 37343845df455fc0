"""Each format holds the pages it was given, whole, and nothing in it that acts."""

import csv
import io
import json
import re
import sys
from datetime import date

import pytest
import yaml
from markdown_it import MarkdownIt
from pyarrow.parquet import read_table

from topiccrawler.errors import ArgumentError
from topiccrawler.results.corpus import row_of
from topiccrawler.results.exports import format_of
from topiccrawler.results.formats import markdown_page, write_csv, write_jsonl, write_markdown, write_parquet
from topiccrawler.store.pages import PageRecord


def written(write: object, *records: PageRecord) -> bytes:
    out = io.BytesIO()
    assert write(iter(records), out) == len(records)  # type: ignore[operator]
    return out.getvalue()


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", '=HYPERLINK("http://x")', "\0=1"]
)
def test_no_cell_of_a_csv_is_a_formula(text: str) -> None:
    body = written(write_csv, PageRecord(url="http://a.cn/", title=text, anchor=text)).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(body, newline=""))
    assert row["title"] == row["anchor"] == "'" + text.replace("\0", "")


@pytest.mark.parametrize(
    ("words", "out", "name"),
    [
        ("csv", None, "csv"),
        (None, "a.JSONL", "jsonl"),
        ("csv", "a.jsonl", "csv"),
        (None, "a.csv", "csv"),
        (None, "a.jsonl.zst", "jsonl"),
        (None, "a.md", "markdown"),
        (None, "a.graphml.gz", "graphml"),
    ],
)
def test_the_format_is_the_one_asked_for_else_the_files(
    words: str | None, out: str | None, name: str
) -> None:
    assert format_of(words, out) == name


def test_what_is_no_format_is_refused() -> None:
    for words, out, fault in [
        (None, "a.docx", "^--out a.docx: "),
        (None, "a.parquet.gz", "^--out a.parquet.gz: "),  # would be no gzip file
        (None, "a.warc.gz", "^--out a.warc.gz: "),
        (None, None, "^--format: "),
        ("xls", None, "^--format xls: "),
        ("parquet", None, "^--format parquet: .*--out"),
    ]:
        with pytest.raises(ArgumentError, match=fault):
            format_of(words, out)


def test_parquet_without_its_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ArgumentError, match=r"--format parquet.*pip install pyarrow$"):
        written(write_parquet, PageRecord(url="http://a.cn/1"))


TITLES = [
    "基金：定投 Ａ", "fund: what? - 'a' #1", 'the "best" fund \\ 基金', "two\nlines\u2028of\x85a\ttitle",
    "--- [x]: {y} & *z* !tag | > % @ `", "yes", "2024-05-03", "\ufeff基金 😀", "",
]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_the_head_of_markdown_is_yaml_and_the_title_its_heading(title: str) -> None:
    page = PageRecord(
        url="http://a.cn/1", title=title, text="一行", keywords="基金: 定投, #股票", description="a: b\n- c", language="zh-Hans",
        relevance=0.51239, published="2024-05-03", kind="article",
    )  # fmt: skip
    written = markdown_page(page, "一行").decode()
    before, head, body = re.split(r"^---$\n", written, maxsplit=2, flags=re.MULTILINE)
    one_line = " ".join(title.replace("\x85", "").split())
    expected = {"title": one_line, "url": page.url, "language": "zh-Hans", "kind": "article", "score": 0.5124}
    expected |= {"description": "a: b - c", "keywords": page.keywords, "date": date(2024, 5, 3)}
    assert yaml.safe_load(head) == {name: value for name, value in expected.items() if value}
    tokens = MarkdownIt().parse(body)
    heading = [(token.tag, token.type) for token in tokens[:1]]
    assert (before, heading) == ("", [("h1", "heading_open") if one_line else ("p", "paragraph_open")])
    if one_line:
        assert "".join(child.content for child in tokens[1].children or []) == one_line


def test_a_heading_that_the_text_has_is_not_repeated_and_no_day_is_made_up() -> None:
    page = PageRecord(url="http://a.cn/1", title="基金", text="一行", published="last week")
    written = markdown_page(page, "# 基金\n\n一行").decode()
    assert written.count("# 基金") == 1
    assert "date:" not in written


CONTROLS = "基\x00金\x1b[31m\x9d\uffff定\u00ad投\n"


def test_no_export_has_control_characters() -> None:
    page = PageRecord(url="http://a.cn/", title=CONTROLS, text=CONTROLS, author=CONTROLS)
    plain = "基金[31m定\u00ad投\n"
    (row,) = map(json.loads, written(write_jsonl, page).splitlines())
    assert [row[name] for name in ("title", "text", "author")] == [plain] * 3
    table = read_table(io.BytesIO(written(write_parquet, page))).to_pylist()
    assert [table[0][name] for name in ("title", "text", "author")] == [plain] * 3
    assert [row_of(page, CONTROLS)[name] for name in ("title", "text")] == [plain] * 2
    markdown = io.BytesIO()
    write_markdown(iter([page]), markdown, lambda record: record.text)
    assert "\\u001b" not in markdown.getvalue().decode()
