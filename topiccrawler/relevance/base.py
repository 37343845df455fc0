"""The page classifiers by name."""

from __future__ import annotations

VSM = "vsm"
TRAINED = ("centroid", "naive_bayes", "svm")
PAGE_CLASSIFIERS = (VSM, *TRAINED)
