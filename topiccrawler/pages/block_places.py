"""Features of where blocks are in the tree: their tags, and the tags, regions and names of the elements around them.

Authors name elements for what they hold (class and id), so the model has a weight for each word of such names.
Elements are read for all blocks at once, one step up the tree after another, at most MOST_STEPS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from topiccrawler.pages.block_text import Numbers
from topiccrawler.pages.document import Block, Document
from topiccrawler.resources import package_table

Integers = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[Any]]  # name of a feature -> its value for each block


MOST_STEPS = 24  # up the tree from a block
FADING = 0.8  # factor of an element name's weight for each step up the tree
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
    """A table, tag code x group of tags: 1 for the tags of a group, else 0."""
    table = np.zeros((len(TAG_CODES) + 1, len(groups)), np.float32)
    for column, group in enumerate(groups):
        table[[TAG_CODES[tag] for tag in group.split()], column] = 1
    return table


_IS_OWN = _members(_OWN_TAGS)
_ABOVE_BITS = (_members(_TAGS_ABOVE) @ (1 << np.arange(len(_TAGS_ABOVE)))).astype(np.int64)
_IS_BLOCK = _members([" ".join(_BLOCK_TAGS)])[:, 0] > 0


class Tree(NamedTuple):
    """The elements of a page as arrays, and the elements that its blocks are in."""

    parents: Integers
    lasts: Integers  # index of the last element inside, or of the element itself
    tags: Integers  # codes of TAG_CODES, 0 for other tags
    nodes: Integers  # for each block: the element of its first run
    homes: Integers  # for each block: the block element around it
    regions: Integers  # for each block: code of its region, 0 for the body


@lru_cache(maxsize=8192)
def name_words(names: str) -> tuple[str, ...]:
    """The words of a class and id: in lower case, each once, sorted."""
    return tuple(
        sorted({word for found in _NAME_WORD.findall(names) if 2 <= len(word := found.lower()) <= 20})
    )


def tree_of(document: Document, blocks: list[Block]) -> Tree:
    """The elements of a page as arrays, with the positions of these blocks."""
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
    """Features of a block's own tags: that of its first element and that of the block element around it."""
    own = np.maximum(_IS_OWN[tree.tags[tree.homes]], _IS_OWN[tree.tags[tree.nodes]])
    return {f"is {group}": column for group, column in zip(_OWN_TAGS, own.T, strict=True)}


def of_elements_above(document: Document, tree: Tree, name_weights: Callable[[str], float]) -> Columns:
    """Features of the elements around a block: their tags, regions and names."""
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
