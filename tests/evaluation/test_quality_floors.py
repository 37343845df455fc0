from __future__ import annotations

import json
from pathlib import Path

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.evaluation.quality_floors import complaints, measured, read_floors
from topiccrawler.strategies import STRATEGIES

FLOORS = Path(__file__).parents[1] / "quality_floors.json"


def test_every_strategy_reaches_its_floor_on_the_synthetic_web(tmp_path: Path) -> None:
    ratios = measured(tmp_path)
    assert set(ratios) == set(STRATEGIES)
    assert complaints(ratios, read_floors(FLOORS)) == []


def test_an_ordering_under_its_floor_is_named() -> None:
    floors = {"jlse": [{"floor": 0.5}], "opic": [{"floor": 0.2}]}
    assert complaints({"jlse": 0.49, "opic": 0.2}, floors) == [
        "jlse: oracle ratio 0.490 is under its floor of 0.5"
    ]


def test_an_ordering_without_a_floor_and_a_floor_without_an_ordering_are_named() -> None:
    assert complaints({"new": 0.4}, {"old": [{"floor": 0.5}]}) == [
        "old: has a floor of 0.5 and did not run",
        "new: has no floor; measured 0.400",
    ]


def test_a_floor_may_rise_silently_but_not_fall() -> None:
    entries = [{"floor": 0.3}, {"floor": 0.5}, {"floor": 0.4, "why": " "}]
    assert complaints({"opic": 0.6}, {"opic": entries}) == [
        "opic: its floor was lowered to 0.4 and nobody says why"
    ]
    entries[-1]["why"] = "the synthetic web has a new kind of site"
    assert complaints({"opic": 0.6}, {"opic": entries}) == []


@pytest.mark.parametrize("text", ["", "[]", '{"opic": []}', '{"opic": [{"floor": "high"}]}', '{"opic": 0.5}'])
def test_a_file_that_is_no_table_of_floors_is_one_clear_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "floors.json"
    file.write_text(text)
    with pytest.raises(ArgumentError, match=r"floors\.json"):
        read_floors(file)


def test_the_pinned_floors_say_why() -> None:
    for entries in json.loads(FLOORS.read_text()).values():
        assert all(entry["why"] for entry in entries)
