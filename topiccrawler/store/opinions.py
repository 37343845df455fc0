"""Keeps what a language model said about pages of a job, so that no text is asked about twice, also after the crawl was resumed.

One JSON object a line, in the order of the answers. A line that a killed process cut short is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from topiccrawler.errors import StateError, file_faults

REMEDY = "make room, or move it away"


@dataclass(frozen=True, slots=True)
class StoredOpinion:
    """One answer, or that there was none."""

    key: str  # hash of the wish, the model and what was shown of the page
    url: str  # of the page that was asked about
    about: str  # yes, no; empty = the model gave no answer
    reason: str  # written by the model
    time: float  # seconds since the epoch
    wish: str  # what was asked for
    model: str  # that was asked


@cache
def _line() -> TypeAdapter[StoredOpinion]:
    return TypeAdapter(StoredOpinion)


class OpinionLog:
    """The opinions of a job, in one file that is made with the first of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.by_key: dict[str, StoredOpinion] = {one.key: one for one in read_opinions(path)}

    def add(self, opinions: list[StoredOpinion]) -> None:
        """Append opinions; they are written on return. StateError if that fails."""
        lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in opinions)
        with (
            file_faults(StateError, self.path, "cannot be written", REMEDY),
            self.path.open("a", encoding="utf-8", errors="replace") as file,
        ):
            file.write(lines)
        self.by_key.update((one.key, one) for one in opinions)


def read_opinions(path: Path) -> Iterator[StoredOpinion]:
    """The opinions in a file; none if there is no file."""
    if not path.is_file():
        return
    with (
        file_faults(StateError, path, "cannot be read", REMEDY),
        path.open(encoding="utf-8", errors="replace") as file,
    ):
        for line in file:
            if (found := _opinion(line)) is not None:
                yield found


def _opinion(line: str) -> StoredOpinion | None:
    try:
        return _line().validate_json(line)
    except ValidationError:
        return None
