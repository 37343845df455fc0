"""The main text of a page: what its author wrote, without navigation, advertisements and legal lines.

Chinese and other alphabets want two readings. Sentences of Chinese run without blanks and articles stand in one piece: the stretch with the
most prose is the text (pages.prose_stretch), and a hub has none. The block classifier (pages.blocks.classifier) was learned from pages of
seven kinds in alphabetic scripts, where a list, a forum or a product has text too; on Chinese pages it was never tried. So the script
decides: from HAN_SHARE of the characters on the page is Chinese.
Copies     some pages hold their article twice, for another layout. A block of LONG_CHARACTERS or more that stood before, word for
           word, is left out, and so are the short ones that follow their like in both places.
Bounds     the first MOST_BLOCKS blocks are looked at.
But        a page without main text is "", and the page classifier uses all its text.
"""

from __future__ import annotations

from topiccrawler.pages.blocks.classifier import shipped_classifier
from topiccrawler.pages.document import BOUNDARY, Block, Document
from topiccrawler.pages.prose_stretch import prose_stretch
from topiccrawler.text.script_counts import script_counts

HAN_SHARE = 0.1
LONG_CHARACTERS = 60
MOST_BLOCKS = 20_000


def main_text(document: Document) -> str:
    """Blocks of the main text, one a line; empty when the page has none."""
    blocks = document.blocks[:MOST_BLOCKS]
    if not blocks:
        return ""
    read = prose_stretch if is_chinese(document) else shipped_classifier().chosen
    return "\n".join(lines_of(document, read(document, blocks)))


def lines_of(document: Document, blocks: list[Block]) -> list[str]:
    """The texts of blocks, copies left out."""
    texts = [document.text[block.start : block.end].replace(BOUNDARY, " ") for block in blocks]
    return _without_copies(texts)


def is_chinese(document: Document) -> bool:
    """Is a fair part of the page's text in Han characters?"""
    return script_counts(document.text)["han"] >= HAN_SHARE * len(document.text)


def _without_copies(lines: list[str]) -> list[str]:
    kept: list[str] = []
    places: dict[str, int] = {}
    following = -1  # in `kept`: the line that would go on with the copy
    for line in lines:
        place = places.get(line, -1) if len(line) >= LONG_CHARACTERS else -1
        if 0 <= following < len(kept) and kept[following] == line:
            place = following
        if place >= 0:
            following = place + 1
        else:
            following = -1
            places.setdefault(line, len(kept))
            kept.append(line)
    return kept
