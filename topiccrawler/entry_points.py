"""Finds and loads the parts of a crawl that other packages provide as entry points (docs/parts.md).

The group of an entry point is the kind of part; its name is the name that a user writes. A part is imported when it is used. One that
cannot be used raises a CrawlerError that names its entry point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from topiccrawler.errors import CrawlerError


def named(group: str, own: Iterable[str] = ()) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name. Names in `own` are left out: our own parts take precedence."""
    first = frozenset(own)
    return {point.name: point for point in _installed().select(group=group) if point.name not in first}


def part(
    point: EntryPoint,
    what: str,
    error: type[CrawlerError],
    arguments: Iterable[object] | None = None,
    members: Iterable[str] = (),
) -> Any:
    """Load an entry point and return its value, or, with `arguments`, the result of calling it with them.

    Raise `error` when loading or calling fails, or when the result lacks one of the attributes `members`; `what` names the part in the
    message. A CrawlerError that the part itself raises is passed on unchanged.
    """
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
def _installed() -> Any:  # Any: the result's type differs between Python versions; each has `select`
    return entry_points()  # reads a file of each installed package: 10 ms
