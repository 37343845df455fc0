"""Reads a body of any known format but HTML, within limits. It is the entry point of this package.

`Formats` reads text and sitemaps itself, by parsers with limits of their own. PDF and Office files, feeds, and formats of other packages
may hang or use too much memory, so `WorkerProcess` has them read by a process of their own (pages.formats.worker). The answer must come
within `seconds`, whatever the file does and whichever thread calls. So the pipe is read with a deadline, and a worker that misses it is
killed; the next file starts a new one. The pages that were read until then stay.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from topiccrawler.pages.formats import listings
from topiccrawler.pages.formats.registry import (
    FEED,
    IN_WORKER,
    MOST_PARTS,
    Extract,
    Part,
    UnreadableError,
    bounded,
)

MOST_ANSWER_BYTES = 20_000_000
_PIECE_BYTES = 1 << 20


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
        try:
            with self._lock, tempfile.NamedTemporaryFile(prefix="topiccrawler-") as file:
                file.write(body)
                file.flush()
                return self._ask(f"{kind} {file.name}\n".encode())
        except OSError as error:  # a full disk, or no memory for another process
            raise UnreadableError(f"cannot be given to the reading process ({error.strerror})") from error

    def close(self) -> None:
        """End the worker process. A later `read` starts a new one."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = self._finalizer = None

    def _ask(self, request: bytes) -> Extract:
        deadline = time.monotonic() + self.seconds
        found: Extract | None = None
        parts: list[Part] = []
        fault = ""
        try:
            questions, answers = self._running()
            questions.write(request)
            questions.flush()
            for line in _lines(answers.fileno(), deadline):
                try:
                    piece = Extract.from_json(line)
                except (ValueError, TypeError, KeyError):
                    fault = _fault(line)
                else:
                    found = found or piece
                    parts += piece.parts[: MOST_PARTS - len(parts)]
        except (OSError, UnreadableError) as error:
            self.close()
            fault = str(error)
        if found is None or (fault and not parts):
            raise UnreadableError(fault or "no answer")
        if len(parts) > len(found.parts):
            found.parts = bounded(parts)
        return found

    def _running(self) -> tuple[IO[bytes], IO[bytes]]:
        """The pipes to and from the worker process, which is started if none is running."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            environment = {
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
            }
            self._process = subprocess.Popen(
                [sys.executable, "-m", "topiccrawler.pages.formats.worker", str(self.seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            self._finalizer = weakref.finalize(self, _end, self._process)
        if self._process.stdin is None or self._process.stdout is None:
            raise UnreadableError("no pipe to the reading process")
        return self._process.stdin, self._process.stdout


def _lines(pipe: int, deadline: float) -> Iterator[bytes]:
    """The lines of an answer, without the empty one that ends it."""
    held = b""
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise UnreadableError("took too long")
        piece = os.read(pipe, _PIECE_BYTES)
        size += len(piece)
        if not piece:
            raise UnreadableError("the reading process ended: too much memory or CPU")
        if size > MOST_ANSWER_BYTES:
            raise UnreadableError("too much text")
        *lines, rest = piece.split(b"\n")
        for line in lines:
            if not (held or line):
                return
            yield held + line
            held = b""
        held += rest


def _fault(line: bytes) -> str:
    try:
        return str(json.loads(line)["fault"]) or "no answer"
    except (ValueError, TypeError, KeyError):
        return "no answer"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # the pipe may still hold a request that cannot be sent
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
