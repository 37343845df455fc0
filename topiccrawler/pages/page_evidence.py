"""Packs what a page classifier reads of a page, so that a stored page can be classified again exactly as when it was fetched.

The conflict: a page store has title, meta keywords, description and main text; headings, tags, categories, the lines that the site repeats,
and all text of a page without main text are gone, and with them a part of the page's evidence. Storing the words would fix the segmenter,
but a topic keeps its own words whole. So the texts are packed, and cut into words when they are read again.
Most of them are lines of the stored text, which are packed as their numbers. The words are those by which the page was
classified: segments that the site repeated at that time are left out.
Cost: 0.14 ms to pack a page with 2 200 characters of main text and 100 headings, and 0.7 ms to read it, most of it for the segmenter; 1 kB
(180 pages of recorded webs).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from zlib import crc32

from pydantic import TypeAdapter

from topiccrawler.pages.read import (
    MOST_BODY_CHARACTERS,
    SHORTEST_MAIN_TEXT,
    PageWords,
    Reading,
)
from topiccrawler.pages.site_repeats import Kind, segments_of
from topiccrawler.text.segmenter import Segmenter
from topiccrawler.zstandard import zstd

_Piece = str | int  # a text, or the number of a line of the stored text

LEVEL = 1
MOST_BYTES = 10_000_000  # of the texts of a page; twice as many as can be packed


def packed(reading: Reading) -> bytes:
    """The evidence of a page that was read, for `unpacked` with the page's stored text (`reading.main_text`)."""
    content, document = reading.content, reading.document
    metas, main, text = document.metas, content.main_text, reading.main_text
    is_main = len(main) >= SHORTEST_MAIN_TEXT
    fields = (
        content.title,
        "|".join(document.headings)[:MOST_BODY_CHARACTERS],
        "|".join(document.emphasis)[:MOST_BODY_CHARACTERS],
        f"{metas.get('keywords', '')}|{metas.get('description', '')}"[:MOST_BODY_CHARACTERS],
    )
    body = (main if is_main else document.text)[:MOST_BODY_CHARACTERS]
    number = {line: at for at, line in enumerate(text.split("\n"))} if text else {}
    # as `pages.read.page_words` cuts the body
    in_lines = is_main and any(segment.kind == "text" for segment in content.words.segments)
    lines = [number.get(line, line) for line in body.split("\n")]
    pieces = [(kind, number.get(piece, piece)) for kind, piece, _, _ in reading.words.segments]
    evidence = json.dumps(
        (_digest(text), fields, lines, in_lines, pieces), ensure_ascii=False, separators=(",", ":")
    )
    return zstd.compress(_bytes(evidence), options=_OPTIONS)


def unpacked(evidence: bytes, text: str, segmenter: Segmenter) -> PageWords:
    """The words of a page from its evidence. `text`: its stored text. ValueError for damaged evidence, and for another text."""
    try:
        found = zstd.ZstdDecompressor().decompress(evidence, MOST_BYTES)
        digest, (title, headings, emphasis, meta), body, in_lines, pieces = _EVIDENCE.validate_json(found)
        if digest != _digest(text):
            raise LookupError("that of another text")  # noqa: TRY301 handled like the others
        lines = text.split("\n")
        whole = [lines[line] if isinstance(line, int) else line for line in body]
        segments = [(kind, lines[piece] if isinstance(piece, int) else piece) for kind, piece in pieces]
    except (zstd.ZstdError, ValueError, LookupError) as fault:
        raise ValueError(f"is damaged ({fault})") from None
    bodies = list(filter(None, whole)) if in_lines else ["\n".join(whole)]
    texts = list(dict.fromkeys([title, headings, emphasis, meta, *bodies, *(text for _, text in segments)]))
    words: dict[str, Sequence[str]] = dict(zip(texts, segmenter.words_of(texts), strict=True))
    return PageWords(
        words[title],
        words[headings],
        words[emphasis],
        words[meta],
        list(chain.from_iterable(map(words.__getitem__, bodies))),
        segments_of(segments, [words[text] for _, text in segments]),
    )


# Digest of the stored text; title, headings, emphasis and metas; the lines of the body, and whether it is cut by lines; the segments.
_EVIDENCE = TypeAdapter(tuple[int, tuple[str, str, str, str], list[_Piece], bool, list[tuple[Kind, _Piece]]])
_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: LEVEL,
    zstd.CompressionParameter.checksum_flag: 1,
}


def _bytes(text: str) -> bytes:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace")  # as stores keep a text


def _digest(text: str) -> int:
    return crc32(_bytes(text))
