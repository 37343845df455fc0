"""The worker process that reads PDF and Office files and feeds, so that a hostile file can only kill this process.

A thread cannot be stopped, a process can. One process serves many files, because starting it takes half a second.
A request is the format, then the file. The answer is JSON for each piece of the file, and nothing behind the last; what was read of a
file stays, when a later page of it kills the process. The process limits its own memory and CPU, and ends when its parent ends.
"""

from __future__ import annotations

import logging
import resource
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection

from topiccrawler.pages.formats.registry import (
    FAULT,
    FILES,
    OTHERS,
    Extract,
    UnreadableError,
    reader_of_package,
)

MEMORY_BYTES = 1_500_000_000
LONGEST_FAULT = 300


def main() -> None:
    """Answer requests until the other end closes: `python -m topiccrawler.pages.formats.worker PIPE SECONDS`, PIPE a file descriptor."""
    pipe, seconds = Connection(int(sys.argv[1])), float(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    logging.disable()
    warnings.simplefilter("ignore")
    with suppress(EOFError):
        while True:
            kind, body = pipe.recv_bytes().decode(), pipe.recv_bytes()
            used = resource.getrusage(resource.RUSAGE_SELF)
            _, hard = resource.getrlimit(resource.RLIMIT_CPU)
            # If the parent is gone and cannot stop this process, the kernel does.
            soft = int(used.ru_utime + used.ru_stime + 2 * seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
            for piece in answers(kind, body):
                pipe.send_bytes(piece)


def answers(kind: str, body: bytes) -> Iterator[bytes]:
    """The extracts of the pieces of a file in JSON; FAULT and the reason why there are no more; behind the last piece nothing."""
    try:
        for found in _extracts(kind, body):
            yield found.as_json().encode()
        yield b""
    except Exception as error:  # noqa: BLE001 anything at all may come out of a damaged file
        fault = str(error) if isinstance(error, UnreadableError) else f"{type(error).__name__}: {error}"
        yield FAULT + " ".join(fault.split())[:LONGEST_FAULT].encode("utf-8", "replace")


def _extracts(kind: str, body: bytes) -> Iterator[Extract]:
    if kind in FILES:
        yield from import_module(f"topiccrawler.pages.formats.{kind}").read(body)
    elif kind in OTHERS:
        yield reader_of_package(kind).read(body).bounded()
    else:
        raise UnreadableError(f"no format {kind}")


if __name__ == "__main__":
    main()
