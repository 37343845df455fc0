"""Which WARC files a setting or an option means."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

from topiccrawler.errors import ReplayError

_SUFFIXES = (".warc", ".warc.gz")
_REMEDY = "name .warc or .warc.gz files"


def recorded_paths(text: str | Iterable[str]) -> list[Path]:
    """Paths, folders and patterns, separated by commas (or a list of such); each file once, in the order named."""
    names = text.split(",") if isinstance(text, str) else text
    paths: list[Path] = []
    for name in filter(None, (name.strip() for name in names)):
        found = _files(name)
        if not found:
            raise ReplayError(name, "no such WARC file or folder of WARC files", _REMEDY)
        paths += [path for path in found if path not in paths]
    if not paths:
        raise ReplayError("the list of WARC files", "empty", _REMEDY)
    return paths


def _files(name: str) -> list[Path]:
    path = Path(name).expanduser()
    if path.is_dir():
        return sorted(entry for entry in path.iterdir() if entry.name.endswith(_SUFFIXES))
    if path.exists():
        return [path]
    return [Path(match) for match in sorted(glob.glob(os.path.expanduser(name)))]
