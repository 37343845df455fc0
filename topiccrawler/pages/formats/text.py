"""Plain text: paragraphs at line ends, links where a URL is written out."""

from __future__ import annotations

import re

from topiccrawler.pages.formats.extract import LONGEST_PART, Extract, bounded, tidy
from topiccrawler.text.decode import decode

LONGEST_TITLE = 100
MOST_BYTES = 4_000_000
_URL = re.compile(r"https?://[A-Za-z0-9.-]{1,253}[!#-&(-;=?-~]{0,2000}")  # what is not ASCII is prose again


def read(body: bytes, declared: str | None = None) -> Extract:
    """A text file; its first line, when short, is the title."""
    text, _ = decode(body[:MOST_BYTES], declared)
    lines = [line[:LONGEST_PART] for line in text.splitlines()]
    first = next((line for line in map(tidy, lines) if line), "")
    parts = ((part, url) for line in lines for part, url in [(line, ""), *_links(line)])
    return Extract(title=first if len(first) <= LONGEST_TITLE else "", parts=bounded(parts))


def _links(line: str) -> list[tuple[str, str]]:
    return [("", found[0].rstrip(".,;:!?)]}")) for found in _URL.finditer(line)] if "://" in line else []
