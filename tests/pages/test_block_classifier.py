"""The block classifier: its choice by hand, its features' names, its file against damage."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topiccrawler.errors import ModelError
from topiccrawler.pages.block_classifier import (
    FILE,
    best_set,
    feature_names,
    features,
    load_block_classifier,
    save_block_classifier,
    shipped_classifier,
)
from topiccrawler.pages.parse import parse


def chosen(chances: list[float], sizes: list[float]) -> list[int]:
    return best_set(np.array(chances, np.float32), np.array(sizes, np.float32))


def test_the_chosen_blocks_have_the_greatest_expected_f1() -> None:
    assert chosen([0.9, 0.1, 0.9], [10, 10, 10]) == [0, 2]
    # one of .4 raises the expected F1: 2·18/(20+22) = .857 against 2·22/(30+22) = .846 does not, but a surer .5 does
    assert chosen([0.9, 0.9, 0.4], [10, 10, 10]) == [0, 1]
    assert chosen([0.9, 0.9, 0.5], [10, 10, 10]) == [0, 1, 2]
    assert chosen([0.3, 0.3], [10, 10]) == [0, 1]  # all of a page that is unclear
    assert chosen([0.02, 0.01], [10, 10]) == []


def test_every_page_has_the_same_finite_features() -> None:
    for html in ("<p>x", "<p>\udc80 x</p>", "<table><tr><td><h1>x</h1><td>y</table>" * 30, "<b>x</b>" * 9):
        document = parse(html)
        names, rows = features(document, document.blocks, lambda _: 1.0, lambda _: (-1.0, -1.0), {"x": -2.0})
        assert tuple(names) == feature_names()
        assert rows.shape == (len(document.blocks), len(names))
        assert np.isfinite(rows).all()


def test_a_model_reads_as_it_was_written(tmp_path: Path) -> None:
    shipped = shipped_classifier()
    place = tmp_path / FILE
    place.parent.mkdir()
    save_block_classifier(shipped, place)
    assert place.read_bytes() == Path(__file__).parents[2].joinpath("models", FILE).read_bytes()
    rows = np.random.default_rng(1).normal(size=(9, len(feature_names()))).astype(np.float32)
    assert (load_block_classifier(tmp_path).probabilities(rows) == shipped.probabilities(rows)).all()


def first_row(change: Any) -> Any:
    def damage(model: dict[str, Any]) -> None:
        change(next(iter(model["features"].values())))

    return damage


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda model: model.update(format="else"), "format 'else'"),
        (lambda model: model.pop("features"), "features"),
        (lambda model: model["features"].pop("words"), "features"),
        (lambda model: model.update({"hidden bias": []}), "finite numbers"),
        (lambda model: model.update({"out": [1.0]}), "finite numbers"),
        (lambda model: model.update({"out bias": float("nan")}), "out bias .*nan"),
        (lambda model: model["words"].update(body="strong"), "finite numbers"),
        (lambda model: model["openings"].update(read="little"), "finite numbers"),
        (lambda model: model.pop("headings"), "headings"),
        (first_row(lambda row: row.pop()), "finite numbers"),
        (first_row(lambda row: row.__setitem__(3, float("inf"))), "finite numbers"),
    ],
)
def test_a_damaged_model_is_refused_in_one_line(tmp_path: Path, damage: Any, fault: str) -> None:
    place = tmp_path / FILE
    place.parent.mkdir()
    save_block_classifier(shipped_classifier(), place)
    model = json.loads(place.read_text(encoding="utf-8"))
    damage(model)
    place.write_text(json.dumps(model), encoding="utf-8")
    with pytest.raises(ModelError) as raised:
        load_block_classifier(tmp_path)
    assert re.search(fault, str(raised.value))
    assert str(place) in str(raised.value)
    assert "\n" not in str(raised.value)
