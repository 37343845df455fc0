"""Finds the data that travels with the package (models/, seeds/, topics, the demo), wherever the package is.

The conflict: in a wheel or a scrapyd egg (a zip, never unpacked) models/ and seeds/ lie inside the package; in a
checkout and an editable install they lie beside it. Only Traversable methods work on what is returned.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

PACKAGE = "topiccrawler"


def folder(name: str) -> Traversable:
    """The data folder `name` ("models", "seeds", "topics/catalogue", "demo")."""
    inside = resources.files(PACKAGE).joinpath(name)
    if inside.is_dir():
        return inside
    return Path(__file__).resolve().parents[1] / name


def package_text(path: str) -> str:
    """A text file of the package, by its path in it."""
    room, _, name = path.rpartition("/")
    return folder(room).joinpath(name).read_text(encoding="utf-8")


def package_table(path: str) -> dict[str, Any]:
    """The same of a TOML file, read."""
    return tomllib.loads(package_text(path))


def own_folder(name: str) -> Path | None:
    """The data folder `name` where it may be written to: beside the package, in a checkout. None in an installed package."""
    place = folder(name)
    beside = Path(__file__).resolve().parents[1] / name
    return beside if place == beside else None
