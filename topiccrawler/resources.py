"""Finds the data files of the package (models/, seeds/, topics, the demo) in any kind of installation.

The conflict: in a wheel or a scrapyd egg (a zip, never unpacked) models/ and seeds/ are inside the package; in a checkout and an editable
install they are beside it. So callers may use only the methods of Traversable on the returned folders.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import rtoml

PACKAGE = "topiccrawler"


def folder(name: str) -> Traversable:
    """The data folder `name` ("models", "seeds", "topics/catalogue", "demo")."""
    inside = resources.files(PACKAGE).joinpath(name)
    if inside.is_dir():
        return inside
    return Path(__file__).resolve().parents[1] / name


def package_text(path: str) -> str:
    """The content of a UTF-8 text file of the package, by its path inside the package."""
    room, _, name = path.rpartition("/")
    return folder(room).joinpath(name).read_text(encoding="utf-8")


def table(toml: str) -> dict[str, Any]:
    """The content of one of our own TOML texts. Files of users are read by tomllib, whose errors name the place."""
    return rtoml.loads(toml)


def package_table(path: str) -> dict[str, Any]:
    """The parsed content of a TOML file of the package, by its path inside the package."""
    return table(package_text(path))


def own_folder(name: str) -> Path | None:
    """The path of the data folder `name` in a checkout, where it may be written to; None in an installed package."""
    place = folder(name)
    beside = Path(__file__).resolve().parents[1] / name
    return beside if place == beside else None
