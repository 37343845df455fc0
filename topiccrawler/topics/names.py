"""Which file of the catalogue holds the topic of a name.

Reading every topic to find one costs 10 ms a file. The names stand in the first lines of a file, up to the first blank
one, and only these lines are parsed here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable

from topiccrawler.resources import folder

FOLDER = "topics/catalogue"


@dataclass(frozen=True, slots=True)
class Named:
    """A topic's file and what the topic is called."""

    file: Traversable
    name: str
    zh: str
    also: tuple[str, ...]


@cache
def named() -> tuple[Named, ...]:
    """Every topic of the catalogue, by English name."""
    files = (file for file in folder(FOLDER).iterdir() if file.name.endswith(".toml"))
    return tuple(sorted(map(_named, files), key=lambda one: one.name))


@cache
def by_name() -> dict[str, Named]:
    """The topics by each of their names, in lower case."""
    return {name.lower(): one for one in named() for name in (one.name, one.zh, *one.also)}


def _named(file: Traversable) -> Named:
    head = tomllib.loads(file.read_text(encoding="utf-8").partition("\n\n")[0])
    return Named(file, head["name"], head["zh"], tuple(head.get("also", ())))
