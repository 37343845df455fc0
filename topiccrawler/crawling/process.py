"""A crawl in a process of its own: `scrapy ARGUMENTS` with this very package and its settings, in whatever project it is started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from topiccrawler.errors import CrawlerError

SETTINGS_MODULE = "topiccrawler.settings"


def start_scrapy(
    arguments: Sequence[str], output: IO[bytes], environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start it; what it says goes to `output`."""
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env={**environment, "SCRAPY_SETTINGS_MODULE": SETTINGS_MODULE, "PYTHONPATH": path},
    )


def failure(what: str, code: int, log: Path) -> CrawlerError:
    """The one line for a crawl that ended with `code`: the last thing it said, and where the rest stands."""
    said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["it said nothing"]
    return CrawlerError(what, f"ended with {code}: {said[-1]}", f"see {log}")
