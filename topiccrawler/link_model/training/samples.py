"""Reads labelled links: JSON lines with Link's field names (`left`/`right` for before/after) and a label.

`label` is 1, 0, null, or the name of a topic ("" = none); `fin` (1, 0, null) is read for the topic finance, before `label`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topiccrawler.model import Link
from topiccrawler.topics.labelled_texts import address_in, bad_line, json_lines, names_of, text_in
from topiccrawler.topics.topic import Topic
from topiccrawler.urls.canonical import host_of


@dataclass(frozen=True, slots=True)
class LabelledLink:
    """A link and whether it leads to the topic; `label` is what the file calls it."""

    link: Link
    positive: bool
    label: str


def read_links(path: Path, topic: Topic, context: str) -> Iterator[LabelledLink]:
    """The labelled links of a file; links without a label are passed over."""
    names = names_of(topic)
    for row, where in json_lines(path):
        if row.get("context", context) != context:
            made_by = row["context"]
            raise bad_line(where, f"the context was made by {made_by!r}", f"train with --context {made_by}")
        positive, name = _label_of_link(row, names, topic.name, where)
        if positive is not None:
            yield LabelledLink(_link(row, where), positive, name)


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
    raise bad_line(where, f"the label is {str(label)[:40]!r}", "use 1, 0, null or the name of a topic")


def _link(row: dict[str, Any], where: str) -> Link:
    url, source_url = address_in(row, "url", where), address_in(row, "source_url", where)
    return Link(
        url=url,
        host=host_of(url),
        anchor=text_in(row, "anchor", where),
        before=text_in(row, "before" if "before" in row else "left", where),
        after=text_in(row, "after" if "after" in row else "right", where),
        title=text_in(row, "title", where),
        source_url=source_url,
    )
