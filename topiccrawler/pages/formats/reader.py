"""Reads a body of any known format but HTML, within limits. It is the entry point of this package.

`Formats` reads text and sitemaps itself, by parsers with limits of their own. PDF and Office files, feeds, and formats of other packages
may hang or use too much memory, so `WorkerProcess` has them read by a process of their own (pages.formats.worker). The answer must come
within `seconds`, whatever the file does and whichever thread calls. So its answers have a deadline, and a worker that misses it is
killed; the next file starts a new one. The pages that were read until then stay.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from topiccrawler.pages.formats import listings
from topiccrawler.pages.formats.registry import (
    FAULT,
    FEED,
    IN_WORKER,
    MOST_PARTS,
    Extract,
    Part,
    UnreadableError,
    bounded,
)

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

MOST_ANSWER_BYTES = 20_000_000


class WorkerProcess:
    """Reads files in a worker process: at most one process, one file at a time. `seconds`: the deadline for one file."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize | None = None  # type: ignore[type-arg]

    def read(self, kind: str, body: bytes) -> Extract:
        """Return the extract of one file, or of its first pages, if the rest cannot be read in time.

        UnreadableError, with the reason, when nothing can be read. Thread-safe.
        """
        with self._lock:
            return self._ask(kind, body)

    def close(self) -> None:
        """End the worker process. A later `read` starts a new one."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = self._finalizer = None

    def _ask(self, kind: str, body: bytes) -> Extract:
        deadline = time.monotonic() + self.seconds
        found: Extract | None = None
        parts: list[Part] = []
        fault, left = "", MOST_ANSWER_BYTES
        try:
            pipe = self._running()
            pipe.send_bytes(kind.encode())
            pipe.send_bytes(body)
            while not fault and (answer := _next(pipe, deadline)):
                left -= len(answer)
                if answer.startswith(FAULT):
                    fault = answer.removeprefix(FAULT).decode()
                elif left < 0:
                    fault = "too much text"
                    self.close()
                else:
                    piece = Extract.from_json(answer)
                    found = found or piece
                    parts += piece.parts[: MOST_PARTS - len(parts)]
        except (OSError, EOFError, UnreadableError) as error:
            self.close()
            fault = str(error) or "the reading process ended: too much memory or CPU"
        if found is None or (fault and not parts):
            raise UnreadableError(fault or "no answer")
        if len(parts) > len(found.parts):
            found.parts = bounded(parts)
        return found

    def _running(self) -> Connection:
        """The pipe to the worker process, which is started if none is running."""
        if self._process is None or self._process.poll() is not None:
            from multiprocessing import Pipe  # here: it takes 5 ms, and many crawls meet no file

            self.close()
            self._pipe, its = Pipe()
            paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
            with its:
                self._process = subprocess.Popen(
                    [
                        sys.executable,
                        "-m",
                        "topiccrawler.pages.formats.worker",
                        str(its.fileno()),
                        str(self.seconds),
                    ],
                    pass_fds=[its.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": paths},
                )
            self._finalizer = weakref.finalize(self, _end, self._process, self._pipe)
        return self._pipe


def _next(pipe: Connection, deadline: float) -> bytes:
    """The next answer; empty behind the last one."""
    if not pipe.poll(max(0.0, deadline - time.monotonic())):
        raise UnreadableError("took too long")
    return pipe.recv_bytes(MOST_ANSWER_BYTES)


def _end(process: subprocess.Popen[bytes], pipe: Connection) -> None:
    process.kill()
    process.wait()
    pipe.close()


MOST_BYTES = 32_000_000  # of a file for the worker
# for one file, the start of the worker included; of a slower PDF the pages read until then stay, any other counts as unreadable
SECONDS = 10.0

_READERS = {"text": listings.read_text, "sitemap": listings.read_sitemap}


class Formats:
    """Reads all formats but HTML. Thread-safe. The worker process starts at the first file that needs it."""

    def __init__(self, *, seconds: float | None = None, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._worker = WorkerProcess(SECONDS if seconds is None else seconds)

    def read(self, kind: str, body: bytes, declared: str | None = None) -> Extract:
        """The extract of a file; UnreadableError, with the reason, when there is none. `declared`: the charset of the HTTP header."""
        if kind == FEED:
            body = listings.feed_text(body, declared).encode()
        if kind in IN_WORKER:
            if len(body) > self.most_bytes:
                raise UnreadableError(f"{len(body):,} bytes")
            return self._worker.read(kind, body)
        reader = _READERS.get(kind)
        if reader is None:
            raise UnreadableError(f"no format {kind!r}")
        return reader(body, declared)

    def close(self) -> None:
        """End the worker process."""
        self._worker.close()
