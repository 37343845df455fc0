"""Features of a block's surroundings: the share of the page its elements hold, like blocks, neighbours, position, and the page.

The same sentence is text on one page and a teaser on another. What is repeated, dense or first on the page tells them apart.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from topiccrawler.pages.block_places import TAG_CODES, Columns, Tree
from topiccrawler.pages.block_text import MONEY, BlockText
from topiccrawler.pages.document import Block, Document

_COUNTED_TAGS = ["article", "main", "table", "form", "li", "p", "pre", "button", "h2", "h3", "time", "dt"]


def _amounts(text: BlockText) -> npt.NDArray[np.float64]:
    """The amounts that are summed over sets of blocks: words, words in links, prose, and 1 for each block."""
    return np.stack(
        [text.words, text.words * text.link_share, text.prose, np.ones_like(text.words)], 1, dtype=np.float64
    )


def of_shares(text: BlockText, tree: Tree) -> Columns:
    """Features of how much of the page the block element and the elements above it hold."""
    amounts = _amounts(text)
    sums = np.zeros((len(tree.parents) + 1, 4))
    for column in range(4):
        sums[1:, column] = np.bincount(tree.nodes, amounts[:, column], len(tree.parents))
    np.cumsum(sums, axis=0, out=sums)
    whole = sums[-1]
    found: Columns = {}
    at = tree.homes
    for name in ("home", "up 1", "up 2", "up 3", "up 5", "up 6"):
        words, links, prose, count = (sums[tree.lasts[at] + 1] - sums[at]).T
        found[f"{name} words"] = words / (whole[0] + 1)
        found[f"{name} prose"] = prose / (whole[2] + 1)
        found[f"{name} links"] = links / (words + 1)
        found[f"{name} blocks"] = np.log1p(count)
        found[f"{name} words a block"] = np.log1p(words / count)
        at = tree.parents[at]
        if name == "up 3":
            at = tree.parents[at]
    return found


def of_like_blocks(document: Document, text: BlockText, tree: Tree) -> Columns:
    """Features of the blocks of the same make (tags and first class of the elements around), all together."""
    labels = tree.tags * 7919
    numbers: dict[str, int] = {}
    for node, names in document.node_names.items():
        labels[node] += numbers.setdefault(names.partition(" ")[0], len(numbers) + 1)
    above = tree.parents[tree.homes]
    make = ((labels[tree.nodes] * 31 + labels[tree.homes]) * 31 + labels[above]) * 31 + labels[
        tree.parents[above]
    ]
    _, group, count = np.unique(make, return_inverse=True, return_counts=True)
    words, links, prose = (np.bincount(group, column)[group] for column in _amounts(text).T[:3])
    alike = count[group]
    return {
        "alike": np.log1p(alike),
        "alike words": words / (text.words.sum() + 1),
        "alike prose": prose / (text.prose.sum() + 1),
        "alike links": links / (words + 1),
        "alike words a block": np.log1p(words / alike),
    }


def of_place(document: Document, blocks: list[Block], text: BlockText) -> Columns:
    """Features of the position: how far down the page, from the first h1, and after the last heading."""
    count = len(blocks)
    index = np.arange(count)
    starts = np.array([block.start for block in blocks], np.int64)
    marks = document.heading_marks
    place = np.searchsorted(starts, [mark.start for mark in marks])
    main = [at for at, mark in zip(place.tolist(), marks, strict=True) if mark.level == 1]
    away = index - main[0] if main else np.zeros(count)
    before = np.searchsorted([mark.start for mark in marks], starts, "right") - 1
    since, level = np.full(count, 5.0), np.zeros(count)
    if marks:
        under = before >= 0
        since[under] = np.log1p(np.maximum(index - place[before], 0))[under]
        level[under] = np.array([mark.level for mark in marks])[before][under]
    return {
        "place": np.cumsum(text.words) / (text.words.sum() + 1),
        "prose place": np.cumsum(text.prose) / (text.prose.sum() + 1),
        "blocks before": np.log1p(index),
        "blocks after": np.log1p(index[::-1]),
        "after h1": np.sign(away) * np.log1p(np.abs(away)),
        "before h1": (away < 0).astype(np.float32),
        "since heading": since,
        "level of heading": level,
    }


def of_neighbours(text: BlockText) -> Columns:
    """Features of the stretch of blocks around each block: words, links and prose, for several reaches."""
    sums = np.vstack([np.zeros(4), np.cumsum(_amounts(text), axis=0)])
    index = np.arange(len(sums) - 1)
    found: Columns = {}
    for reach in (1, 2, 5, 15):
        first, end = np.maximum(index - reach, 0), np.minimum(index + reach + 1, len(index))
        words, links, prose, count = (sums[end] - sums[first]).T
        found[f"around {reach} words a block"] = np.log1p(words / count)
        found[f"around {reach} links"] = links / (words + 1)
        found[f"around {reach} prose"] = prose / (words + 1)
    return found


def of_copies(document: Document, blocks: list[Block]) -> Columns:
    """Features of repetition: how often the same text is on the page, and how often before this block."""
    texts = [document.text[block.start : block.end] for block in blocks]
    met: Counter[str] = Counter()
    before = []
    for text in texts:
        before.append(min(met[text], 5))
        met[text] += 1
    return {"copies before": np.array(before), "copies": np.log1p([met[text] for text in texts])}


def of_page(document: Document, text: BlockText, tree: Tree) -> dict[str, float]:
    """Features of the whole page, equal for all its blocks."""
    kind = document.metas.get("og:type", "").lower()
    prose, words = text.prose.astype(np.float64), text.words.astype(np.float64)
    all_prose = prose.sum() + 1
    tags = np.bincount(tree.tags, minlength=len(TAG_CODES) + 1)
    return {
        "og article": float("article" in kind or "blog" in kind),
        "og product": float("product" in kind),
        "og website": float("website" in kind),
        "og": float(bool(kind)),
        "published": float(any("published" in name for name in document.metas)),
        "h1": min(sum(mark.level == 1 for mark in document.heading_marks), 3),
        "page words": np.log1p(words.sum()),
        "page prose": np.log1p(prose.sum()),
        "page links": (words * text.link_share).sum() / (words.sum() + 1),
        "page blocks": np.log1p(len(prose)),
        "page prose in p": prose[tree.tags[tree.homes] == TAG_CODES["p"]].sum() / all_prose,
        "page longest": prose.max() / all_prose,
        "page prose in body": prose[tree.regions == 0].sum() / all_prose,
        "page prose deviation": np.log1p(prose.std()),
        "page money": np.log1p(text.kinds[:, MONEY].sum()),
        **{f"count {tag}": np.log1p(tags[TAG_CODES[tag]]) for tag in _COUNTED_TAGS},
    }
