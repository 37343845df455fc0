"""What a topic grew in a crawl: its words with their weights and witnesses, as it is kept and as people read it (growth.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from topiccrawler.errors import StateError, file_faults
from topiccrawler.files import JsonFile, replace_file
from topiccrawler.relevance.training.growth import GrownWord

VERSION = 1
MOST_BYTES = 10_000_000
_REMEDY = "use a copy, or move it away"


@dataclass(frozen=True, slots=True)
class Growths:
    """What came of it so far. `since`: of each word the page from which on it counted without a break."""

    topic: str = ""  # its name
    rounds: int = 0
    pages: int = 0  # read then
    grows: bool = True
    words: Mapping[str, GrownWord] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Growths:
        """What `as_json` gave. ValueError, KeyError, TypeError or AttributeError when damaged."""
        words = {str(word): GrownWord(**values) for word, values in kept["words"].items()}
        since = {str(word): int(page) for word, page in kept["since"].items()}
        return cls(
            str(kept["topic"]), int(kept["rounds"]), int(kept["pages"]), bool(kept["grows"]), words, since
        )

    @property
    def weights(self) -> dict[str, float]:
        """Of each word, of the heaviest of the topic's."""
        return {word: one.weight for word, one in self.words.items()}

    @property
    def reasons(self) -> dict[str, str]:
        """Of each word, for people."""
        return {
            word: f"grown: on {one.pages} sure pages of {one.sites} sites, since page {self.since[word]}"
            for word, one in self.words.items()
        }


def write_growth(state: Growths, path: Path) -> None:
    """Keep it where people find it."""
    with file_faults(StateError, path, "cannot be written", "make room"):
        replace_file(path, json.dumps({"version": VERSION, **state.as_json()}, ensure_ascii=False) + "\n")


def read_growth(path: Path) -> Growths | None:
    """What was kept there; None when nothing was. StateError when it is damaged."""
    if not path.is_file():
        return None
    file = JsonFile(path, MOST_BYTES, StateError, "file", _REMEDY)
    file.expect({"version": VERSION})
    try:
        return Growths.from_json(file.values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise file.refused(f"is damaged ({type(error).__name__}: {error})") from None
