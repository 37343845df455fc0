"""Counts of documents as a sparse matrix, and the weights that a linear classifier learns from it.

A row a document, a column a word; relevance.training.train decides what goes in and keeps what comes out.
Parameters: COST, C of the SVM: F1 on documents hardly changes between 2 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from topiccrawler.text.weights import information_gain

COST = 3.0
Array = Any  # numpy and scipy arrays


def matrix(documents: Sequence[Mapping[str, float]], words: Sequence[str]) -> Array:
    index = {word: column for column, word in enumerate(words)}
    rows, columns, data = [], [], []
    for row, counts in enumerate(documents):
        for word, count in counts.items():
            column = index.get(word)
            if column is not None:
                rows.append(row)
                columns.append(column)
                data.append(float(count))
    return csr_matrix((data, (rows, columns)), shape=(len(documents), len(words)))


def values_of(page_classifier: str, matrix: Array, targets: Array, classes: int) -> tuple[Array, Array]:
    """A column a class and a bias each."""
    if page_classifier == "naive_bayes":
        bayes = MultinomialNB().fit(matrix, targets)
        return bayes.feature_log_prob_.T.copy(), bayes.class_log_prior_.copy()
    vectors = normalize(matrix)
    if page_classifier == "centroid":
        means = normalize(np.vstack([vectors[targets == n].mean(axis=0).A1 for n in range(classes)]))
        return means.T.copy(), np.zeros(classes)
    svm = LinearSVC(C=COST, class_weight="balanced", random_state=0, max_iter=5_000).fit(vectors, targets)
    values, biases = svm.coef_.T.copy(), svm.intercept_.copy()
    if classes == 2:  # one column: the decision for the second class
        values, biases = np.hstack([-values, values]) / 2, np.array([-biases[0], biases[0]]) / 2
    return values, biases


def presence(matrix: Array) -> Array:
    """1 where a document holds a word."""
    ones = matrix.copy()
    ones.data = np.ones_like(ones.data)
    return ones


def idf(matrix: Array) -> Array:
    """ln((1 + N) / (1 + n)) + 1, as scikit-learn has it: a word of the keywords only stays finite."""
    return np.log((1 + matrix.shape[0]) / (1 + np.asarray(presence(matrix).sum(axis=0)).ravel())) + 1


def gains(matrix: Array, targets: Array) -> Array:
    """IG of each word by the shares of documents with it in each class."""
    ones = presence(matrix)
    rates = np.vstack([np.asarray(ones[targets == n].mean(axis=0)).ravel() for n in np.unique(targets)])
    found = np.array([information_gain(column) for column in rates.T.tolist()])
    found[rates.sum(axis=0) == 0] = found.max(initial=0.0)  # a word of the keywords only
    return found
