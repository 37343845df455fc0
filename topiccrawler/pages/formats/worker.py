"""The worker process that reads PDF and Office files and feeds, so that a hostile file can only kill this process.

A thread cannot be stopped, a process can. One process serves many files, because starting it takes half a second.
A request is a line `format path`. The answer is a line of JSON for each piece of the file, and an empty line at the end; what was read of a
file stays, when a later page of it kills the process. The process limits its own memory and CPU, and ends when its parent ends.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from topiccrawler.pages.formats.registry import FILES, OTHERS, Extract, UnreadableError, reader_of_package

MEMORY_BYTES = 1_500_000_000
LONGEST_FAULT = 300


def main() -> None:
    """Answer requests until standard input ends: `python -m topiccrawler.pages.formats.worker SECONDS`."""
    seconds = float(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    logging.disable()
    warnings.simplefilter("ignore")
    # Output that libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    os.dup2(2, 1)
    for request in sys.stdin:
        kind, _, path = request.rstrip("\n").partition(" ")
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        # If the parent is gone and cannot stop this process, the kernel does.
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + 2 * seconds) + 1, hard))
        for line in answer(kind, Path(path)):
            answers.write(line + "\n")
            answers.flush()


def answer(kind: str, path: Path) -> Iterator[str]:
    """The extracts of the pieces of a file as lines of JSON, `{"fault": …}` with the reason why there are no more, and an empty line."""
    try:
        for found in _extracts(kind, path.read_bytes()):
            yield found.as_json()
    except Exception as error:  # noqa: BLE001 anything at all may come out of a damaged file
        fault = str(error) if isinstance(error, UnreadableError) else f"{type(error).__name__}: {error}"
        yield json.dumps({"fault": " ".join(fault.split())[:LONGEST_FAULT]})
    yield ""


def _extracts(kind: str, body: bytes) -> Iterator[Extract]:
    if kind in FILES:
        yield from import_module(f"topiccrawler.pages.formats.{kind}").read(body)
    elif kind in OTHERS:
        yield reader_of_package(kind).read(body).bounded()
    else:
        raise UnreadableError(f"no format {kind}")


if __name__ == "__main__":
    main()
