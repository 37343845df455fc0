"""The crawl log: one JSON line for each URL that was fetched, in the order they ended.

Harvest curves, training and replay read it. A killed process may leave half a line at the end; readers pass it over.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from topiccrawler.errors import StateError, file_faults
from topiccrawler.model import Visit


class VisitLog:
    """Appends visits to a file, which is opened at the first one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[str] = []
        self._checked = False

    def append(self, visit: Visit) -> None:
        """Add a visit; `commit` writes it."""
        self._lines.append(json.dumps(dataclasses.asdict(visit), ensure_ascii=False) + "\n")

    def commit(self) -> None:
        """Write what was added since the last commit."""
        if not self._lines:
            return
        self.check()
        with self._faults():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write("".join(self._lines))
        self._lines.clear()

    def check(self) -> None:
        """StateError when an earlier run's log cannot be added to; half a line at its end is ended."""
        if self._checked:
            return
        with self._faults():
            if self.path.exists():
                with self.path.open("rb+") as file:
                    if file.seek(0, os.SEEK_END):
                        file.seek(-1, os.SEEK_END)
                        if file.read() != b"\n":
                            file.write(b"\n")
        self._checked = True

    def _faults(self) -> AbstractContextManager[None]:
        return file_faults(
            StateError, self.path, "the crawl log cannot be written", "make room or move it away"
        )


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
