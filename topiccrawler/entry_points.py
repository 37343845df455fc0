"""Parts that other packages bring, found by their entry points (docs/parts.md).

A group names a kind of part; the name of an entry point is the name that a user writes. A part is imported when it is used, and one that
cannot be used is a CrawlerError that names its entry point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from topiccrawler.errors import CrawlerError


def named(group: str, own: Iterable[str] = ()) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name; without the names of our `own` parts, which go first."""
    first = frozenset(own)
    return {point.name: point for point in _installed().select(group=group) if point.name not in first}


def part(
    point: EntryPoint,
    what: str,
    error: type[CrawlerError],
    arguments: Iterable[object] | None = None,
    members: Iterable[str] = (),
) -> Any:
    """The value of an entry point, or what it gives when it is called with `arguments`. `what` names it in the `error` for one that fails or
    lacks one of the `members`; an error that it raises as a CrawlerError stays as it is."""
    remedy, did = f"correct the entry point {point.value} of its package", "imported"
    try:
        found = point.load()
        if arguments is not None:
            did = "made"
            found = found(*arguments)
    except CrawlerError:
        raise
    except Exception as failure:
        raise error(what, f"cannot be {did}: {type(failure).__name__}: {failure}", remedy) from failure
    if lacking := [name for name in members if not hasattr(found, name)]:
        raise error(what, f"has no {', '.join(lacking)}", remedy)
    return found


@cache
def _installed() -> Any:  # which has `select` on every Python
    return entry_points()  # reads a file of each installed package: 10 ms
