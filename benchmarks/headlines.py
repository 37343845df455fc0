"""The most that counting gets out of headlines: with characters, by source and other label, with words of like use.

    python benchmarks/headlines.py [FILE...] [--topic finance] [--documents FILE]... [--pages FILE.warc.gz]... [--seed 0] [--json]

FILE is tab-separated with `label`, `text` and perhaps `source`, as for `scrapy train --headlines`; without it,
links/headlines_dev.tsv of the folder in TOPICCRAWLER_SHARED. A third is held out; thresholds come from the other two.

    words         naive Bayes over the words
    + characters  three naive Bayes tables (words, pairs and single characters as they stand), one sum, a trust for each
    + sources     tables of each source that start from those of all, and of each other label against all others
    + like words  the same; a rare word starts from what words of like use say, learned from --pages and --documents

Formula: x = b_s + sum over kinds k (words, pairs, characters) of t_sk * sum of e(f) + u_sk * sum of e_s(f)
             + sum over other labels c of v_sc * sum over kinds of T_k * sum of e_c(f), s the source
    e(f)   = ln (n+ + m q) / (n- + m (1-q)) - ln p / (1-p); n+, n- headlines of each class that hold f, p share of +
    q      = p, m = 2; a word with like words has q = (l+ + 2p) / (l+ + l- + 2) and m = 2 + min(l+ + l-, 8), l+ and l- the
             sums of n+, n- over its like words, each times how like it is
    e_s(f) = the same over the source's own headlines, m = 8, q what e(f) says where the share is p_s
    e_c(f) = ln (n+ + m p) / (n- + m (1-p)) - ln p / (1-p), + the headlines of label c, m = 4
    b, t, u, v -> logistic regression for each source over these sums, each fifth summed by the tables of the others;
             `+ characters` has b = ln p / (1-p), t = T, and neither u nor v
    A source with fewer than 100 headlines of a class counts as one without a name; a label with fewer has no tables.
Words are alike when their neighbours are: PPMI of at most 5 words each side, squeezed by a truncated SVD; likeness is
the cosine to the power 3 of the 15 nearest (Levy, Goldberg and Dagan 2015). 25 000 headlines take seconds, 18 000 pages a minute.
Reference: Peng and Schuurmans 2003 (characters), Zaidi et al. 2013 (weights); the back-off is ours.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from pathlib import Path

import _checkout  # noqa: F401 first: the package may not be installed
import numpy as np
from _word_vectors import WordVectors
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from topiccrawler.link_model.training.evaluation import Row, row
from topiccrawler.link_model.training.promotion import table as as_table
from topiccrawler.link_model.training.train import split
from topiccrawler.pages.parse import parse
from topiccrawler.pages.read import MOST_BYTES
from topiccrawler.replay.warc import RecordedWeb
from topiccrawler.text.characters import decode
from topiccrawler.text.segmenter import words_of
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.labelled_texts import read_documents, read_headlines

TRUST = (
    0.45,
    0.2,
    0.25,
)  # of words, pairs, characters: the ratio that logistic regression over the three sums gave
SMOOTHING, MOST_BORROWED, OF_ALL, OF_A_LABEL = 2.0, 8.0, 8.0, 4.0
LEAST_OF_A_CLASS, FOLDS, RIDGE = 100, 5, 0.1
Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]


@dataclass(frozen=True)
class Headline:
    """A headline, its words, whether it is about the topic, which collection it is from, and what that calls it."""

    text: str
    words: Sequence[str]
    positive: bool
    source: str = ""
    label: str = ""

    def features(self) -> tuple[frozenset[str], ...]:
        """Words, pairs of characters and single characters; these as they stand: how a headline is written counts too."""
        text = self.text.strip()
        pairs = frozenset(text[at : at + 2] for at in range(len(text) - 1))
        return frozenset(word for word in self.words if word.isalpha()), pairs, frozenset(text)


class Tables:
    """Headlines as numbers: a matrix a kind, and which words are alike."""

    def __init__(self, kept: Sequence[Headline], held_out: Sequence[Headline]) -> None:
        found = [one.features() for one in (*kept, *held_out)]
        self.kinds, self.words, self.alike = [], list[str](), None
        for kind in range(len(TRUST)):
            numbers: dict[str, int] = {}
            rows, columns = [], []
            for at, of in enumerate(found):
                for feature in sorted(of[kind]):
                    rows.append(at)
                    columns.append(numbers.setdefault(feature, len(numbers)))
            shape = (len(found), max(1, len(numbers)))
            self.kinds.append(csr_array((np.ones(len(rows)), (rows, columns)), shape=shape))
            self.words = self.words or list(numbers)
        classes = Counter((one.source, one.positive) for one in kept)
        named = sorted(
            {s for s, _ in classes if min(classes[s, True], classes[s, False]) >= LEAST_OF_A_CLASS}
        )
        sizes = Counter(one.label for one in kept if not one.positive)
        others = sorted(label for label, size in sizes.items() if size >= LEAST_OF_A_CLASS and len(sizes) > 1)
        both = (*kept, *held_out)
        self.positive = np.array([one.positive for one in both])
        self.source = np.array([named.index(one.source) + 1 if one.source in named else 0 for one in both])
        self.labels = np.array([[one.label == label for label in others] for one in both]).reshape(
            len(both), -1
        )

    def counts(self, kind: int, kept: Indexes) -> tuple[Floats, Floats, float]:
        """n+ and n- of each feature, and the share of relevant headlines."""
        matrix, positive = self.kinds[kind][kept], self.positive[kept]
        return positive @ matrix, ~positive @ matrix, float((positive.sum() + 1) / (len(kept) + 2))

    def log_odds(
        self, kind: int, kept: Indexes, smoothing: Floats | float, share: Floats | float | None
    ) -> Floats:
        """e(f) for each feature of a kind; `share` None is that of the data."""
        on, off, prior = self.counts(kind, kept)
        share = prior if share is None else share
        return np.log((on + smoothing * share) / (off + smoothing * (1.0 - share))) - odds(prior)

    def of_all(self, kind: int, kept: Indexes) -> Floats:
        """The same with the smoothing of the formula."""
        if kind or self.alike is None:
            return self.log_odds(kind, kept, SMOOTHING, None)
        on, off, prior = self.counts(kind, kept)
        like_on, like_off = self.alike @ on, self.alike @ off
        share = (like_on + 2.0 * prior) / (like_on + like_off + 2.0)
        return self.log_odds(kind, kept, SMOOTHING + np.minimum(like_on + like_off, MOST_BORROWED), share)

    def of_labels(self, kind: int, kept: Indexes) -> Floats:
        """e_c(f): a row a feature, a column a label."""
        matrix, labels = self.kinds[kind][kept], self.labels[kept]
        on = matrix.T @ labels.astype(np.float64)
        off = np.asarray(matrix.sum(axis=0)).reshape(-1, 1) - on
        share = (labels.sum(axis=0) + 1.0) / (len(kept) + 2.0)
        ratio = (on + OF_A_LABEL * share) / (off + OF_A_LABEL * (1.0 - share))
        return np.asarray(np.log(ratio * (1.0 - share) / share))

    def plain(self, kept: Indexes, asked: Indexes, trust: Sequence[float]) -> Floats:
        """The prior and one sum a kind, each times its trust."""
        found = np.full(len(asked), odds(self.counts(0, kept)[2]))
        for kind, matrix in enumerate(self.kinds[: len(trust)]):
            found += trust[kind] * (matrix[asked] @ self.log_odds(kind, kept, SMOOTHING, None))
        return found

    def sums(self, kept: Indexes, asked: Indexes) -> Floats:
        """Two columns a kind: what all sources say of each headline asked about, and what its own does; one a label."""
        columns = []
        against = np.zeros((len(asked), self.labels.shape[1]))
        for kind, trust in enumerate(TRUST):
            weights, matrix, own = self.of_all(kind, kept), self.kinds[kind][asked], np.zeros(len(asked))
            for source in np.unique(self.source[asked]):
                here, there = self.source[asked] == source, kept[self.source[kept] == source]
                share = 1.0 / (1.0 + np.exp(-weights - odds(self.counts(kind, there)[2])))
                own[here] = matrix[here] @ self.log_odds(kind, there, OF_ALL, share)
            columns += [matrix @ weights, own]
            against += trust * (matrix @ self.of_labels(kind, kept))
        return np.hstack([np.stack(columns, axis=1), against])


def odds(share: float) -> float:
    return math.log(share / (1.0 - share))


def folds(size: int, seed: int) -> Iterator[tuple[Indexes, Indexes]]:
    """Each fifth of the first `size` headlines, with the other four."""
    order = list(range(size))
    random.Random(seed).shuffle(order)
    for fold in range(FOLDS):
        part = np.array(order[fold::FOLDS], dtype=np.int64)
        yield np.setdiff1d(np.arange(size), part), part


def counted_rows(
    kept: Sequence[Headline], held_out: Sequence[Headline], seed: int, vectors: WordVectors | None = None
) -> list[Row]:
    """Words; with characters; by source and label, where there are several; with words of like use, where there are texts."""
    table = Tables(kept, held_out)
    training, asked = np.arange(len(kept)), np.arange(len(kept), len(kept) + len(held_out))
    rows, inside = [], np.zeros(len(kept))
    for name, trust in (("words", (1.0,)), ("+ characters", TRUST)):
        for others, part in folds(len(kept), seed):
            inside[part] = table.plain(others, part, trust)
        rows.append(measured(name, table, inside, table.plain(training, asked, trust)))
    if len({one.source for one in kept}) > 1 or len({one.label for one in kept}) > 2:
        rows.append(sourced("+ sources", table, training, asked, seed))
    if vectors is not None:
        table.alike = vectors.nearest(table.words)
        rows.append(sourced("+ like words", table, training, asked, seed))
    return rows


def sourced(name: str, table: Tables, training: Indexes, asked: Indexes, seed: int) -> Row:
    """The whole formula: trust and threshold come from the training part alone."""
    outside = table.sums(training, asked)
    inside = np.zeros((len(training), outside.shape[1]))
    for others, part in folds(len(training), seed):
        inside[part] = table.sums(others, part)
    margins, scores = np.zeros(len(training)), np.zeros(len(asked))
    for source in np.unique(table.source):
        here, there = table.source[training] == source, table.source[asked] == source
        trust = LogisticRegression(C=1.0 / RIDGE, solver="newton-cholesky", tol=1e-9)
        trust.fit(inside[here], table.positive[training][here])
        margins[here] = trust.decision_function(inside[here])
        if there.any():
            scores[there] = trust.decision_function(outside[there])
    return measured(name, table, margins, scores)


def measured(name: str, table: Tables, inside: Floats, outside: Floats) -> Row:
    """Scores of the part held out, at the threshold that is best for the other."""
    truth = table.positive.tolist()
    threshold = row("", truth[: len(inside)], inside.tolist()).best_threshold
    return row(name, truth[len(inside) :], outside.tolist(), threshold)


def page_texts(webs: Sequence[Path]) -> Iterator[str]:
    """The text of every recorded page."""
    web = RecordedWeb(webs)
    for url in web.urls():
        found = web.response(url)
        if found is not None and found.status == HTTPStatus.OK:
            yield parse(decode(found.body[:MOST_BYTES])[0]).text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("headlines", type=Path, nargs="*", help="tab-separated, with label and text")
    parser.add_argument("--topic", default="finance")
    parser.add_argument(
        "--documents", type=Path, action="append", default=[], metavar="FILE", help="read with --pages"
    )
    parser.add_argument(
        "--pages", type=Path, action="append", default=[], metavar="FILE", help="WARC: plain text"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    shared = os.environ.get("TOPICCRAWLER_SHARED")
    if not options.headlines and not shared:
        print("headlines: name a file of headlines, or set TOPICCRAWLER_SHARED; nothing measured")
        return
    topic = load_topic(options.topic)
    texts = [
        text
        for path in options.headlines or [Path(str(shared), "links/headlines_dev.tsv")]
        for text in read_headlines(path, topic)
    ]
    words = words_of([text.title for text in texts])
    found = [Headline(t.title, w, t.positive, t.source, t.label) for t, w in zip(texts, words, strict=True)]
    kept, held_out = split(found, options.seed, by_host=False, share=2 / 3)
    vectors = None
    if options.pages:
        documents = (text for path in options.documents for text in read_documents(path, topic))
        of_documents = (f"{document.title}\n{document.text}" for document in documents)
        vectors = WordVectors(chain(page_texts(options.pages), of_documents))
    rows = counted_rows(kept, held_out, options.seed, vectors)
    if options.json:
        print(json.dumps({row.name: row.scores() for row in rows}))
    else:
        print(as_table(rows, f"headlines, {topic.name}"))


if __name__ == "__main__":
    main()
