"""Reads texts that are labelled with a topic: headlines and documents.

The files come from many sources and name the topic in their own words. A bad line is reported with its number.

Headlines   tab-separated with a header that names at least `label` and `text`; a column `source` names the collection.
Documents   JSON lines with `label`, `title`, `text`, and optionally `url`; HTML entities left in a text (&nbsp;) are decoded.
A label is positive when it is the topic's name, its Chinese name, or another of its names; any other label is negative; a line
without a label is not a sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from topiccrawler.errors import LinksFileError, file_faults
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import canonical, host_of

LONGEST_LINE_BYTES = 4_000_000
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A labelled headline (title only) or document."""

    title: str
    text: str
    positive: bool
    label: str
    source: str


def names_of(topic: Topic) -> frozenset[str]:
    """All labels that mean this topic, in lower case."""
    return frozenset(name.lower() for name in (topic.name, topic.zh, *topic.also) if name)


def read_headlines(path: Path, topic: Topic) -> Iterator[LabelledText]:
    """The labelled headlines of a tab-separated file; LinksFileError for a bad line."""
    names = names_of(topic)
    lines = _lines(path)
    header, where = next(lines, ("", str(path)))
    columns = header.split("\t")
    if not {"label", "text"} <= set(columns):
        raise bad_line(where, "the header names no label and text", "begin with a line: label<TAB>text")
    label_at, text_at = columns.index("label"), columns.index("text")
    source_at = columns.index("source") if "source" in columns else None
    for line, where in lines:
        parts = line.split("\t")
        if len(parts) != len(columns):
            raise bad_line(where, f"has {len(parts)} columns, the header {len(columns)}", "correct the line")
        name = parts[label_at].strip().lower()
        if name:
            source = "" if source_at is None else parts[source_at].strip()
            yield LabelledText(parts[text_at], "", name in names, name, source)


def read_documents(path: Path, topic: Topic) -> Iterator[LabelledText]:
    """The labelled documents of a JSON-lines file; LinksFileError for a bad line."""
    names = names_of(topic)
    for row, where in json_lines(path):
        name = text_in(row, "label", where).strip().lower()
        if name:
            source = host_of(address_in(row, "url", where))
            title, text = (unescape(text_in(row, part, where)) for part in ("title", "text"))
            yield LabelledText(title, text, name in names, name, source)


def address_in(row: dict[str, Any], name: str, where: str) -> str:
    found = text_in(row, name, where)
    return canonical(found) or found


def text_in(row: dict[str, Any], name: str, where: str) -> str:
    value = row.get(name, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise bad_line(where, f"{name} is {str(value)[:40]!r}, not a text", "correct the line")
    return value[:_LONGEST_TEXT]


def json_lines(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for line, where in _lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise bad_line(where, "is no JSON object", "give JSON lines, one object a line")
        yield row, where


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """The lines that are not blank, each with file and line number for an error message."""
    remedy = "give the path of a readable file"
    with file_faults(LinksFileError, path, "cannot be read", remedy), path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE_BYTES + 1):
            number += 1
            where = f"{path}, line {number}"
            if len(raw) > LONGEST_LINE_BYTES:
                raise bad_line(where, f"is longer than {LONGEST_LINE_BYTES} bytes", "correct the line")
            with file_faults(LinksFileError, where, "cannot be read", remedy):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            if line.strip():
                yield line, where


def bad_line(what: str, fault: str, remedy: str) -> LinksFileError:
    return LinksFileError(what, fault, remedy)
