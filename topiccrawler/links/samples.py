"""Reads what a classifier learns from: labelled links, headlines, documents.

The conflict: the three kinds of file come from many hands, name the topic in their own words, and one bad line among
100 000 must be named, not swallowed, and must not end in a traceback.

Links       JSON lines with Link's field names (`left`/`right` for before/after), and `label`: 1, 0, null, or the name of
            a topic ("" = none); `fin` (1, 0, null) is read for the topic finance, before `label`.
Headlines   tab-separated with a header that names at least `label` and `text`; a column `source` names the collection.
Documents   JSON lines with `label`, `title`, `text`, and optionally `url`.
A label is positive when it is the topic's name, its Chinese name, or one of ALIASES; another label is negative; none is
no sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topiccrawler.errors import LinksFileError
from topiccrawler.links.urls import canonical, host_of
from topiccrawler.model import Link
from topiccrawler.topics.topic import Topic

# Names that other collections use for a topic of the catalogue.
ALIASES: dict[str, frozenset[str]] = {
    "auto": frozenset({"car", "cars", "汽车"}),
    "education": frozenset({"edu", "教育"}),
    "entertainment": frozenset({"ent", "娱乐"}),
    "finance": frozenset({"stock", "stocks", "money", "财经", "金融"}),
    "food": frozenset({"meishi", "美食"}),
    "health": frozenset({"medical", "健康"}),
    "law": frozenset({"legal", "法律"}),
    "sport": frozenset({"sports", "体育"}),
    "tech": frozenset({"it", "technology", "科技"}),
    "travel": frozenset({"tourism", "旅游"}),
}
LONGEST_LINE_BYTES = 4_000_000
_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class LabelledLink:
    """A link and whether it leads to the topic; `label` is what the file calls it."""

    link: Link
    positive: bool
    label: str


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A headline (title only) or a document."""

    title: str
    text: str
    positive: bool
    label: str
    source: str


def names_of(topic: Topic) -> frozenset[str]:
    """Every label that means this topic."""
    return frozenset({topic.name, topic.zh.lower()} - {""}) | ALIASES.get(topic.name, frozenset())


def read_links(path: Path, topic: Topic, context: str) -> Iterator[LabelledLink]:
    """The labelled links of a file; links without a label are passed over."""
    names = names_of(topic)
    for row, where in _json_lines(path):
        if row.get("context", context) != context:
            raise _bad(
                where, f"the context was made by {row['context']!r}", f"train with --context {row['context']}"
            )
        positive, name = _label_of_link(row, names, topic.name, where)
        if positive is not None:
            yield LabelledLink(_link(row, where), positive, name)


def read_headlines(path: Path, topic: Topic) -> Iterator[LabelledText]:
    """The headlines of a tab-separated file."""
    names = names_of(topic)
    lines = _lines(path)
    header, where = next(lines, ("", str(path)))
    columns = header.split("\t")
    if not {"label", "text"} <= set(columns):
        raise _bad(where, "the header names no label and text", "begin with a line: label<TAB>text")
    label_at, text_at = columns.index("label"), columns.index("text")
    source_at = columns.index("source") if "source" in columns else None
    for line, where in lines:
        parts = line.split("\t")
        if len(parts) != len(columns):
            raise _bad(where, f"has {len(parts)} columns, the header {len(columns)}", "correct the line")
        name = parts[label_at].strip().lower()
        if name:
            source = "" if source_at is None else parts[source_at].strip()
            yield LabelledText(parts[text_at], "", name in names, name, source)


def read_documents(path: Path, topic: Topic) -> Iterator[LabelledText]:
    """The documents of a JSON-lines file."""
    names = names_of(topic)
    for row, where in _json_lines(path):
        name = _text(row, "label", where).strip().lower()
        if name:
            source = host_of(_address(row, "url", where))
            yield LabelledText(
                _text(row, "title", where), _text(row, "text", where), name in names, name, source
            )


def _label_of_link(
    row: dict[str, Any], names: frozenset[str], topic: str, where: str
) -> tuple[bool | None, str]:
    label = row.get("label")
    name = label.strip().lower() if isinstance(label, str) else ""
    value = row["fin"] if topic == "finance" and "fin" in row else label
    if isinstance(value, str):
        return (name in names if name else None), name
    if value is None:
        return None, name
    if value in (0, 1):
        return bool(value), name or ("+" if value else "-")
    raise _bad(where, f"the label is {str(label)[:40]!r}", "use 1, 0, null or the name of a topic")


def _link(row: dict[str, Any], where: str) -> Link:
    url, source_url = _address(row, "url", where), _address(row, "source_url", where)
    return Link(
        url=url,
        host=host_of(url),
        anchor=_text(row, "anchor", where),
        before=_text(row, "before" if "before" in row else "left", where),
        after=_text(row, "after" if "after" in row else "right", where),
        title=_text(row, "title", where),
        source_url=source_url,
    )


def _address(row: dict[str, Any], name: str, where: str) -> str:
    found = _text(row, name, where)
    return canonical(found) or found


def _text(row: dict[str, Any], name: str, where: str) -> str:
    value = row.get(name, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _bad(where, f"{name} is {str(value)[:40]!r}, not a text", "correct the line")
    return value[:_LONGEST_TEXT]


def _json_lines(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for line, where in _lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise _bad(where, "is no JSON object", "give JSON lines, one object a line")
        yield row, where


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Lines that are not blank, each with its place for a message."""
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(LONGEST_LINE_BYTES + 1):
                number += 1
                where = f"{path}, line {number}"
                if len(raw) > LONGEST_LINE_BYTES:
                    raise _bad(where, f"is longer than {LONGEST_LINE_BYTES} bytes", "correct the line")
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if line.strip():
                    yield line, where
    except OSError as failure:
        raise _bad(
            str(path), f"cannot be read: {failure.strerror or failure}", "give the path of a readable file"
        ) from None
    except UnicodeDecodeError:
        raise _bad(where, "is not UTF-8", "save the file as UTF-8") from None


def _bad(what: str, fault: str, remedy: str) -> LinksFileError:
    return LinksFileError(what, fault, remedy)
