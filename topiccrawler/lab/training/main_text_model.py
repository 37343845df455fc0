"""Learns the block classifier of main texts from pages with gold text, and measures it on sites it has not seen.

    python -m topiccrawler.lab.training.main_text_model DIR [--gold DIR] [--folds 5] [--out models/main_text/blocks.json]

DIR holds ID.html.gz, ID.txt and manifest.tsv (id, page_type, url); the one of --gold gold.jsonl (id, url, and text, or passages: with and
without) and pages/ID.html.gz. Nothing is learned from pages in Chinese:
another rule reads them. Prints the mean F1 of bags of tokens by page type, each page read by a network that saw no page of its site;
with --out, writes the one learned from all pages. The same pages give the same model on the same machine.

Label        1 for a block with half of its tokens in the gold text (gold_blocks).
             Of a page with passages alone: as a first network chooses that learned from the other pages, but for the passages.
Weight       of a block: its words, over the words of the gold text and a share of those of the page, so that pages count alike.
Name words   log odds of a class or id word for text, shrunk, each site counting once; for the pages a network learns from they
             come from other sites, or it would trust them too far. The words that short blocks begin with, and those of headings, alike.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.neural_network import MLPClassifier
from tqdm import tqdm

from topiccrawler.lab.training.gold_blocks import FOUND, gold_shares, tokens
from topiccrawler.pages.asides import without_asides
from topiccrawler.pages.block_classifier import BlockClassifier, features, save_block_classifier
from topiccrawler.pages.block_places import name_words
from topiccrawler.pages.block_text import Numbers
from topiccrawler.pages.block_words import HEADING_WORDS, MOST_WORDS, OPENING, opening_words
from topiccrawler.pages.document import Block, Document
from topiccrawler.pages.main_text import is_chinese, line_of, prose_stretch, seen_blocks, without_copies
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
LEAST_WORD_SITES = 5  # for a word of the text
LEAST_BELOW = 5  # words below a heading
SHRINKING = 6.0  # sites
NAME_FOLDS = 3
ARTICLE_WEIGHT = 2.0  # of a page with the text of an article by another gold: what is text in an article is drawn closer there
LONGEST_UNWANTED = 200  # characters beside an unwanted passage, in a block that is none of the text
ARTICLE, PASSAGES = "whole article", "passages"  # kinds of the pages of --gold


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
    wanted: Sequence[str] = ()  # passages
    unwanted: Sequence[str] = ()


def read_pages(folder: Path) -> list[GoldPage]:
    """All pages of the manifest."""
    with (folder / "manifest.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        _gold_page(
            row["page_type"],
            row["url"],
            folder / f"{row['id']}.html.gz",
            (folder / f"{row['id']}.txt").read_text(encoding="utf-8"),
        )
        for row in tqdm(rows, desc="labels", leave=False)
    ]


def read_gold(folder: Path) -> list[GoldPage]:
    """The pages of a gold.jsonl that have the text of an article or passages."""
    pages = []
    for line in (folder / "gold.jsonl").read_text(encoding="utf-8").split("\n"):
        record = json.loads(line) if line else {}
        if "text" in record or "with" in record:
            kind, place = (
                ARTICLE if "text" in record else PASSAGES,
                folder / "pages" / f"{record['id']}.html.gz",
            )
            page = _gold_page(kind, record["url"], place, record.get("text", ""))
            pages.append(replace(page, wanted=record.get("with", ()), unwanted=record.get("without", ())))
    return pages


def _gold_page(kind: str, url: str, place: Path, text: str) -> GoldPage:
    document = parse(decode(gzip.decompress(place.read_bytes()))[0])
    blocks = [Block(*block) for block in seen_blocks(document)]
    in_blocks = [tokens(document.text[block.start : block.end]) for block in blocks]
    gold = tokens(text)
    labels = np.array([share >= FOUND for share in gold_shares(in_blocks, gold)], np.float32)
    sizes = np.array([len(block) for block in in_blocks], np.float32)
    is_learnt = bool(blocks) and not is_chinese(document)
    return GoldPage(kind, is_learnt, registered_domain(url), document, blocks, gold, labels, sizes)


def fold_of(site: str, folds: int, salt: str = "") -> int:
    """The same for the same site on every machine."""
    return int.from_bytes(hashlib.sha256(f"{salt}{site}".encode()).digest()[:4]) % folds


def name_weights(pages: Iterable[GoldPage]) -> dict[str, float]:
    """Log odds of each word of classes and ids."""
    found = _Shares(LEAST_SITES)
    for page in pages:
        found.all.append(float(page.labels @ page.sizes) / max(1.0, float(page.sizes.sum())))
        for word, share in _shares_of_words(page).items():
            found.sites[word][page.site].append(share)
    return found.weights()


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


def word_weights(pages: Iterable[GoldPage]) -> tuple[dict[str, float], dict[str, float]]:
    """Log odds of the words that short blocks begin with, and of the words in headings (of the text below them)."""
    openings, headings = _Shares(LEAST_WORD_SITES), _Shares(LEAST_WORD_SITES)
    for page in pages:
        text, marks = page.document.text, page.document.heading_marks
        for block, label, size in zip(page.blocks, page.labels.tolist(), page.sizes.tolist(), strict=True):
            if 0 < size <= MOST_WORDS:
                openings.add(opening_words(text[block.start : block.end], OPENING), page.site, label)
        places = np.searchsorted([block.start for block in page.blocks], [mark.start for mark in marks])
        ends = [*places[1:], len(page.blocks)]
        for mark, first, end in zip(marks, places, ends[: len(marks)], strict=True):
            words = page.sizes[first + 1 : end]
            if words.sum() >= LEAST_BELOW:
                share = float(words @ page.labels[first + 1 : end] / words.sum())
                headings.add(opening_words(mark.text, HEADING_WORDS), page.site, share)
    return openings.weights(), headings.weights()


class _Shares:
    """Shares of main text by word and site; `all`: those that the prior is the mean of."""

    def __init__(self, least_sites: int) -> None:
        self.least_sites = least_sites
        self.sites: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.all: list[float] = []

    def add(self, words: Iterable[str], site: str, share: float) -> None:
        self.all.append(share)
        for word in {*words}:
            self.sites[word][site].append(share)

    def weights(self) -> dict[str, float]:
        """Log odds of the words that enough sites have."""
        if not self.all:
            return {}
        prior, weights = min(max(statistics.mean(self.all), 0.1), 0.9), {}
        for word, sites in self.sites.items():
            if len(sites) >= self.least_sites:
                text = sum(map(statistics.mean, sites.values()))
                odds = (text + prior * SHRINKING) / (len(sites) - text + (1 - prior) * SHRINKING)
                weights[word] = float(np.log(odds * (1 - prior) / prior))
        return weights


def learn(pages: list[GoldPage]) -> BlockClassifier:
    """A network from those of the pages that it is for."""
    pages = [page for page in pages if page.is_learnt]
    whole = [page for page in pages if page.kind != PASSAGES]
    model = _learn(whole)
    rest = [_labelled(page, model) for page in pages if page.kind == PASSAGES]
    return _learn(whole + rest) if rest else model


def _labelled(page: GoldPage, model: BlockClassifier) -> GoldPage:
    """A page with the labels that a network and its passages give."""
    chosen = {block.start for block in model.chosen(page.document, page.blocks)}
    wanted, unwanted = [*map(_flat, page.wanted)], [*map(_flat, page.unwanted)]
    labels = []
    for block in page.blocks:
        text = _flat(line_of(page.document, block))
        is_unwanted = any(one in text and len(text) < 4 * len(one) + LONGEST_UNWANTED for one in unwanted)
        is_text = block.start in chosen and not is_unwanted
        labels.append(is_text or any(one in text for one in wanted))
    return replace(page, labels=np.array(labels, np.float32))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _learn(pages: list[GoldPage]) -> BlockClassifier:
    rows: dict[int, Numbers] = {}
    empty = np.zeros((1, 1), np.float32)
    for fold in range(NAME_FOLDS):
        folds = [fold_of(page.site, NAME_FOLDS, "names") for page in pages]
        others = [page for page, its in zip(pages, folds, strict=True) if its != fold]
        words = name_weights(others), *word_weights(others)
        model = BlockClassifier(empty, empty, empty, empty, empty, 0.0, *words)
        weights = model.name_weight, model.opening_weights, model.headings
        for at in [at for at, its in enumerate(folds) if its == fold]:
            rows[at] = features(pages[at].document, pages[at].blocks, *weights)[1]
    table = np.concatenate([rows[at] for at in range(len(pages))])
    labels = np.concatenate([page.labels for page in pages])
    shares = np.concatenate(
        [
            (ARTICLE_WEIGHT if page.kind == ARTICLE else 1.0)
            * page.sizes
            / (page.sizes @ page.labels + PAGE_SHARE * page.sizes.sum() + LEAST_WORDS)
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
        *word_weights(pages),
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
    of_each = (np.stack(arrays).astype(np.float64) for arrays in zip(*kept, strict=True))
    return [arrays.mean(axis=0).astype(np.float32) for arrays in of_each]


def f1(found: Iterable[str], gold: list[str]) -> float:
    """F1 of two bags of tokens."""
    left, right = Counter(found), Counter(gold)
    whole = left.total() + right.total()
    return 2 * (left & right).total() / whole if whole else 1.0


def main() -> None:
    """Cross-validate, learn, write."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--gold", type=Path, help="folder of a gold.jsonl with pages")
    options.add_argument("--folds", type=int, default=5, help="of sites; 0: do not cross-validate")
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    pages = read_pages(given.folder)
    if given.gold:
        pages += read_gold(given.gold)
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        save_block_classifier(learn(pages), given.out)
    scores: dict[str, list[float]] = defaultdict(list)
    of_passages = np.zeros(3)  # right, wrong, missed
    for fold in range(given.folds):
        model = learn([page for page in pages if fold_of(page.site, given.folds) != fold])
        for page in pages:
            if fold_of(page.site, given.folds) == fold:
                lines = [line for _, line in without_copies(page.document, _text_of(page, model))]
                if page.kind == PASSAGES:
                    text = _flat(" ".join(lines))
                    right = sum(_flat(one) in text for one in page.wanted)
                    wrong = sum(_flat(one) in text for one in page.unwanted)
                    of_passages += (right, wrong, len(page.wanted) - right)
                else:
                    scores[page.kind].append(f1(tokens("\n".join(lines)), page.gold))
    for kind, values in sorted(scores.items()):
        print(f"{kind:14} {len(values):5} {statistics.mean(values):.4f}")
    if scores:
        print(
            f"{'all':14} {len(pages):5} {statistics.mean(v for values in scores.values() for v in values):.4f}"
        )
    if of_passages.any():
        hits, faults, missed = of_passages
        print(f"{PASSAGES:14} {2 * hits / (2 * hits + faults + missed):.4f}")


def _text_of(page: GoldPage, model: BlockClassifier) -> list[Block]:
    if not page.is_learnt:
        return [Block(*row) for row in prose_stretch(page.document, page.blocks)] if page.blocks else []
    return without_asides(page.document, model.chosen(page.document, page.blocks))


if __name__ == "__main__":
    main()
