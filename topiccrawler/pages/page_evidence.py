"""Packs what a page classifier reads of a page, so that a stored page can be classified again exactly as when it was fetched.

The conflict: a page store has title, meta keywords, description and main text; headings, tags, categories, the lines that the site repeats,
and all text of a page without main text are gone, and with them a part of the page's evidence. Storing the words would fix the segmenter,
but a topic keeps its own words whole. So the texts are packed, and cut into words when they are read again.
Most of them are in the main text, so they are compressed with the stored text as a dictionary. The words are those by which the page was
classified: segments that the site repeated at that time are left out.
Cost: 0.12 ms to pack a page and 0.7 ms to read it, most of it for the segmenter; 1.8 kB (600 pages of recorded blogs, half of them lists).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

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

LEVEL = 1
MOST_BYTES = 10_000_000  # of the texts of a page; twice as many as can be packed
LEAST_PREFIX = 8  # bytes; zstd accepts no shorter dictionary


def packed(reading: Reading) -> bytes:
    """The evidence of a page that was read, for `unpacked` with the page's stored text (`reading.main_text`)."""
    content, document = reading.content, reading.document
    metas, main = document.metas, content.main_text
    is_main = len(main) >= SHORTEST_MAIN_TEXT
    segments = [(segment.kind, segment.text) for segment in reading.words.segments]
    texts = [
        content.title,
        "|".join(document.headings)[:MOST_BODY_CHARACTERS],
        "|".join(document.emphasis)[:MOST_BODY_CHARACTERS],
        f"{metas.get('keywords', '')}|{metas.get('description', '')}"[:MOST_BODY_CHARACTERS],
        (main if is_main else document.text)[:MOST_BODY_CHARACTERS],
    ]
    # as `pages.read.page_words` cuts the body
    in_lines = is_main and any(segment.kind == "text" for segment in content.words.segments)
    body = json.dumps([texts, in_lines, segments], ensure_ascii=False, separators=(",", ":"))
    return zstd.compress(_bytes(body), zstd_dict=_prefix(reading.main_text), options=_OPTIONS)


def unpacked(evidence: bytes, text: str, segmenter: Segmenter) -> PageWords:
    """The words of a page from its evidence. `text`: its stored text. ValueError for damaged evidence, and for another text."""
    try:
        frame = zstd.ZstdDecompressor(zstd_dict=_prefix(text))
        found = frame.decompress(evidence, MOST_BYTES)
        (title, headings, emphasis, meta, body), in_lines, segments = _EVIDENCE.validate_json(found)
    except (zstd.ZstdError, ValueError) as fault:
        raise ValueError(f"is damaged ({fault})") from None
    bodies: list[str] = list(filter(None, body.split("\n"))) if in_lines else [body]
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


# The five texts, whether the last one is cut by lines, and kind and text of each segment.
_EVIDENCE = TypeAdapter(tuple[tuple[str, str, str, str, str], bool, list[tuple[Kind, str]]])
_OPTIONS: dict[int, int] = {
    zstd.CompressionParameter.compression_level: LEVEL,
    zstd.CompressionParameter.checksum_flag: 1,
}


def _bytes(text: str) -> bytes:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace")  # as stores keep a text


def _prefix(text: str) -> Any:
    known = _bytes(text)
    return zstd.ZstdDict(known, is_raw=True).as_prefix if len(known) >= LEAST_PREFIX else None
