"""The crawl log: one JSON line for each URL that was fetched, in the order they ended.

Harvest curves, training and replay read it. A killed process may leave half a line at the end; readers pass it over.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

from topiccrawler.model import Visit


class VisitLog:
    """Appends visits to a file, which is opened at the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[str] = []

    def append(self, visit: Visit) -> None:
        """Add a visit; `commit` writes it."""
        self._lines.append(json.dumps(dataclasses.asdict(visit), ensure_ascii=False) + "\n")

    def commit(self) -> None:
        """Write what was added since the last commit."""
        if not self._lines:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
            file.write("".join(self._lines))
        self._lines.clear()


def read_visits(path: Path) -> Iterator[Visit]:
    """The visits in a log, first to last; what is no whole line is passed over."""
    names = {field.name for field in dataclasses.fields(Visit)}
    needed = {field.name for field in dataclasses.fields(Visit) if field.default is dataclasses.MISSING}
    with path.open(encoding="utf-8", errors="surrogatepass") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and needed <= row.keys():
                yield Visit(**{name: value for name, value in row.items() if name in names})
