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


SHARED = ("names", "queue", "common")
HEAD = 2_000  # waiting URLs of a host, of which the first half stays as it is when there are more
CHUNK = 128  # of the others lie together: as many as a server packs by default


@cache
def script(name: str, head: int = HEAD, chunk: int = CHUNK) -> str:
    """The text of one, with what all share before it."""
    folder = resources.files(__package__) / "scripts"
    parts = [(folder / f"{part}.lua").read_text(encoding="utf-8") for part in (*SHARED, name)]
    return "\n".join([f"local HEAD, CHUNK = {head}, {chunk}", *parts])
