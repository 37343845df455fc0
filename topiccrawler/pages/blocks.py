"""What stands around blocks: how much of the page their elements hold, blocks of the same make, neighbours, place, the page.

The same sentence is text on one page and a teaser on another; what is repeated, dense or first on the page tells them apart.

What the text of each block is made of, counted for all blocks of a page at once.

Every character is looked up in one table of kinds, and counts are sums over slices: a page costs a handful of array
operations whatever it holds, linear in its length.

Where blocks stand: their tags, and the tags, regions and names of the elements around them.

Authors name elements for what they hold (class and id); a weight for each word of such names is part of the model.
Elements are looked at for all blocks at once, one step up the tree after another, at most MOST_STEPS.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topiccrawler.files import package_table
from topiccrawler.pages.document import Block, Document

Numbers = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[Any]]  # a feature's name, its value for each block

LETTER, CAPITAL, DIGIT, IDEOGRAPH, STOP, COMMA, MONEY, OTHER = range(8)
WORDS_AN_IDEOGRAPH = 0.6
FEW_WORDS = 10  # more are a sentence even without a sign
SCRAP = 0.3  # what a word counts as prose in less than a sentence
_SIGNS = {".!?;。！？；…": STOP, ",:，、：": COMMA, "$€£¥￥₹": MONEY}


def _kind_table() -> npt.NDArray[np.uint8]:
    table = np.full(0x10000, OTHER, np.uint8)
    for code in range(0x3000):
        if chr(code).isalpha():
            table[code] = CAPITAL if chr(code).isupper() else LETTER
    table[0x3040:0x3100] = table[0x3400:0xA000] = IDEOGRAPH  # kana and Han
    table[0xAC00:0xD7B0] = table[0xF900:0xFB00] = IDEOGRAPH  # Hangul, more Han
    table[0x30:0x3A] = DIGIT
    for signs, kind in _SIGNS.items():
        table[[ord(sign) for sign in signs]] = kind
    return table


_KINDS = _kind_table()


class BlockText(NamedTuple):
    """A row or a number a block."""

    size: Numbers  # characters
    kinds: Numbers  # characters of each kind
    words: Numbers
    link_share: Numbers  # of the characters
    prose: Numbers  # words outside links; those of a scrap count SCRAP
    last_kind: npt.NDArray[np.uint8]  # of the last character


def text_of_blocks(text: str, blocks: list[Block]) -> BlockText:
    """The counts of at least one block."""
    count = len(blocks)
    starts, ends, _, in_links = (np.array(column, np.int64) for column in zip(*blocks, strict=True))
    codes = np.frombuffer(text[: ends[-1]].encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _KINDS[np.minimum(codes, 0xFFFF)]
    in_word = kinds <= DIGIT
    begins = in_word.copy()
    begins[1:] &= ~in_word[:-1]
    owner = np.zeros(len(codes), np.int64)
    owner[starts[1:]] = 1
    np.cumsum(owner, out=owner)
    by_kind = np.bincount(owner * 8 + kinds, minlength=8 * count).reshape(count, 8).astype(np.float32)
    words = np.bincount(owner[begins], minlength=count) + WORDS_AN_IDEOGRAPH * by_kind[:, IDEOGRAPH]
    size = np.maximum(ends - starts, 1).astype(np.float32)
    link_share = in_links / size
    is_sentence = (by_kind[:, STOP] + by_kind[:, COMMA] > 0) | (words > FEW_WORDS)
    prose = words * (1 - link_share) * np.where(is_sentence, 1.0, SCRAP)
    return BlockText(
        size,
        by_kind,
        words.astype(np.float32),
        link_share.astype(np.float32),
        prose.astype(np.float32),
        kinds[ends - 1],
    )


MOST_STEPS = 24  # up the tree
FADING = 0.8  # a step, of what an element's name says
_MARKUP = package_table("pages/markup.toml")
_OWN_TAGS, _TAGS_ABOVE, _BLOCK_TAGS = (_MARKUP[of] for of in ("own_tags", "tags_above", "block_tags"))
TAG_CODES = {
    tag: code
    for code, tag in enumerate(
        dict.fromkeys(" ".join([*_OWN_TAGS, *_TAGS_ABOVE, *_BLOCK_TAGS]).split()), start=1
    )
}
_REGIONS = {"": 0, "body": 0, "navigation": 1, "header": 2, "aside": 3, "footer": 4}
_NAME_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]+(?![a-z])")


def _members(groups: list[str]) -> Numbers:
    """Tag code x group: 1 for the tags of a group."""
    table = np.zeros((len(TAG_CODES) + 1, len(groups)), np.float32)
    for column, group in enumerate(groups):
        table[[TAG_CODES[tag] for tag in group.split()], column] = 1
    return table


_IS_OWN = _members(_OWN_TAGS)
_ABOVE_BITS = (_members(_TAGS_ABOVE) @ (1 << np.arange(len(_TAGS_ABOVE)))).astype(np.int64)
_IS_BLOCK = _members([" ".join(_BLOCK_TAGS)])[:, 0] > 0


class Tree(NamedTuple):
    """The elements of a page, and where its blocks stand in them."""

    parents: Integers
    lasts: Integers  # the last element inside, or the element itself
    tags: Integers  # codes
    nodes: Integers  # of the blocks: the element of the first run
    homes: Integers  # of the blocks: the block element around it
    regions: Integers  # of the blocks: codes, 0 for the body


@lru_cache(maxsize=8192)
def name_words(names: str) -> tuple[str, ...]:
    """The words of a class and id, in lower case."""
    return tuple(
        sorted({word for found in _NAME_WORD.findall(names) if 2 <= len(word := found.lower()) <= 20})
    )


def tree_of(document: Document, blocks: list[Block]) -> Tree:
    """The elements as arrays."""
    parents = np.maximum(np.array(document.node_parents, np.int64), 0)
    tags = np.array([TAG_CODES.get(tag, 0) for tag in document.node_tags], np.int64)
    nodes = np.array([block.node for block in blocks], np.int64)
    homes = nodes
    for _ in range(4):
        homes = np.where(_IS_BLOCK[tags[homes]], homes, parents[homes])
    regions = np.array([_REGIONS[document.node_regions[block.node]] for block in blocks], np.int64)
    return Tree(parents, np.array(_lasts(document.node_parents), np.int64), tags, nodes, homes, regions)


def _lasts(parents: list[int]) -> list[int]:
    lasts = [*range(len(parents))]
    for node in range(len(parents) - 1, 0, -1):
        above = parents[node]
        if above >= 0 and lasts[node] > lasts[above]:
            lasts[above] = lasts[node]
    return lasts


def of_own_tags(tree: Tree) -> Columns:
    """The tags of a block's first element and of the block element around it."""
    own = np.maximum(_IS_OWN[tree.tags[tree.homes]], _IS_OWN[tree.tags[tree.nodes]])
    return {f"is {group}": column for group, column in zip(_OWN_TAGS, own.T, strict=True)}


def of_elements_above(document: Document, tree: Tree, name_weights: Callable[[str], float]) -> Columns:
    """Tags, regions and names of the elements around a block."""
    weights = np.zeros(len(tree.parents), np.float32)
    named = document.node_names
    weights[[*named]] = [name_weights(names) for names in named.values()]
    count = len(tree.nodes)
    bits, above = np.zeros(count, np.int64), _ABOVE_BITS[tree.tags]
    nearest, lowest, highest, total, faded, depth = np.zeros((6, count), np.float32)
    at, fade = tree.nodes, 1.0
    for _ in range(MOST_STEPS):
        bits |= above[at]
        here = weights[at]
        np.copyto(nearest, here, where=nearest == 0)
        np.minimum(lowest, here, out=lowest)
        np.maximum(highest, here, out=highest)
        total += here
        faded += fade * here
        fade *= FADING
        depth += at > 0
        at = tree.parents[at]
        if not at.any():
            break
    found: Columns = {
        f"in {group}": (bits >> place & 1).astype(np.float32) for place, group in enumerate(_TAGS_ABOVE)
    }
    for region, code in _REGIONS.items():
        if region:
            found[f"region {region}"] = (tree.regions == code).astype(np.float32)
    names = {"nearest": nearest, "lowest": lowest, "highest": highest, "sum": total, "faded": faded}
    return {**found, "depth": depth, **{f"name {name}": column for name, column in names.items()}}


_COUNTED_TAGS = ["article", "main", "table", "form", "li", "p", "pre", "button", "h2", "h3", "time", "dt"]


def _amounts(text: BlockText) -> npt.NDArray[np.float64]:
    """Words, words in links, prose and 1 of each block: what is summed up over sets of blocks."""
    return np.stack(
        [text.words, text.words * text.link_share, text.prose, np.ones_like(text.words)], 1, dtype=np.float64
    )


def of_shares(text: BlockText, tree: Tree) -> Columns:
    """What the elements around a block hold of the page: the block element itself and those above."""
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
    """What the blocks of the same make (tags and first class of the elements around) hold together."""
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
    """How far down the page, after the first main heading and after the last heading."""
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
    """Words, links and prose of the stretch of blocks around each."""
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
    """How often the same words stand on the page, and how often before."""
    texts = [document.text[block.start : block.end] for block in blocks]
    met: Counter[str] = Counter()
    before = []
    for text in texts:
        before.append(min(met[text], 5))
        met[text] += 1
    return {"copies before": np.array(before), "copies": np.log1p([met[text] for text in texts])}


def of_page(document: Document, text: BlockText, tree: Tree) -> dict[str, float]:
    """Figures of the page, the same in each row."""
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
