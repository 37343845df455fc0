"""Learns the block classifier of main texts from pages with gold text, and measures it on sites it has not seen.

    python benchmarks/main_text_model.py DIR [--folds 5] [--out models/main_text/blocks.json]

DIR holds ID.html.gz, ID.txt and manifest.tsv (id, page_type, url). Nothing is learned from pages in Chinese:
another rule reads them. Prints the mean F1 of bags of tokens by page type, each page read by a network that saw no page of its site;
with --out, writes the one learned from all pages. The same pages give the same model on the same machine.

Label        1 for a block with half of its tokens in the gold text (_gold_blocks).
Weight       of a block: its words, over the words of the gold text and a share of those of the page, so that pages count alike.
Name words   log odds of a class or id word for text, shrunk, each site counting once; for the pages a network learns from they
             come from other sites, or it would trust them too far.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed
import numpy as np
import numpy.typing as npt
from _gold_blocks import FOUND, gold_shares, tokens
from sklearn.neural_network import MLPClassifier
from tqdm import tqdm

from topiccrawler.pages.block_classifier import BlockClassifier, features, save_block_classifier
from topiccrawler.pages.block_places import name_words
from topiccrawler.pages.block_text import Numbers
from topiccrawler.pages.document import Block, Document
from topiccrawler.pages.main_text import is_chinese, prose_stretch, without_copies
from topiccrawler.pages.parse import parse
from topiccrawler.text.characters import decode
from topiccrawler.urls.canonical import registered_domain

UNITS = 32
EPOCHS = 16
KEPT_EPOCHS = 8  # the mean of their weights is the network
EPOCH_ROWS = 60_000
BATCH = 512
RATE = 1e-3
DECAY = 2.5
PAGE_SHARE = 0.3
LEAST_WORDS = 20.0
MOST_WEIGHT = 20.0
LEAST_SITES = 4  # for a name word
SHRINKING = 6.0  # sites
NAME_FOLDS = 3


@dataclass(frozen=True)
class GoldPage:
    """A page with its labels."""

    kind: str
    is_learnt: bool
    site: str
    document: Document
    blocks: list[Block]
    gold: list[str]
    labels: Numbers
    sizes: Numbers  # tokens of the blocks


def read_pages(folder: Path) -> list[GoldPage]:
    """All pages of the manifest."""
    with (folder / "manifest.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    pages = []
    for row in tqdm(rows, desc="labels", leave=False):
        document = parse(decode(gzip.decompress((folder / f"{row['id']}.html.gz").read_bytes()))[0])
        blocks = document.blocks
        in_blocks = [tokens(document.text[block.start : block.end]) for block in blocks]
        gold = tokens((folder / f"{row['id']}.txt").read_text(encoding="utf-8"))
        labels = np.array([share >= FOUND for share in gold_shares(in_blocks, gold)], np.float32)
        site = registered_domain(row["url"])
        sizes = np.array([len(block) for block in in_blocks], np.float32)
        is_learnt = bool(blocks) and not is_chinese(document)
        pages.append(GoldPage(row["page_type"], is_learnt, site, document, blocks, gold, labels, sizes))
    return pages


def fold_of(site: str, folds: int, salt: str = "") -> int:
    """The same for the same site on every machine."""
    return int.from_bytes(hashlib.sha256(f"{salt}{site}".encode()).digest()[:4]) % folds


def name_weights(pages: Iterable[GoldPage]) -> dict[str, float]:
    """Log odds of each word of classes and ids."""
    by_site: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    texts = []
    for page in pages:
        texts.append(float(page.labels @ page.sizes) / max(1.0, float(page.sizes.sum())))
        for word, share in _shares_of_words(page).items():
            by_site[word][page.site].append(share)
    prior = min(max(statistics.mean(texts), 0.1), 0.9)
    weights = {}
    for word, sites in by_site.items():
        if len(sites) >= LEAST_SITES:
            text = sum(map(statistics.mean, sites.values()))
            odds = (text + prior * SHRINKING) / (len(sites) - text + (1 - prior) * SHRINKING)
            weights[word] = float(np.log(odds * (1 - prior) / prior))
    return weights


def _shares_of_words(page: GoldPage) -> dict[str, float]:
    """The share of main text in all that stands in elements with that word in their names."""
    document = page.document
    above: list[frozenset[str]] = []
    for node, parent in enumerate(document.node_parents):
        outer = above[parent] if parent >= 0 else frozenset()
        names = document.node_names.get(node)
        above.append(outer.union(name_words(names)) if names else outer)
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for block, size, label in zip(page.blocks, page.sizes.tolist(), page.labels.tolist(), strict=True):
        for word in above[block.node] if size else ():
            sums[word][0] += size * label
            sums[word][1] += size
    return {word: text / whole for word, (text, whole) in sums.items()}


def learn(pages: list[GoldPage]) -> BlockClassifier:
    """A network from those of the pages that it is for."""
    pages = [page for page in pages if page.is_learnt]
    rows: dict[int, Numbers] = {}
    for fold in range(NAME_FOLDS):
        folds = [fold_of(page.site, NAME_FOLDS, "names") for page in pages]
        weights = name_weights(page for page, its in zip(pages, folds, strict=True) if its != fold)
        for at in [at for at, its in enumerate(folds) if its == fold]:
            rows[at] = features(pages[at].document, pages[at].blocks, _Names(weights).weight)[1]
    table = np.concatenate([rows[at] for at in range(len(pages))])
    labels = np.concatenate([page.labels for page in pages])
    shares = np.concatenate(
        [
            page.sizes / (page.sizes @ page.labels + PAGE_SHARE * page.sizes.sum() + LEAST_WORDS)
            for page in pages
        ]
    )
    chances = np.cumsum(np.minimum(shares / shares.mean(), MOST_WEIGHT), dtype=np.float64)
    means, deviations = table.mean(0, dtype=np.float64), table.std(0, dtype=np.float64) + 0.01
    scaled = np.clip((table - means) / deviations, -5, 5).astype(np.float32)
    hidden, out, hidden_bias, out_bias = _network(scaled, labels > 0, chances)
    return BlockClassifier(
        means.astype(np.float32),
        deviations.astype(np.float32),
        hidden,
        hidden_bias,
        out[:, 0],
        float(out_bias[0]),
        name_weights(pages),
        training={"pages": len(pages), "sites": len({page.site for page in pages})},
    )


def _network(
    table: Numbers, labels: npt.NDArray[np.bool_], chances: npt.NDArray[np.float64]
) -> list[Numbers]:
    """Weights of the hidden units, of the output, and their biases; rows are drawn by their (cumulative) chances."""
    draw = np.random.default_rng(0)
    network = MLPClassifier((UNITS,), alpha=DECAY, batch_size=BATCH, learning_rate_init=RATE, random_state=0)
    kept = []
    for epoch in range(EPOCHS):
        spread = (draw.permutation(EPOCH_ROWS) + draw.random(EPOCH_ROWS)) / EPOCH_ROWS
        drawn = np.searchsorted(chances, spread * chances[-1]).clip(0, len(table) - 1)
        network.partial_fit(table[drawn], labels[drawn], classes=[False, True])
        if epoch >= EPOCHS - KEPT_EPOCHS:
            kept.append([array.copy() for array in (*network.coefs_, *network.intercepts_)])
    return [
        np.mean(arrays, axis=0, dtype=np.float64).astype(np.float32) for arrays in zip(*kept, strict=True)
    ]


class _Names:
    """The weight of names before there is a classifier."""

    def __init__(self, words: dict[str, float]) -> None:
        empty = np.zeros((1, 1), np.float32)
        self.weight = BlockClassifier(empty, empty, empty, empty, empty, 0.0, words).name_weight


def f1(found: Iterable[str], gold: list[str]) -> float:
    """F1 of two bags of tokens."""
    left, right = Counter(found), Counter(gold)
    whole = left.total() + right.total()
    return 2 * (left & right).total() / whole if whole else 1.0


def main() -> None:
    """Cross-validate, learn, write."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--folds", type=int, default=5, help="of sites; 0: do not cross-validate")
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    pages = read_pages(given.folder)
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        save_block_classifier(learn(pages), given.out)
    scores: dict[str, list[float]] = defaultdict(list)
    for fold in range(given.folds):
        model = learn([page for page in pages if fold_of(page.site, given.folds) != fold])
        for page in pages:
            if fold_of(page.site, given.folds) == fold:
                read = model.chosen if page.is_learnt else prose_stretch
                blocks = read(page.document, page.blocks) if page.blocks else []
                lines = [line for _, line in without_copies(page.document, blocks)]
                scores[page.kind].append(f1(tokens("\n".join(lines)), page.gold))
    for kind, values in sorted(scores.items()):
        print(f"{kind:14} {len(values):5} {statistics.mean(values):.4f}")
    if scores:
        print(
            f"{'all':14} {len(pages):5} {statistics.mean(v for values in scores.values() for v in values):.4f}"
        )


if __name__ == "__main__":
    main()
