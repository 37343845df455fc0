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


def test_the_readme_of_the_models_has_the_numbers_of_their_reports() -> None:
    numbers = text_of("models/README.md").replace(" ", "")
    trained = sorted(set(TOPICS) - {"food", "law"})
    counts = {samples(topic, "links") for topic in trained} | {samples("paper/finance", "links")}
    assert len(counts) == 3
    assert all(f"{count}links" in numbers or f"{count}forfinance" in numbers for count in counts)
    assert {samples(topic, "headlines") for topic in trained} == {24_891}
    assert "24891newsheadlines" in numbers


def test_the_guide_quotes_the_learning_curve_of_finance() -> None:
    curve = dict(
        re.findall(
            r"^\d+ links of (\d+) hosts +\S+ +\S+ +0(\.\d+)", text_of("models/finance.txt"), re.MULTILINE
        )
    )
    told = re.search(
        r"F1 on held-out hosts is (\S+) after (\d+) hosts of a portal, (\S+) after (\d+)",
        text_of("docs/models.md"),
    )
    assert told
    assert {told[2]: told[1], told[4]: told[3]}.items() <= curve.items()


def divergences(place: str) -> dict[str, str]:
    """KL in nats by the two sides, as a report has them."""
    return dict(re.findall(r"^D\((.+)\) = (\S+) nats", text_of(f"models/{place}.txt"), re.MULTILINE))


def test_the_papers_page_has_the_divergences_of_both_reports() -> None:
    table = text_of("docs/papers/nb-guided.md").partition("| KL distance (base")[2].splitlines()[2:5]
    cells = [[cell.strip() for cell in row.split("|")[3:5]] for row in table]
    published, ours = divergences("paper/finance"), divergences("finance")
    between = published["pages||links"], published["links||pages"]
    assert cells == [
        [
            "{} (pages‖links), {} (links‖pages)".format(*between),
            f"{ours['pages||links']}, {ours['links||pages']}",
        ],
        [published["pages||pages"], ours["pages||pages"]],
        [published["links||links"], ours["links||links"]],
    ]
