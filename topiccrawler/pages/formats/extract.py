"""The result of a format reader, and its form as a small HTML page.

Title, words, relevance, links and contexts are all made for HTML. So a reader gives paragraphs and links, in order, and
these are written as a plain page that is read as any other.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

MOST_CHARACTERS = 500_000
MOST_PARTS = 20_000
MOST_LINKS = 5_000  # as many as the traversal of a page keeps
LONGEST_PART = 20_000
LONGEST_FIELD = 1_000

_SPACE = re.compile(r"\s+")
_UNWRITTEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

Part = tuple[str, str]  # text, and the URL it leads to; one of them may be empty


class UnreadableError(Exception):
    """A file of a known format that gives nothing: damaged, locked, too large or too slow. The text says why."""


@dataclass(slots=True)
class Extract:
    """A document of any format."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)
    keywords: str = ""
    description: str = ""
    author: str = ""
    published: str = ""  # as the file says it; pages.date reads it
    is_hub: bool = False  # a list of links (feed, sitemap): it has no main text

    def main_text(self) -> str:
        """Paragraphs, one a line; empty for a list of links."""
        return "" if self.is_hub else "\n".join(text for text, _ in self.parts if text)

    def as_html(self) -> str:
        """A page with the same content."""
        metas = (
            ("keywords", self.keywords),
            ("description", self.description),
            ("author", self.author),
            ("pubdate", self.published),
        )
        head = "".join(f'<meta name="{name}" content="{html.escape(text)}">' for name, text in metas if text)
        body = "\n".join(
            f'<p><a href="{html.escape(url)}">{html.escape(text)}</a></p>'
            if url
            else f"<p>{html.escape(text)}</p>"
            for text, url in self.parts
        )
        return f"<html><head><title>{html.escape(self.title)}</title>{head}</head><body>{body}</body></html>"

    def as_json(self) -> str:
        """One line, for the pipe between processes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str | bytes) -> Extract:
        """What `as_json` wrote; ValueError, TypeError or KeyError when it did not."""
        found = json.loads(line)
        return cls(**{**found, "parts": [(str(text), str(url)) for text, url in found["parts"]]})


def tidy(text: object) -> str:
    """One line without control characters."""
    return _SPACE.sub(" ", _UNWRITTEN.sub("", str(text or ""))).strip()


def bounded(parts: Iterable[tuple[str, str]]) -> list[Part]:
    """The first parts that are worth keeping, up to the limits; a lazy iterable is read no further."""
    kept: list[Part] = []
    characters = links = 0
    for raw, url in parts:
        text = tidy(raw[:LONGEST_PART])
        links += bool(url)
        if (text or url) and (not url or links <= MOST_LINKS):
            kept.append((text, url.strip()))
        characters += len(text)
        if characters >= MOST_CHARACTERS or len(kept) >= MOST_PARTS:
            break
    return kept


def joined_lines(lines: Iterable[str]) -> list[str]:
    """Paragraphs of text whose lines were broken to fit a page: a nearly full line goes on in the next one."""
    tidied = [line for line in map(tidy, lines) if line]
    full = 0.8 * max(map(len, tidied), default=0)
    paragraphs: list[str] = []
    open_end = False
    for line in tidied:
        if open_end and len(paragraphs[-1]) < LONGEST_PART:
            glue = " " if paragraphs[-1][-1].isascii() and line[0].isascii() else ""
            paragraphs[-1] += glue + line
        else:
            paragraphs.append(line)
        open_end = len(line) >= full and line[-1] not in "。！？!?：:；;"
    return paragraphs
