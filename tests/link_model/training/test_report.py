"""The readable report: facts, table, words."""

from topiccrawler.link_model.classifier import Counts, LinkClassifier
from topiccrawler.link_model.training.evaluation import row
from topiccrawler.link_model.training.promotion import report


def test_a_report_names_sources_figures_and_the_strongest_words_of_each_class() -> None:
    counts = Counts()
    counts.add({"anchor": ["基金"]}, True, 6)
    counts.add({"anchor": ["足球"]}, False, 6)
    training = {"samples": {"links": [3, 2]}, "files": {"a.jsonl": "ff"}, "set": "00", "seed": 1}
    model = LinkClassifier("finance", counts, training=training)
    lines = report(model, [row("links: model", [True], [1.0])], {"pages||links": 0.6931}).splitlines()
    assert lines[0].endswith(" finance")
    assert "  links               3        2" in lines
    assert "  a.jsonl  sha256 ff" in lines
    assert "D(pages||links) = 0.693 nats = 1.000 bits" in lines
    assert lines[lines.index("Field anchor") + 2 :][:2] == [
        "  on topic:  基金 1.9 足球 -1.9",
        "  off topic: 足球 -1.9 基金 1.9",
    ]
