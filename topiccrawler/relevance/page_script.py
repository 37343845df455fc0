"""Tells pages in Japanese or Korean from pages in Chinese, by the script beside Chinese characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from topiccrawler.pages.site_repeats import Segment
from topiccrawler.text.characters import script_counts
from topiccrawler.text.segmenter import HAN

CHINESE = re.compile(f"[{HAN}]")
MOST_READ = 20_000  # characters of a page that tell its language
LEAST_SCRIPT = 0.1  # kana or hangul of a Japanese or Korean page for each Chinese character; running Japanese has one or more


def script_of(words: Iterable[str]) -> str:
    """The script beside Chinese characters that pages of these words have: "kana" for Japanese words, "hangul" for Korean ones, else ""."""
    text = " ".join(words)
    counts = script_counts(text, ("kana", "hangul"))
    if counts["hangul"]:
        return "hangul"
    return "kana" if counts["kana"] or any(map(_is_japanese, text)) else ""


def _is_japanese(character: str) -> bool:
    """Whether a character is in Japanese character sets and in no Chinese one: 駅, 図."""
    is_chinese = _has("gb2312", character) or _has("big5", character)
    return bool(CHINESE.match(character)) and _has("cp932", character) and not is_chinese


def _has(charset: str, character: str) -> bool:
    try:
        character.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def is_written_in(script: str, segments: Iterable[Segment]) -> bool:
    """Whether a page is in the language of a script of `script_of`: by its text, else by its words."""
    text = " ".join(segment.text or " ".join(segment.words) for segment in segments)[:MOST_READ]
    counts = script_counts(text, (script, "han"))
    return counts[script] > max(2, LEAST_SCRIPT * counts["han"])
