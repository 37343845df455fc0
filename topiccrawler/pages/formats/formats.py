"""Reads a body of any known format within limits; the entry point of this package.

Text, feeds and sitemaps are read here, by parsers with limits of their own. PDF and Office files may hang or eat
memory, so they are read in a worker process.
"""

from __future__ import annotations

from topiccrawler.pages.formats import feed, sitemap, text
from topiccrawler.pages.formats.extract import Extract, UnreadableError
from topiccrawler.pages.formats.process import WorkerProcess
from topiccrawler.pages.formats.registry import IN_WORKER

MOST_BYTES = 32_000_000  # of a file that goes to the worker
SECONDS = 10.0  # for one file, the start of the worker included

_READERS = {"text": text.read, "feed": feed.read, "sitemap": sitemap.read}


class Formats:
    """All formats but HTML. Safe to call from several threads; the worker starts at the first file that needs it."""

    def __init__(self, *, seconds: float = SECONDS, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._worker = WorkerProcess(seconds)

    def read(self, kind: str, body: bytes, declared: str | None = None) -> Extract:
        """What the file says; UnreadableError, with the reason, when it says nothing. `declared` is a charset."""
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
