"""What a running crawl was told from outside: a line in its log and one in its job, so that a report can tell of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from topiccrawler.errors import StateError, file_faults

logger = logging.getLogger(__name__)

FILE = "control.jsonl"


def note(folder: Path, time: float, verb: str, what: Mapping[str, Any]) -> None:
    """Write it down; what a user gave is JSON in the log too, so that no line of a log can be forged with it."""
    logger.info("Control: %s%s", verb, f" {json.dumps(what, ensure_ascii=True)}" if what else "")
    line = json.dumps({"time": round(time, 3), "verb": verb, **what}, ensure_ascii=False)
    with (
        file_faults(StateError, folder / FILE, "cannot be written", "make room"),
        (folder / FILE).open("a", encoding="utf-8") as file,
    ):
        file.write(f"{line}\n")


def orders(folder: Path) -> Iterator[dict[str, Any]]:
    """What was written down, oldest first; a line that a kill cut short is left out."""
    path = folder / FILE
    if not path.is_file():
        return
    with (
        file_faults(StateError, path, "cannot be read", "use a copy"),
        path.open(encoding="utf-8", errors="replace") as lines,
    ):
        for line in lines:
            try:
                order = json.loads(line)
            except ValueError:
                continue
            if isinstance(order, dict) and "verb" in order:
                yield order
