"""Starts a crawl in a separate process: `scrapy ARGUMENTS` with this installation of the package and its settings, in any project."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from topiccrawler.errors import CrawlerError

SETTINGS_MODULE = "topiccrawler.settings"


def job_line(arguments: Mapping[str, str], settings: Mapping[str, str], folder: Path) -> list[str]:
    """The command line after `scrapy` for a job with its files and its queue in this folder."""
    own = {"TOPIC_DATA_DIR": str(folder.parent), "TOPIC_JOB": folder.name, "JOBDIR": str(folder)}
    return crawl_line(arguments, {**settings, **own})


def crawl_line(arguments: Mapping[str, object], settings: Mapping[str, object]) -> list[str]:
    """The command line after `scrapy` for a topic crawl with these arguments and settings only."""
    options = [("-a", f"{name}={value}") for name, value in arguments.items()]
    options += [("-s", f"{name}={value}") for name, value in settings.items()]
    return ["crawl", "topic", *(word for pair in options for word in pair)]


def start_scrapy(
    arguments: Sequence[str],
    output: IO[bytes],
    environment: Mapping[str, str],
    *,
    own_session: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `scrapy` with these arguments; its output and errors are written to `output`.

    `own_session`: it continues when this process and its terminal end.
    """
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=own_session,
        env={**environment, "SCRAPY_SETTINGS_MODULE": SETTINGS_MODULE, "PYTHONPATH": path},
    )


def failure(what: str, code: int, log: Path) -> CrawlerError:
    """The error for a crawl that ended with exit status `code`: the last line of its log, and the path of the log."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["it printed nothing"]
    return CrawlerError(what, f"ended with {code}: {lines[-1]}", f"see {log}")
