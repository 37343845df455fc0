"""The segments of a page: parts of its title, keywords, tags, description, headings, and lines of its text.

What a site writes on every page is written in the same segment each time: the site's name in the title, the theme's notice, the menu.
So a segment is the unit in which pages.site_repeats counts what says nothing of one page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from zlib import crc32

from topiccrawler.pages.document import BOUNDARY, Document
from topiccrawler.text.tokenise import words_of

Kind = Literal[
    "title", "tag", "description", "heading", "text", "block"
]  # text: of the main text; block: of a page without one

MOST_TAGS = 30  # of one page; more is a cloud of all tags
MOST_HEADINGS = 3
MOST_BLOCKS = 3_000
MOST_CHARACTERS = 100_000  # of lines and blocks
_TITLE_PARTS = re.compile(r"\s*[|\-–—_·«»/,，、:：]\s*")
_TAGS = re.compile(r"[,，、;；|\s]+")


class Segment(NamedTuple):
    """One part of a page. `words` as the segmenter gives them; `key` is the same for the same text of the same kind."""

    kind: Kind
    text: str
    words: Sequence[str]

    @property
    def key(self) -> int:
        """32 bits."""
        return key_of(self.kind, self.text)


def key_of(kind: Kind, text: str) -> int:
    """32 bits, the same for the same text of the same kind."""
    return crc32(f"{kind}\n{text}".encode("utf-8", "surrogatepass"))


def segments_of(document: Document, title: str, main_text: str) -> list[Segment]:
    """All segments of a page that was parsed: the lines of its main text, or all blocks where `main_text` is empty."""
    metas = document.metas
    found: list[tuple[Kind, str]] = [
        ("title", part) for part in _parts(_TITLE_PARTS, document.title_tag or title)
    ]
    tags = [*_parts(_TAGS, metas.get("keywords", "")), metas.get("article:tag", ""), *_linked_tags(document)]
    found += [("tag", tag) for tag in dict.fromkeys(filter(None, tags[: 2 * MOST_TAGS]))]
    found.append(("description", metas.get("description") or metas.get("og:description", "")))
    found += [("heading", text) for text in document.headings[:MOST_HEADINGS]]
    found += _lines(document, main_text)
    return with_words([(kind, text) for kind, text in found if text])


def stored_segments(
    title: str, keywords: str, description: str, text: str, *, is_main: bool
) -> list[Segment]:
    """The segments of a page of which these fields are kept, as `segments_of` makes them; headings and linked tags are not known.
    `is_main`: the text is its main text."""
    kind: Kind = "text" if is_main else "block"
    found: list[tuple[Kind, str]] = [("title", part) for part in _parts(_TITLE_PARTS, title)]
    tags = _parts(_TAGS, keywords)
    found += [("tag", tag) for tag in dict.fromkeys(tags[: 2 * MOST_TAGS])]
    found.append(("description", description))
    found += [(kind, line) for line in text[:MOST_CHARACTERS].split("\n")]
    return with_words([(kind, text) for kind, text in found if text])


def with_words(texts: Sequence[tuple[Kind, str]]) -> list[Segment]:
    """Segments of texts; one call of the segmenter."""
    words = words_of([text for _, text in texts])
    return [Segment(kind, text, own) for (kind, text), own in zip(texts, words, strict=True)]


def _parts(separator: re.Pattern[str], text: str) -> list[str]:
    return [part for part in separator.split(text.strip()) if part]


def _linked_tags(document: Document) -> list[str]:
    """Texts of the links that say they are tags of the page."""
    tags = [
        document.text[anchor.start : anchor.end].replace(BOUNDARY, " ").strip()
        for anchor in document.anchors
        if anchor.rel and "tag" in anchor.rel.lower().split()
    ]
    return tags if len(tags) <= MOST_TAGS else []


def _lines(document: Document, main_text: str) -> Iterator[tuple[Kind, str]]:
    if main_text:
        yield from (("text", line) for line in main_text[:MOST_CHARACTERS].split("\n"))
        return
    left = MOST_CHARACTERS
    for block in document.blocks[:MOST_BLOCKS]:
        text = document.text[block.start : block.end].replace(BOUNDARY, " ").strip()
        left -= len(text)
        if left < 0:
            return
        yield "block", text
