"""Training files: what is read, and the one line for what cannot be."""

import json
from errno import EISDIR, ENOENT
from os import strerror
from pathlib import Path
from typing import Any

import pytest
from message_facts import one_line

from topiccrawler.errors import LinksFileError
from topiccrawler.link_model.training.link_files import read_links
from topiccrawler.topics.labelled_texts import names_of, read_documents, read_headlines
from topiccrawler.topics.topic import Topic, make_topic


def topic(name: str = "finance", zh: str = "财经") -> Topic:
    also = {"sport": ["Sports", "运动"], "education": ["edu"]}.get(name, [])
    return make_topic({"name": name, "zh": zh, "also": also, "keywords": ["基金"]}, "test")


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_links_are_read_under_both_spellings_of_the_fields(tmp_path: Path) -> None:
    path = write(
        tmp_path / "l.jsonl",
        {
            "url": "http://A.example/x",
            "anchor": "基金",
            "left": "左",
            "right": "右",
            "label": 1,
            "source_url": "x",
        },
        {"url": "http://a.example/", "before": "前", "after": "后", "left": "no", "label": 0, "title": None},
    )
    first, second = read_links(path, topic(), "window")
    assert (first.link.before, first.link.after, first.link.host) == ("左", "右", "a.example")
    assert (first.positive, first.label, second.positive) == (True, "+", False)
    assert (second.link.before, second.link.after, second.link.title) == ("前", "后", "")


@pytest.mark.parametrize(
    ("row", "name", "expected"),
    [
        ({"label": "finance"}, "finance", [True]),
        ({"label": "财经"}, "finance", [True]),
        ({"label": "Sports"}, "sport", [True]),
        ({"label": "sports"}, "finance", [False]),
        ({"label": ""}, "finance", []),
        ({"label": None}, "finance", []),
        ({}, "finance", []),
        ({"label": "news", "fin": None}, "finance", []),
        ({"label": "news", "fin": 1}, "finance", [True]),
        ({"label": "news", "fin": 1}, "travel", [False]),
        ({"label": True}, "finance", [True]),
    ],
)
def test_labels_may_be_numbers_names_or_absent(
    tmp_path: Path, row: dict[str, Any], name: str, expected: list[bool]
) -> None:
    path = write(tmp_path / "l.jsonl", {"url": "http://a.example/", **row})
    read = read_links(path, topic(name, "财经" if name == "finance" else ""), "window")
    assert [item.positive for item in read] == expected


def test_a_topic_is_known_by_its_names_and_by_those_of_other_collections() -> None:
    assert {"education", "edu", "教育"} <= names_of(topic("education", "教育"))
    assert names_of(topic("mine", "")) == {"mine"}


def test_entities_that_a_page_left_in_a_document_are_no_words(tmp_path: Path) -> None:
    path = write(
        tmp_path / "d.jsonl", {"label": "edu", "title": "A&amp;B", "text": "文&nbsp;&ldquo;字&#8221;"}
    )
    (found,) = read_documents(path, topic("education", ""))
    assert (found.title, found.text) == ("A&B", "文\xa0“字”")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{\n", "line 1: .*JSON"),
        (b'{"url": "http://a/", "label": 1}\n[1]\n', "line 2: .*JSON"),
        (b"[" * 100_000, "line 1: .*JSON"),
        (b'{"url": 7, "label": 1}', r"\burl .*'7'"),
        (b'{"label": 2}', "line 1: .*'2'"),
        (b'{"label": [1]}', r"line 1: .*'\[1\]'"),
        (b'{"label": 1, "context": "dom"}', "--context dom"),
        (b'{"label": "\xff"}', "line 1: .*UTF-8"),
        (b"x" * 5_000_000, "line 1: .* 4000000 bytes"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, body: bytes, message: str) -> None:
    path = tmp_path / "l.jsonl"
    path.write_bytes(body)
    with pytest.raises(LinksFileError, match=one_line(message, begin=str(path))):
        list(read_links(path, topic(), "window"))


def test_bad_headlines_and_missing_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "h.tsv"
    path.write_text("name\ttext\n", encoding="utf-8")
    with pytest.raises(LinksFileError, match=r"h\.tsv, line 1: .*\blabel\b.*\btext\b"):
        list(read_headlines(path, topic()))
    path.write_text("label\ttext\na\n", encoding="utf-8")
    with pytest.raises(LinksFileError, match=r"line 2: .*1 .*2"):
        list(read_headlines(path, topic()))
    with pytest.raises(LinksFileError, match=strerror(EISDIR)):
        list(read_documents(tmp_path, topic()))
    with pytest.raises(LinksFileError, match=strerror(ENOENT)):
        list(read_links(tmp_path / "none", topic(), "window"))
