"""Classifies the blocks of a page as main text or not, with a small neural network over features of the blocks.

`BlockClassifier` is the network.
Formula    p = sigmoid(v . max(0, W x + b) + c) for each block, x its features scaled to mean 0, deviation 1 and cut at 5 deviations.
           Of all sets of blocks the one with the greatest expected token F1 is the text: with blocks in falling order of p and
           n words each, the first k that maximise 2 sum(p n, first k) / (sum(n, first k) + sum(p n, all)).
Parameters the model file, learned by lab/training/main_text_model.py from pages of seven kinds with gold text; LEAST_EXPECTED.
Cost       that of the features; the network itself is two matrix products (benchmarks/reading.py).
But        learned from pages in alphabetic scripts, most of them English.
Reference  Web2Text (Vogels 2018) learns blocks alike; choosing by expected F1: Ye and others 2012.

`features` makes a row of features for each block. What a block says by itself (words, links, signs, tag) tells text from the rest in
articles. On forums, lists and product pages the same sentence may be either. So each block also has features of its surroundings: the
elements it is in with their names, how much of the page they hold, the blocks of the same make, the neighbouring blocks, the position, and
numbers of the page.
Cost       a hundred array operations over the blocks, linear in blocks and elements besides one sort (benchmarks/reading.py).
Reference  boilerplate detection by shallow text features (Kohlschütter 2010), with neighbouring text (Web2Text 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache, partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile, compact, replace_file
from topiccrawler.pages.block_places import Columns, name_words, of_elements_above, of_own_tags, tree_of
from topiccrawler.pages.block_text import (
    CAPITAL,
    COMMA,
    DIGIT,
    MONEY,
    STOP,
    BlockText,
    Numbers,
    text_of_blocks,
)
from topiccrawler.pages.block_words import OpeningWeights, Weights, of_words, opening_weights
from topiccrawler.pages.blocks import of_copies, of_like_blocks, of_neighbours, of_page, of_place, of_shares
from topiccrawler.pages.document import Block, Document
from topiccrawler.resources import folder as data_folder


def features(
    document: Document,
    blocks: list[Block],
    name_weights: Callable[[str], float],
    openings: OpeningWeights,
    headings: Weights,
) -> tuple[list[str], Numbers]:
    """The names of the columns, and a row for each block. Needs at least one block.

    `name_weights`: the weight of a class and id, above 0 for main text, below 0 against it. `openings`, `headings`: the weights of words
    that short blocks begin with, and of headings.
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
        **of_words(document, blocks, text, openings, headings),
    }
    page = of_page(document, text, tree)
    rows = np.empty((len(blocks), len(columns) + len(page)), np.float32)
    for at, values in enumerate(columns.values()):
        rows[:, at] = values
    rows[:, len(columns) :] = [*page.values()]
    return [*columns, *page], rows


@cache
def feature_names() -> tuple[str, ...]:
    """The names of the columns, in order."""
    page = Document(
        "|-|", runs=[(1, 2, 0, False, 0)], node_parents=[-1], node_tags=["p"], node_regions=["body"]
    )
    return tuple(features(page, page.blocks, lambda _: 0.0, lambda _: (0.0, 0.0), {})[0])


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


FORMAT = "topiccrawler block classifier"
FILE = "main_text/blocks.json"  # within the folder of models
LARGEST_BYTES = 4_000_000
LARGEST = 1e6
LEAST_EXPECTED = 0.2  # expected F1; a page with less has no main text
MOST_DEVIATIONS = 5.0
MOST_NAMES = 20_000  # and openings whose weights are kept in memory
REMEDY = "install topiccrawler again, or learn it again: python -m topiccrawler.lab.training.main_text_model"


@dataclass(frozen=True)
class BlockClassifier:
    """The learned network: scaling of features, one hidden layer, and the weights of name words."""

    means: Numbers
    deviations: Numbers
    hidden: Numbers  # weights of the hidden layer, feature x unit
    hidden_bias: Numbers
    out: Numbers  # one weight a unit
    out_bias: float
    words: dict[str, float]  # weights of words in class and id: above 0 for main text
    openings: dict[str, float] = field(default_factory=dict)  # of words that short blocks begin with
    headings: dict[str, float] = field(default_factory=dict)  # of words in headings
    training: dict[str, Any] = field(default_factory=dict)

    def chosen(self, document: Document, blocks: list[Block]) -> list[Block]:
        """The blocks that are main text, in page order."""
        names, rows = features(document, blocks, self.name_weight, self.opening_weights, self.headings)
        words = np.expm1(rows[:, names.index("words")])
        return [blocks[at] for at in best_set(self.probabilities(rows), words)]

    def probabilities(self, rows: Numbers) -> Numbers:
        """The probability of each row of features to be main text."""
        scaled = np.clip((rows - self.means) / self.deviations, -MOST_DEVIATIONS, MOST_DEVIATIONS)
        score = np.maximum(scaled @ self.hidden + self.hidden_bias, 0) @ self.out + self.out_bias
        found: Numbers = 1 / (1 + np.exp(-np.clip(score, -30, 30)))
        return found

    @cached_property
    def name_weight(self) -> Callable[[str], float]:
        """The weight of a class and id: that of its word with the largest absolute weight; 0 without known words. Cached."""
        weight = self.words.get
        return lru_cache(MOST_NAMES)(
            lambda names: max((weight(word, 0.0) for word in name_words(names)), key=abs, default=0.0)
        )

    @cached_property
    def opening_weights(self) -> OpeningWeights:
        """The lowest weight of the first words of a short block, and their sum. Cached: sites repeat lines."""
        return lru_cache(MOST_NAMES)(partial(opening_weights, weights=self.openings))


def best_set(chances: Numbers, sizes: Numbers) -> list[int]:
    """The indices of the set of blocks with the greatest expected F1, in page order; none if that is below LEAST_EXPECTED.

    `chances`: the probability of each block to be main text; `sizes`: its words.
    """
    sizes = sizes + 0.01
    order = np.argsort(-chances, kind="stable")
    right = np.cumsum((chances * sizes)[order])
    expected = 2 * right / (np.cumsum(sizes[order]) + right[-1] + 1e-9)
    most = int(np.argmax(expected))
    return sorted(order[: most + 1].tolist()) if expected[most] >= LEAST_EXPECTED else []


@cache
def shipped_classifier() -> BlockClassifier:
    """The block classifier that the package contains."""
    return load_block_classifier()


def save_block_classifier(model: BlockClassifier, place: Path) -> None:
    """Write a block classifier as JSON, with one line for each feature and each word."""
    head = {
        "format": FORMAT,
        "training": model.training,
        "hidden bias": _rounded(model.hidden_bias),
        "out": _rounded(model.out),
        "out bias": round(model.out_bias, 4),
    }
    lines = [f"{compact(name)}: {compact(value)}" for name, value in head.items()]
    table = _rounded(np.column_stack([model.means, model.deviations, model.hidden]))
    rows = zip(feature_names(), table, strict=True)
    lines.append(_table("features", [(name, compact(row)) for name, row in rows]))
    for name, words in (("words", model.words), ("openings", model.openings), ("headings", model.headings)):
        lines.append(
            _table(name, [(word, compact(round(weight, 2))) for word, weight in sorted(words.items())])
        )
    replace_file(place, "{" + ",\n".join(lines) + "}\n")


def _rounded(numbers: Numbers) -> list[Any]:
    found: list[Any] = numbers.astype(np.float64).round(4).tolist()
    return found


def _table(name: str, rows: list[tuple[str, str]]) -> str:
    return f"{compact(name)}: {{\n" + ",\n".join(f"{compact(key)}: {value}" for key, value in rows) + "\n}"


def load_block_classifier(folder: Path | Traversable | None = None) -> BlockClassifier:
    """The block classifier in a folder of models, by default the shipped one. ModelError when the file cannot be used."""
    place = (folder or data_folder("models")).joinpath(*FILE.split("/"))
    file = JsonFile(place, LARGEST_BYTES, ModelError, "block classifier", REMEDY)
    file.expect({"format": FORMAT})
    model, table = file.values, file.mapping("features")
    words, openings, headings = (file.mapping(name) for name in ("words", "openings", "headings"))
    if tuple(table) != feature_names():
        raise file.refused("has other features than this program")
    bias = model.get("hidden bias")
    units = len(bias) if isinstance(bias, list) else 0
    rows = _numbers(file, [*table.values()], units + 2)
    hidden_bias, out = _numbers(file, [bias, model.get("out")], units)
    for weights in (words, openings, headings):
        _numbers(file, [[weight] for weight in weights.values()], 1)
    return BlockClassifier(
        means=rows[:, 0],
        deviations=rows[:, 1],
        hidden=np.ascontiguousarray(rows[:, 2:]),
        hidden_bias=hidden_bias,
        out=out,
        out_bias=file.number("out bias", -LARGEST, LARGEST),
        words=words,
        openings=openings,
        headings=headings,
        training=file.mapping("training"),
    )


def _numbers(file: JsonFile, rows: list[Any], width: int) -> Numbers:
    return np.array(file.rows(rows, width, LARGEST), dtype=np.float32).reshape(len(rows), width)
