"""Features of the words of short blocks and of the headings above a block, by learned weights of words.

"Read also", "Photo" and "5 comments" are no text, and neither is what stands below the headings "Related" and "Comments". Their places and
tags differ from site to site, their words do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from topiccrawler.pages.block_places import Columns
from topiccrawler.pages.block_text import BlockText
from topiccrawler.pages.document import Block, Document

MOST_WORDS = 15  # of a short block
MOST_CHARACTERS = 120  # of an opening or a heading
OPENING = 6  # words of it that count
HEADING_WORDS = 8  # of a heading that count
REACH = 5  # blocks

_WORD = re.compile(r"[^\W\d_]{2,20}")

Weights = Mapping[str, float]  # word -> above 0 for main text, below 0 against it
# Of the text of a short block: the lowest weight of its first words, and their sum.
OpeningWeights = Callable[[str], tuple[float, float]]


def opening_words(text: str, most: int) -> list[str]:
    """The first words of a text, in lower case."""
    return _WORD.findall(text[:MOST_CHARACTERS].lower())[:most]


def opening_weights(text: str, weights: Weights) -> tuple[float, float]:
    """The lowest weight of the first words of a text, and their sum; 0 and 0 without known words."""
    found = [weights[word] for word in opening_words(text, OPENING) if word in weights]
    return (min(found), sum(found)) if found else (0.0, 0.0)


def of_words(
    document: Document, blocks: Sequence[Block], text: BlockText, openings: OpeningWeights, headings: Weights
) -> Columns:
    """Features of the words of blocks and of the headings above them: the nearest, and the one furthest from text since the first h1."""
    count = len(blocks)
    lowest, total = np.zeros((2, count), np.float32)
    page = document.text
    for at in np.flatnonzero(text.words <= MOST_WORDS).tolist():
        start, end, _, _ = blocks[at]
        lowest[at], total[at] = openings(page[start:end])
    nearest, worst = np.zeros((2, count), np.float32)
    marks = document.heading_marks
    if marks:
        weights = np.array([heading_weight(mark.text, headings) for mark in marks], np.float32)
        above = (
            np.searchsorted([mark.start for mark in marks], [block.start for block in blocks], "right") - 1
        )
        under = above >= 0
        nearest[under] = weights[above[under]]
        weights[: next((at for at, mark in enumerate(marks) if mark.level == 1), 0) + 1] = 0
        worst[under] = np.minimum.accumulate(weights)[above[under]]
    around = np.convolve(lowest, np.ones(REACH), "same")[:count] if count >= REACH else lowest
    return {
        "opening lowest": lowest,
        "opening sum": total,
        "openings around": around,
        "heading": nearest,
        "worst heading": worst,
    }


def heading_weight(text: str, headings: Weights) -> float:
    """The weight of a heading: that of its word with the largest absolute weight; 0 without known words."""
    return max((headings.get(word, 0.0) for word in opening_words(text, HEADING_WORDS)), key=abs, default=0.0)
