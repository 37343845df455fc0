"""Writes a classifier of detail pages as the file that topiccrawler.relevance.detail reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from topiccrawler.files import replace_file
from topiccrawler.relevance.detail import FEATURES, FORMAT, DetailClassifier


def save_detail(svm: DetailClassifier, place: Path) -> None:
    """Write it as JSON, a line a support vector."""
    head = {
        "format": FORMAT,
        "features": FEATURES,
        "gamma": svm.gamma,
        "bias": svm.bias,
        "means": svm.means.tolist(),
        "deviations": svm.deviations.tolist(),
        "training": svm.training,
        "scores": svm.scores,
    }
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    rows = np.column_stack([svm.values, svm.vectors]).round(6).tolist()
    vectors = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    replace_file(place, "{" + ",\n".join(lines) + f',\n"vectors": [\n{vectors}\n]}}\n')
