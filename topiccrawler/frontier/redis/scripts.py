"""The Lua scripts that a crawl in Redis is made of; each is run as a whole, with nothing of other workers in between."""

from __future__ import annotations

from functools import cache
from importlib import resources

NAMES = (
    "apply",
    "beat",
    "best",
    "counts",
    "first",
    "join",
    "learned",
    "leave",
    "look_up",
    "numbers",
    "overview",
    "pieces",
    "resume",
    "row",
    "tick",
    "unseen",
)


@cache
def script(name: str) -> str:
    """The text of one, with what all share before it."""
    folder = resources.files(__package__) / "scripts"
    return "\n".join((folder / f"{part}.lua").read_text(encoding="utf-8") for part in ("common", name))
