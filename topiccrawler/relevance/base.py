"""The page classifiers by name."""

from __future__ import annotations

VSM = "vsm"
TRAINED = ("centroid", "naive_bayes", "svm")
PAGE_CLASSIFIERS = (VSM, *TRAINED)
MOST_WORDS = 12_000  # of a trained one
