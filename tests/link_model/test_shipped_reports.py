"""What the shipped link models say of themselves: model, report, README and docs agree, all of what needs no training data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from topiccrawler.link_model.model_file import load_model
from topiccrawler.link_model.training.promotion import report
from topiccrawler.resources import folder

ROOT = Path(__file__).parents[2]
TOPICS = ("auto", "education", "entertainment", "finance", "food", "health", "law", "sport", "tech", "travel")
TABLE = "Evaluation table"
FIGURES = ("precision", "recall", "f1", "best_f1")
MEASURED_ONCE = ("Learning curve", "KL divergences")  # not in the model


def text_of(place: str) -> str:
    return (ROOT / place).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("place", [*TOPICS, "paper/finance"])
def test_a_report_says_what_its_model_says(place: str) -> None:
    """Facts, sources and weightiest words to the letter, the evaluation table within what rounding leaves open."""
    model = load_model(Path(place).name, folder("models").joinpath(*Path(place).parts[:-1]))
    parts = text_of(f"models/{place}.txt").split("\n\n")
    rows = [row for part in parts if part.startswith(TABLE) for row in part.splitlines()[2:]]
    assert [part for part in parts if not part.startswith((TABLE, *MEASURED_ONCE))] == report(
        model, (), {}
    ).split("\n\n")
    assert [row[:24].rstrip() for row in rows] == list(model.scores)
    for row, scores in zip(rows, model.scores.values(), strict=True):
        *shares, threshold, number = map(float, row[24:].split())
        assert isinstance(scores, dict)
        assert shares == pytest.approx([scores[name] for name in FIGURES], abs=5.6e-4)
        assert (threshold, number) == (pytest.approx(scores["best_threshold"], abs=6e-3), scores["samples"])


def samples(place: str, source: str) -> int:
    """Of both classes, from that source, as the model's report has them."""
    sides = re.search(rf"^  {source} +(\d+) +(\d+)$", text_of(f"models/{place}.txt"), re.MULTILINE)
    assert sides, place
    return int(sides[1]) + int(sides[2])


def divergences(place: str) -> dict[str, str]:
    """KL in nats by the two sides, as a report has them."""
    return dict(re.findall(r"^D\((.+)\) = (\S+) nats", text_of(f"models/{place}.txt"), re.MULTILINE))
