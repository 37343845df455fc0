"""Reads the ground truth about a recorded web: which pages are about which topic, as labelled by people or rules. No crawl sees it.

A file has lines `url TAB topics TAB how TAB kind`. Topics are separated by commas and may be empty (no evidence); kind is home, hub or
content; lines that begin with `#` are skipped. URLs are compared by the page they lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.lab.recorded_web import RecordedPages

CONTENT = "content"
REMEDY = "give lines: url TAB topics TAB how TAB kind"


@dataclass(slots=True)
class Labels:
    """The labelled pages of a recorded web, as page numbers by topic."""

    topics: dict[str, set[int]] = field(default_factory=dict)
    content: set[int] = field(default_factory=set)  # pages of kind `content`
    pages: int = 0  # labelled pages of the web
    elsewhere: int = 0  # labelled URLs that the web does not have

    def of(self, topic: str) -> set[int]:
        """The pages about a topic. ArgumentError when there are none, because nothing could be measured."""
        if not self.topics.get(topic):
            known = ", ".join(sorted(name for name, pages in self.topics.items() if pages)) or "none"
            fault = "no page of the recorded web is labelled with it"
            raise ArgumentError(f"topic {topic!r}", fault, f"labelled are: {known}")
        return self.topics[topic]


def read_labels(paths: Sequence[Path], pages: RecordedPages) -> Labels:
    """Read the labels of one or more files. A page with several labels is about all their topics. ArgumentError if no label fits."""
    labels = Labels()
    seen: set[int] = set()
    for path in paths:
        for row in label_rows(path):
            number = pages.number_of_any(row[0])
            if number is None:
                labels.elsewhere += 1
                continue
            seen.add(number)
            for topic in filter(None, (name.strip() for name in row[1].split(","))):
                labels.topics.setdefault(topic, set()).add(number)
            if len(row) > 3 and row[3].strip() == CONTENT:
                labels.content.add(number)
    labels.pages = len(seen)
    if not seen:
        what = f"--labels {', '.join(map(str, paths))}"
        raise ArgumentError(what, "labels no page of the recorded web", "give the labels of this web")
    return labels


def label_rows(path: Path) -> list[list[str]]:
    """The columns of each line of a file. ArgumentError for a file that cannot be read, and for a line with one column."""
    with file_faults(ArgumentError, f"--labels {path}", "cannot be read", REMEDY):
        text = path.read_text(encoding="utf-8-sig")
    rows: list[list[str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#") or not line.strip():
            continue
        row = line.rstrip("\r").split("\t")
        if len(row) < 2:
            raise ArgumentError(f"--labels {path} line {number}", "has no second column", REMEDY)
        rows.append(row)
    return rows
