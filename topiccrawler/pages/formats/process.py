"""The crawler's end of the worker process: starts it, gives it files, kills it when it takes too long.

An answer must come within `seconds` whatever the file does, from whichever thread asks. So the pipe is
read with a deadline, and a worker that misses it is killed; the next file gets a new one.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import IO

from topiccrawler.pages.formats.extract import Extract, UnreadableError

MOST_ANSWER_BYTES = 20_000_000
_PIECE_BYTES = 1 << 20


class WorkerProcess:
    """At most one process; one file at a time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finalizer: weakref.finalize | None = None  # type: ignore[type-arg]

    def read(self, kind: str, body: bytes) -> Extract:
        """Read one file; UnreadableError with the reason when that fails."""
        with self._lock, tempfile.NamedTemporaryFile(prefix="topiccrawler-", suffix=f".{kind}") as file:
            file.write(body)
            file.flush()
            line = self._ask(f"{kind} {file.name}\n".encode())
        try:
            return Extract.from_json(line)
        except (ValueError, TypeError, KeyError):
            raise UnreadableError(_fault(line)) from None

    def close(self) -> None:
        """End the process. A later `read` starts another."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = self._finalizer = None

    def _ask(self, request: bytes) -> bytes:
        deadline = time.monotonic() + self.seconds
        questions, answers = self._running()
        try:
            questions.write(request)
            questions.flush()
            return _line(answers.fileno(), deadline)
        except (OSError, UnreadableError) as error:
            self.close()
            raise UnreadableError(str(error)) from error

    def _running(self) -> tuple[IO[bytes], IO[bytes]]:
        """Pipes to and from the process, which is started when there is none."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            environment = {
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
                "OPENBLAS_NUM_THREADS": "1",  # numpy comes with openpyxl, and its threads with address space
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


def _line(pipe: int, deadline: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise UnreadableError("took too long")
        piece = os.read(pipe, _PIECE_BYTES)
        pieces.append(piece)
        size += len(piece)
        if not piece:
            raise UnreadableError("the reading process ended: too much memory or CPU")
        if size > MOST_ANSWER_BYTES:
            raise UnreadableError("too much text")
        if piece.endswith(b"\n"):
            return b"".join(pieces)


def _fault(line: bytes) -> str:
    text = line.decode("ascii", "replace")
    return text.partition('"fault": "')[2].removesuffix('"}\n') or "no answer"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not sent stays unsent
                pipe.close()
