"""A page classifier in use is replaced only by one that is as good."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from topiccrawler.errors import ModelError
from topiccrawler.relevance.training.train import refuse_worse

TRAINING = {"files": [{"file": "a.jsonl", "sha256": "aa"}]}


def put(folder: Path, digest: str) -> Path:
    place = folder / "finance.svm.json"
    known = {"scores": {"held out": {"f1": 0.6}}, "training": {"files": [{"sha256": digest}]}}
    place.write_text(json.dumps(known), encoding="utf-8")
    return place


def test_the_same_held_out_rows_decide(tmp_path: Path) -> None:
    place = put(tmp_path, "bb")
    message = r"svm\.json: .*\(F1 0\.8000 .* 0\.7"
    with pytest.raises(ModelError, match=message):
        refuse_worse(place, 0.7, "held out", TRAINING, lambda: 0.8)
    refuse_worse(place, 0.8, "held out", TRAINING, lambda: 0.8)


def test_rows_it_was_trained_on_do_not_decide(tmp_path: Path) -> None:
    place = put(tmp_path, "aa")
    refuse_worse(place, 0.7, "held out", TRAINING, lambda: 1.0)
    with pytest.raises(ModelError, match=r"0\.6000.*0\.5000"):
        refuse_worse(place, 0.5, "held out", TRAINING, lambda: 0.1)


def test_what_is_not_there_or_cannot_be_read_is_replaced(tmp_path: Path) -> None:
    def unreadable() -> float:
        raise ModelError("svm", "is of another version", "train it again")

    refuse_worse(tmp_path / "none.json", 0.1, "held out", TRAINING, lambda: 0.9)
    refuse_worse(put(tmp_path, "bb"), 0.1, "held out", TRAINING, unreadable)
