"""Stores and reads the crawl log: one row for each URL that was fetched, in the order in which the fetches ended.

Harvest curves, training and replay read it. The parts of a score are JSON; those of a failed URL are not stored, because there may be ten
times more dead links than pages, and the queue has them too.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from topiccrawler.job_database import JobTable, storable
from topiccrawler.model import Visit

_NAMES = [field.name for field in dataclasses.fields(Visit)]
_COLUMNS = ", ".join(_NAMES)
_SHARES, _STORED = _NAMES.index("shares"), _NAMES.index("stored")
_PUT = f"INSERT INTO visits ({_COLUMNS}) VALUES ({', '.join('?' for _ in _NAMES)})"  # noqa: S608
_NO_SHARES = "[]"


class VisitLog(JobTable):
    """The crawl log in the database of a job. Visits are numbered from 1."""

    def append(self, visit: Visit) -> None:
        """Add a visit."""
        row: list[Any] = [storable(getattr(visit, name)) for name in _NAMES]
        row[_SHARES] = json.dumps(list(visit.shares)) if visit.stored or visit.is_page else _NO_SHARES
        self.database.write(_PUT, tuple(row))

    def last(self) -> int:
        """The number of the last visit; 0 for an empty log."""
        return int(self.database.read("SELECT coalesce(max(number), 0) FROM visits")[0][0])

    def after(self, number: int = 0) -> Iterator[tuple[int, Visit]]:
        """The visits after a number, first to last, each with its number."""
        query = f"SELECT number, {_COLUMNS} FROM visits WHERE number > ?"  # noqa: S608
        return ((row[0], _visit(row[1:])) for row in self.database.walk(query, number))

    def all(self) -> Iterator[Visit]:
        """All visits, first to last."""
        return (visit for _, visit in self.after())

    def latest(self, most: int) -> list[Visit]:
        """The last visits, first to last, at most `most`."""
        query = f"SELECT {_COLUMNS} FROM visits ORDER BY number DESC LIMIT ?"  # noqa: S608
        return [_visit(row) for row in reversed(self.database.read(query, (most,)))]

    def last_of(self, url: str) -> Visit | None:
        """The last visit of a URL; None if there is none."""
        query = f"SELECT {_COLUMNS} FROM visits WHERE url = ? ORDER BY number DESC LIMIT 1"  # noqa: S608
        found = self.database.read(query, (storable(url),))
        return _visit(found[0]) if found else None

    def of(self, url: str) -> list[Visit]:
        """The visits of a URL, first to last."""
        query = f"SELECT {_COLUMNS} FROM visits WHERE url = ? ORDER BY number"  # noqa: S608
        return [_visit(row) for row in self.database.read(query, (storable(url),))]


def as_json(visit: Visit) -> str:
    """A visit as one line of JSON."""
    return json.dumps(dataclasses.asdict(visit), ensure_ascii=False)


def _visit(row: tuple[Any, ...]) -> Visit:
    found = list(row)
    found[_STORED] = bool(found[_STORED])
    found[_SHARES] = (
        () if found[_SHARES] == _NO_SHARES else [tuple(share) for share in json.loads(found[_SHARES])]
    )
    return Visit(*found)
