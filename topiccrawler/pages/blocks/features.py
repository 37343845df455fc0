"""Features of a page's blocks, a row a block: what the block classifier sees.

What a block says by itself (words, links, signs, tag) tells text from the rest in articles; on forums, lists and product
pages the same sentence may be either. So each block is also seen with what stands around it: the elements it
stands in with their names, how much of the page they hold, the blocks of the same make, its neighbours, its place, and
figures of the page.
Cost       a hundred array operations over the blocks, linear in blocks and elements besides one sort (benchmarks/reading.py).
Reference  boilerplate detection by shallow text features (Kohlschütter 2010), with neighbouring text (Web2Text 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from topiccrawler.pages.blocks.context import (
    of_copies,
    of_like_blocks,
    of_neighbours,
    of_page,
    of_place,
    of_shares,
)
from topiccrawler.pages.blocks.text import (
    CAPITAL,
    COMMA,
    DIGIT,
    MONEY,
    STOP,
    BlockText,
    Columns,
    Numbers,
    text_of_blocks,
)
from topiccrawler.pages.blocks.tree import of_elements_above, of_own_tags, tree_of
from topiccrawler.pages.document import Block, Document


def features(
    document: Document, blocks: list[Block], name_weights: Callable[[str], float]
) -> tuple[list[str], Numbers]:
    """Names of the columns, and a row for each of at least one block.

    `name_weights`: how much a class and id say for text (above 0) or against it.
    """
    text = text_of_blocks(document.text, blocks)
    tree = tree_of(document, blocks)
    columns: Columns = {
        **_of_text(text),
        **of_own_tags(tree),
        **of_elements_above(document, tree, name_weights),
        **of_shares(text, tree),
        **of_like_blocks(document, text, tree),
        **of_place(document, blocks, text),
        **of_neighbours(text),
        **of_copies(document, blocks),
    }
    page = of_page(document, text, tree)
    rows = np.empty((len(blocks), len(columns) + len(page)), np.float32)
    for at, values in enumerate(columns.values()):
        rows[:, at] = values
    rows[:, len(columns) :] = [*page.values()]
    return [*columns, *page], rows


@cache
def feature_names() -> tuple[str, ...]:
    """The names of the columns, in order: those of the smallest page."""
    page = Document(
        "|-|", runs=[(1, 2, 0, False, 0)], node_parents=[-1], node_tags=["p"], node_regions=["body"]
    )
    return tuple(features(page, page.blocks, lambda _: 0.0)[0])


def _of_text(text: BlockText) -> Columns:
    signs = text.kinds[:, STOP] + text.kinds[:, COMMA]
    return {
        "words": np.log1p(text.words),
        "link share": text.link_share,
        "link words": np.log1p(text.words * text.link_share),
        "prose": np.log1p(text.prose),
        "stops": np.log1p(text.kinds[:, STOP]),
        "commas": np.log1p(text.kinds[:, COMMA]),
        "signs a word": signs / (text.words + 2),
        "digits": text.kinds[:, DIGIT] / text.size,
        "capitals": text.kinds[:, CAPITAL] / text.size,
        "money": np.minimum(text.kinds[:, MONEY], 2),
        "ends with stop": (text.last_kind == STOP).astype(np.float32),
        "ends with sign": (text.last_kind >= STOP).astype(np.float32),
        "ends with digit": (text.last_kind == DIGIT).astype(np.float32),
    }
