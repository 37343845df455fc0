"""Where a running crawl is controlled: control.json in its job's folder, readable by its user alone.

    {"url": "http://127.0.0.1:40123", "token": …, "pid": …, "version": 1}

A crawl removes its file when it ends; that of a killed one stays, and nobody answers there.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from topiccrawler.errors import StateError, file_faults

FILE = "control.json"
VERSION = 1
REMEDY = "look whether the crawl is running, and was started with TOPIC_CONTROL=True"


@dataclass(frozen=True, slots=True)
class Address:
    """`url`: without a path; `token`: 256 random bits."""

    url: str
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    pid: int = field(default_factory=os.getpid)
    version: int = VERSION

    def write(self, folder: Path) -> None:
        """Put it into the job's folder: whole, and with mode 0600 before a word is in it."""
        new = folder / f".{FILE}.{os.getpid()}"
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(self), file)
        new.replace(folder / FILE)

    def remove(self, folder: Path) -> None:
        """Take it away, if no other crawl has put its own there."""
        try:
            if type(self).read(folder) == self:
                (folder / FILE).unlink()
        except (StateError, OSError):
            return

    @classmethod
    def read(cls, folder: Path) -> Self:
        """StateError when there is none, or when it cannot be used."""
        path = folder / FILE
        if not path.is_file():
            raise StateError(f"job {folder}", "no crawl is running there that can be controlled", REMEDY)
        with file_faults(StateError, path, "cannot be read", "give the command as the user of the crawl"):
            text = path.read_text(encoding="utf-8")
        try:
            found = cls(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise StateError(str(path), f"is damaged ({error})", REMEDY) from None
        if found.version != VERSION or not str(found.url).startswith("http://"):
            raise StateError(str(path), "is of another version", "use the program that runs the crawl")
        return found
