"""Classifies pages as detail pages (one text) or link pages (lists of links).

`DetailClassifier` is a support vector machine on three features of a page.

Idea: a detail page has text outside links, few links a word, and its text in one block; for a hub the opposite is true.
Formula: TextDegree = log2((words outside links + 1) / k); LinkDegree = log2((links + 1) / (words + 1));
Aggregation = Σ size² / (Σ size)² over blocks of text outside links; 0 for a page without any.
score = Σ_i v_i·exp(-γ·|x - x_i|²) + b over the support vectors x_i, each feature scaled to mean 0, deviation 1;
score >= 0 is a detail page.
Parameters: k = 100 (ours; the paper names none, and since the features are scaled, k changes nothing); γ, C by cross-validation when trained (lab/training/detail_model.py).
Reads: the document. Cost: one pass over its runs of text, some hundred exponentials.
But: the paper counts words of a segmenter. Here two Han characters count as a word, and any other run of letters as one, because
segmenting the whole page would cost more than all else. The paper gives no formula for Aggregation: this is the
probability that two pieces of text are in one block.
Reference: JLSE §3.1.

`DetailReader` reads pages and classifies each as a detail page or not. One strategy in twenty needs that, and it costs as much as
classifying the page by topic. So a crawl uses this reader only for a strategy with `needs_detail`.
Cost: a tenth of reading a page.
But: a page without a word outside its links is never a detail page, whatever the SVM returns: it was hardly trained on such pages.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from topiccrawler.errors import ModelError
from topiccrawler.files import JsonFile, is_file
from topiccrawler.pages.document import Document
from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import PageClassifier, Reader
from topiccrawler.resources import folder as data_folder

FORMAT = "topiccrawler detail classifier"
FEATURES = ("TextDegree", "LinkDegree", "Aggregation")
K = 100.0
FILE = "page_classifiers/detail.json"  # within the folder of models
LARGEST_BYTES = 8_000_000
MOST_VECTORS = 20_000
LARGEST = 1e9
REMEDY = (
    "train it again: python -m topiccrawler.lab.training.detail_model --pages FILE --labels FILE --out DIR"
)

_HAN = re.compile(r"[一-\u9fff]+")
_RUN = re.compile(r"[^\W一-\u9fff]+")

Numbers = npt.NDArray[np.float64]


def features(document: Document) -> tuple[float, float, float]:
    """Return TextDegree, LinkDegree and Aggregation of a page."""
    outside = inside = 0.0
    sizes: dict[int, float] = {}
    text = document.text
    for start, end, _, in_link, block in document.runs:
        words = _words_in(text[start:end])
        if in_link:
            inside += words
        else:
            outside += words
            sizes[block] = sizes.get(block, 0.0) + words
    gathered = sum(size * size for size in sizes.values()) / (outside * outside) if outside else 0.0
    links_a_word = (len(document.anchors) + 1) / (outside + inside + 1)
    return math.log2((outside + 1) / K), math.log2(links_a_word), gathered


def _words_in(text: str) -> float:
    return len("".join(_HAN.findall(text))) / 2 + len(_RUN.findall(text))


@dataclass(frozen=True, slots=True)
class DetailClassifier:
    """The trained support vector machine."""

    gamma: float
    means: Numbers
    deviations: Numbers
    vectors: Numbers  # a row for each support vector, scaled
    values: Numbers
    bias: float
    training: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)

    def is_detail(self, document: Document) -> bool:
        """Whether the page is a detail page: one with a main text of its own."""
        return self.score(features(document)) >= 0.0

    def score(self, of_page: tuple[float, float, float]) -> float:
        """Return the SVM's score of a page's features: at least 0 for a detail page, below 0 for a link page; near ±1 is certain."""
        scaled = (np.array(of_page) - self.means) / self.deviations
        away = self.vectors - scaled
        near: Numbers = np.exp(-self.gamma * np.einsum("ij,ij->i", away, away))
        return float(near @ self.values) + self.bias


def load_detail(folder: Path | Traversable | None = None) -> DetailClassifier:
    """Load the SVM from a folder of models, by default the shipped one. Raises ModelError for an invalid file."""
    place = (folder or data_folder("models")).joinpath(*FILE.split("/"))
    file = JsonFile(place, LARGEST_BYTES, ModelError, "detail classifier", REMEDY)
    model = file.values
    file.expect({"format": FORMAT})
    rows = model.get("vectors")
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_VECTORS:
        raise file.refused(f"does not hold 1 to {MOST_VECTORS} support vectors")
    table = _numbers(file, rows, 4)
    scale = _numbers(file, [model.get("means"), model.get("deviations")], 3)
    single = _numbers(file, [[model.get("gamma"), model.get("bias")]], 2)[0]
    if single[0] <= 0 or not bool((scale[1] > 0).all()):
        raise file.refused("has a gamma or deviation that is not above 0")
    kept = {name: model.get(name) for name in ("training", "scores")}
    return DetailClassifier(
        gamma=float(single[0]),
        means=scale[0],
        deviations=scale[1],
        vectors=table[:, 1:],
        values=table[:, 0],
        bias=float(single[1]),
        **{name: value if isinstance(value, dict) else {} for name, value in kept.items()},
    )


def _numbers(file: JsonFile, rows: list[Any], width: int) -> Numbers:
    return np.array(file.rows(rows, width, LARGEST), dtype=np.float64)


NO_TEXT = features(parse(""))[0]


class DetailReader(Reader):
    """A Reader that also sets `Page.is_detail`."""

    def __init__(self, page_classifier: PageClassifier, svm: DetailClassifier, **how: Any) -> None:
        super().__init__(page_classifier, **how)
        self.svm = svm

    def is_detail(self, document: Document) -> bool:
        of_page = features(document)
        return of_page[0] > NO_TEXT and self.svm.score(of_page) >= 0.0


def detail_svm(folder: Path | None = None) -> DetailClassifier:
    """Load the SVM from a folder of models if it has one, else the shipped one."""
    own = folder is not None and is_file(folder.joinpath(FILE))
    return load_detail(folder if own else None)
