"""The most that counting gets out of headlines: by source, against each other label, helped by words of like use.

The conflict: two collections of headlines mean different things by one topic and write differently, so one table blurs
both, and a table for each has half the data; "not finance" is fifteen things at once; and most words are rare, so most
evidence is a guess.

Idea: each source has tables of its own that start from what the tables of all sources say; each other label has tables
    against the rest; a rare word starts from what words of like use say (link_model.training.likewords); how far each table is trusted
    is found inside the training part.
Formula: x = b_s + sum over kinds k (words, pairs, characters) of t_sk * sum of e(f) + u_sk * sum of e_s(f)
             + sum over other labels c of v_sc * sum over kinds of T_k * sum of e_c(f), s the source
    e(f)   = ln (n+ + m q) / (n- + m (1-q)) - ln p / (1-p); n+, n- headlines of each class that hold f, p share of +
    q      = p, m = 2; a word with like words has q = (l+ + 2p) / (l+ + l- + 2) and m = 2 + min(l+ + l-, 8), l+ and l- the
             sums of n+, n- over its like words, each times how like it is
    e_s(f) = the same over the source's own headlines, m = 8, q what e(f) says where the share is p_s
    e_c(f) = ln (n+ + m p) / (n- + m (1-p)) - ln p / (1-p), + the headlines of label c, m = 4; T as in link_model.training.characters
    b, t, u, v -> logistic regression for each source over these sums, each fifth summed by the tables of the others
    threshold -> the one with the best F1 over those fifths
Parameters: as written (ours); a source with fewer than 100 headlines of a class counts as the one without a name, and a
    label with fewer than 100 has no tables.
Cost: some seconds for 25 000 headlines. A sum of naive Bayes shares all the same; for headlines only: a link has no source
    that training has met.
Reference: Zaidi et al. 2013 for naive Bayes with weights; the back-off is ours.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from topiccrawler.link_model.training.characters import FOLDS, TRUST, Headline, character_row, features
from topiccrawler.link_model.training.evaluation import Row, row
from topiccrawler.link_model.training.likewords import LikeWords
from topiccrawler.link_model.training.samples import LabelledLink
from topiccrawler.topics.labelled_texts import LabelledText

KINDS = ("words", "pairs", "characters")
SMOOTHING, MOST_BORROWED, OF_ALL, OF_A_LABEL = 2.0, 8.0, 8.0, 4.0
LEAST_OF_A_CLASS = 100
_RIDGE = 0.1

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class _Table:
    """Headlines as numbers: a matrix a kind, and which words are alike."""

    kinds: Sequence[csr_array]
    positive: NDArray[np.bool_]
    source: Places
    labels: NDArray[np.bool_]  # a column for each other label
    alike: csr_array | None

    def evidence(self, kind: int, kept: Places, smoothing: Floats | float, share: Floats | float) -> Floats:
        """e(f) for each feature of a kind."""
        on, off, prior = self._counts(kind, kept)
        return np.log((on + smoothing * share) / (off + smoothing * (1.0 - share))) - _odds(prior)

    def of_all(self, kind: int, kept: Places) -> Floats:
        """The same with the smoothing of the formula."""
        on, off, prior = self._counts(kind, kept)
        if kind or self.alike is None:
            return self.evidence(kind, kept, SMOOTHING, prior)
        like_on, like_off = self.alike @ on, self.alike @ off
        share = (like_on + 2.0 * prior) / (like_on + like_off + 2.0)
        return self.evidence(kind, kept, SMOOTHING + np.minimum(like_on + like_off, MOST_BORROWED), share)

    def _counts(self, kind: int, kept: Places) -> tuple[Floats, Floats, float]:
        matrix, positive = self.kinds[kind][kept], self.positive[kept]
        return positive @ matrix, ~positive @ matrix, float((positive.sum() + 1) / (len(kept) + 2))

    def of_labels(self, kind: int, kept: Places) -> Floats:
        """e_c(f): a row a feature, a column a label."""
        matrix, held = self.kinds[kind][kept], self.labels[kept]
        on = matrix.T @ held.astype(np.float64)
        off = np.asarray(matrix.sum(axis=0)).reshape(-1, 1) - on
        share = (held.sum(axis=0) + 1.0) / (len(kept) + 2.0)
        odds = (on + OF_A_LABEL * share) / (off + OF_A_LABEL * (1.0 - share))
        return np.asarray(np.log(odds * (1.0 - share) / share))

    def sums(self, kept: Places, asked: Places) -> Floats:
        """Two columns a kind: what all sources say of each headline asked about, and what its own does; one a label."""
        columns = []
        against = np.zeros((len(asked), self.labels.shape[1]))
        for kind in range(len(KINDS)):
            told = self.of_all(kind, kept)
            matrix = self.kinds[kind][asked]
            own = np.zeros(len(asked))
            for source in np.unique(self.source[asked]):
                here, there = self.source[asked] == source, kept[self.source[kept] == source]
                prior = self._counts(kind, there)[2]
                share = 1.0 / (1.0 + np.exp(-told - _odds(prior)))
                own[here] = matrix[here] @ self.evidence(kind, there, OF_ALL, share)
            columns += [matrix @ told, own]
            against += TRUST[KINDS[kind]] * (matrix @ self.of_labels(kind, kept))
        return np.hstack([np.stack(columns, axis=1), against])


def headline(text: LabelledText, words: Sequence[str]) -> Headline:
    """A headline as read from a file, with its words."""
    return Headline(text.title, words, text.positive, text.source, text.label)


def like_words(
    texts: Iterable[str], links: Iterable[LabelledLink], documents: Iterable[LabelledText]
) -> LikeWords | None:
    """From the texts given and all other text at hand, but not from the headlines; None when no texts are given."""
    given = iter(texts)
    first = next(given, None)
    if first is None:
        return None
    of_documents = (f"{document.title}\n{document.text}" for document in documents)
    of_links = (
        text
        for item in links
        for text in (item.link.anchor, item.link.before, item.link.after, item.link.title)
    )
    return LikeWords(chain((first,), given, of_documents, of_links))


def counted_rows(
    kept: Sequence[Headline], aside: Sequence[Headline], seed: int, like: LikeWords | None
) -> list[Row]:
    """With characters; by source and label, where there are several; with words of like use, where there are texts."""
    rows = [character_row("headlines: + characters", kept, aside, seed)]
    if len({headline.source for headline in kept}) > 1 or len({headline.label for headline in kept}) > 2:
        rows.append(sourced_row("headlines: + sources", kept, aside, seed))
    if like is not None:
        rows.append(sourced_row("headlines: + like words", kept, aside, seed, like))
    return rows


def sourced_row(
    name: str, kept: Sequence[Headline], aside: Sequence[Headline], seed: int, like: LikeWords | None = None
) -> Row:
    """Trained on the one part, measured on the other; trust and threshold come from the one part alone."""
    table = _table(kept, aside, like)
    places = np.arange(len(kept) + len(aside))
    known, asked = places[: len(kept)], places[len(kept) :]
    order = list(range(len(kept)))
    random.Random(seed).shuffle(order)
    inside = np.zeros((len(kept), 2 * len(KINDS) + table.labels.shape[1]))
    for fold in range(FOLDS):
        part = np.array(order[fold::FOLDS], dtype=np.int64)
        inside[part] = table.sums(np.setdiff1d(known, part), part)
    outside = table.sums(known, asked)
    scores, judged = np.zeros(len(asked)), np.zeros(len(known))
    for source in np.unique(table.source):
        here = table.source[known] == source
        trust = _regression(inside[here], table.positive[known][here])
        judged[here] = inside[here] @ trust[1:] + trust[0]
        there = table.source[asked] == source
        scores[there] = outside[there] @ trust[1:] + trust[0]
    threshold = row("", table.positive[known].tolist(), judged.tolist()).best_threshold
    return row(name, table.positive[asked].tolist(), scores.tolist(), threshold)


def _table(kept: Sequence[Headline], aside: Sequence[Headline], like: LikeWords | None) -> _Table:
    """Numbers for both parts; the columns of what only the second has hold no count."""
    found = [features(headline) for headline in (*kept, *aside)]
    names: list[list[str]] = []
    kinds = []
    for kind in KINDS:
        numbers: dict[str, int] = {}
        rows, columns = [], []
        for at, of in enumerate(found):
            for feature in sorted(of[kind]):
                rows.append(at)
                columns.append(numbers.setdefault(feature, len(numbers)))
        kinds.append(
            csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(found), max(1, len(numbers))))
        )
        names.append(list(numbers))
    classes = Counter((headline.source, headline.positive) for headline in kept)
    known = {
        source
        for source, _ in classes
        if min(classes[source, True], classes[source, False]) >= LEAST_OF_A_CLASS
    }
    numbered = {source: at for at, source in enumerate(sorted(known), 1)}
    everyone = (*kept, *aside)
    rest = Counter(headline.label for headline in kept if not headline.positive)
    others = (
        sorted(label for label, size in rest.items() if size >= LEAST_OF_A_CLASS) if len(rest) > 1 else []
    )
    return _Table(
        kinds,
        np.array([headline.positive for headline in everyone]),
        np.array([numbered.get(headline.source, 0) for headline in everyone], dtype=np.int64),
        np.array([[headline.label == label for label in others] for headline in everyone]).reshape(
            len(found), -1
        ),
        like.nearest(names[0]) if like is not None and names[0] else None,
    )


def _odds(share: float) -> float:
    return math.log(share / (1.0 - share))


def _regression(sums: Floats, positive: NDArray[np.bool_]) -> Floats:
    """Logistic regression with a small ridge: the constant, then a number a column."""
    found = LogisticRegression(C=1.0 / _RIDGE, solver="newton-cholesky", tol=1e-9).fit(sums, positive)
    return np.concatenate([found.intercept_, found.coef_[0]])
