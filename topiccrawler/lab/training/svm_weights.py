"""Stores the weights that the svm page classifiers of one training have in common once.

The labels of one set of documents give every topic the same SVM, but for the order of its classes and the last rounded digit. So each
TOPIC.svm.json of the folder keeps threshold, slope, offset and scores, and names `svm_weights.json` beside it.

    python -m topiccrawler.lab.training.svm_weights models/page_classifiers

Files that differ by more than a few rounded units, or whose classes no other has, are left as they are, and named.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from topiccrawler.files import compact, replace_file

COMMON = ("classes", "biases", "lists", "unit_value", "words")
SHARED = "svm_weights.json"
MOST_UNITS = 3  # that a value may differ by
MOST_BIAS = 0.001


def main(folder: Path) -> None:
    """Join what can be joined."""
    models = {file: json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.svm.json"))}
    models = {file: model for file, model in models.items() if "words" in model}
    if not models:
        sys.exit(f"{folder}: no svm page classifier with weights of its own")
    first = next(iter(models.values()))
    for file, model in models.items():
        label = _label(first, model)
        if label is None:
            print(f"{file.name}: other weights, left as it is")
            continue
        head = {key: value for key, value in model.items() if key not in COMMON}
        head = {**head, "label": label, "weights": SHARED}
        replace_file(file, _lines(head) + "}\n")
    own = {"topic", "threshold", "slope", "offset", "training", "scores", "words"}
    head = {key: value for key, value in first.items() if key not in own}
    rows = ",\n".join(f"{compact(word)}:{compact(row)}" for word, row in first["words"].items())
    replace_file(folder / SHARED, _lines(head) + ',\n"words": {\n' + rows + "\n}}\n")


def _label(first: dict[str, Any], model: dict[str, Any]) -> str | None:
    """What the first calls the topic of the other; None when they are not the same SVM. A topic may rename its label."""
    topic, others = model["classes"][0], set(model["classes"][1:])
    left = set(first["classes"]) - others
    if len(first["classes"]) != len(model["classes"]) or len(left) != 1:
        return None
    (label,) = left
    renamed = {f"list:{topic}": f"list:{label}"}
    words = {renamed.get(word, word): row for word, row in model["words"].items()}
    order = [model["classes"].index(topic if name == label else name) for name in first["classes"]]
    if words.keys() != first["words"].keys():
        return None
    ours = np.array(list(first["words"].values()), dtype=float)
    theirs = np.array([words[word] for word in first["words"]], dtype=float)
    theirs[:, 1:] = theirs[:, 1:][:, order] * (model["unit_value"] / first["unit_value"])
    biases = np.array(model["biases"])[order] - np.array(first["biases"])
    same = np.abs(ours - theirs).max() <= MOST_UNITS and np.abs(biases).max() <= MOST_BIAS
    return label if same else None


def _lines(head: dict[str, Any]) -> str:
    return "{" + ",\n".join(f"{compact(key)}: {compact(value)}" for key, value in head.items())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    main(parser.parse_args().folder)
