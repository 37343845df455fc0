"""Finds the data that travels with the package (models/, seeds/, topics, the demo), wherever the package is.

The conflict: in a wheel or a scrapyd egg (a zip, never unpacked) models/ and seeds/ lie inside the package; in a
checkout and an editable install they lie beside it. Only Traversable methods work on what is returned.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

PACKAGE = "topiccrawler"


def folder(name: str) -> Traversable:
    """The data folder `name` ("models", "seeds", "topics/catalogue", "demo")."""
    inside = resources.files(PACKAGE).joinpath(name)
    if inside.is_dir():
        return inside
    return Path(__file__).resolve().parents[1] / name


def own_folder(name: str) -> Path | None:
    """The data folder `name` where it may be written to: beside the package, in a checkout. None in an installed package."""
    place = folder(name)
    beside = Path(__file__).resolve().parents[1] / name
    return beside if place == beside else None
