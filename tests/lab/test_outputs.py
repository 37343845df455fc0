"""result.json, curves.csv, cost.json, table, plots and report of one small comparison."""

import csv
import dataclasses
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.image import imread
from message_facts import numbers

from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.configurations import Configurations
from topiccrawler.lab.experiment import Comparison, Outcome, Plan
from topiccrawler.lab.measures import Truth
from topiccrawler.lab.reporting import lines, plots, report, versions, write
from topiccrawler.lab.runner import Cost, Crawled
from topiccrawler.topics.seeds import Seeds

EVIL = "http://a.example/<script>alert(1)</script>?a&b"
TRUTH = Truth("labels", frozenset({1, 2}), frozenset({2}), frozenset(range(5)))
RECORDED = {"pages": 5, "links": 6, "links_not_recorded": 7, "labelled": 8, "labels_not_recorded": 9}
COST = Cost(cpu_seconds=2.0, wall_seconds=4.0, peak_memory_mb=100.0)


def outcome(topic: str = "tea", truth: Truth = TRUTH) -> Outcome:
    crawls = {
        "breadth_first": [Crawled([0, 3, 1, 2], cost=COST)],
        "random_order": [Crawled([0, 1]), Crawled([2, 1])],
    }
    return Outcome(
        topic,
        truth,
        [EVIL],
        truth.measured([1, 2, 0, 3]),
        [1, 2, 0, 3],
        Configurations(list(crawls), {"jlse": "jlse <needs> a model"}),
        crawls,
        {name: [truth.measured(one.order) for one in runs] for name, runs in crawls.items()},
    )


@pytest.fixture
def comparison(tmp_path: Path) -> Callable[..., Comparison]:
    def make(*outcomes: Outcome) -> Comparison:
        web = tmp_path / "a<b>.warc"
        web.write_bytes(b"bytes")
        topics = tuple(Recipe(one.topic, prune=False) for one in outcomes)
        specs = ("breadth_first", "random_order", "fish_search:width=3")
        plan = Plan((web,), topics, (Seeds([EVIL], []),), specs, pages=4)
        return Comparison(plan, list(outcomes), RECORDED)

    return make


def test_result_json_has_the_agreed_fields(comparison: Callable[..., Comparison], tmp_path: Path) -> None:
    write(comparison(outcome()), tmp_path, {})
    found = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (found["version"], found["topic"], found["pages"], found["truth"]) == (1, "tea", 4, "labels")
    assert (found["mode"], found["concurrency"], found["seeds"]) == ("replay", 16, [EVIL])
    first = found["strategies"]["breadth_first"]  # 0 0 1 2, area 3; oracle 1 2 2 2, area 7
    assert first == {
        "harvest_rate": {"4": 0.5},
        "target_recall": {"4": 1.0},
        "content_harvest_rate": {"4": 0.25},
        "content_target_recall": {"4": 1.0},
        "oracle_ratio": 0.428571,
        "pages_to_half": 3,
        "relevant_sites": 0,
        "off_topic_share": 0.5,
        "pages": 4,
    }
    assert found["oracle"]["oracle_ratio"] == 1.0
    assert found["strategies"]["random_order"]["runs"] == 2
    assert found["absent"] == {"jlse": "jlse <needs> a model"}
    assert found["reachable"] == {"pages": 5, "relevant": 2, "content": 1, "relevant_sites": 0}
    assert found["recorded"] == RECORDED


VERDICTS = [
    {0: Verdict(0.8, True), 1: Verdict(0.1, False), 2: Verdict(0.9, True), 3: Verdict(0.3, False)},
    {0: Verdict(0.8, True), 1: Verdict(0.5, True), 2: Verdict(0.9, True)},
]


def with_verdicts() -> Outcome:
    """Every page is content; breadth_first keeps 0 and 2, of which 2 is on topic, as is 1."""
    truth = dataclasses.replace(TRUTH, counted=frozenset(range(5)))
    found = outcome(truth=truth)
    for name, runs in found.crawls.items():
        found.scored[name] = [
            truth.measured(one.order, told) for one, told in zip(runs, VERDICTS, strict=False)
        ]
    return found


@pytest.mark.slow
def test_what_is_kept_is_in_every_output(comparison: Callable[..., Comparison], tmp_path: Path) -> None:
    made = comparison(with_verdicts())
    write(made, tmp_path, {})
    found = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert "kept" not in found["oracle"]
    first = found["strategies"]["breadth_first"]["kept"]
    assert list(first) == ["pages", "precision", "recall", "p_at_25", "calibration_error", "reliability"]
    assert [first[name] for name in list(first)[:5]] == [2, 0.5, 0.5, 0.5, 0.525]
    assert set(found["strategies"]["random_order"]["band"]["kept"]) == set(first) - {"reliability"}
    printed = "\n".join(lines(made))
    assert re.search(r"kept +precision +recall +P@25 +calibration error", printed)
    assert re.search(r"breadth_first +2 +0\.500 +0\.500 +0\.500 +0\.525$", printed, re.MULTILINE)
    assert re.search(r"random_order +\S+ \(-?\d\.\d{3} to \d+\.\d{3}\)  .*\n", printed)
    drawn = plots(with_verdicts(), 4)
    assert list(drawn) == ["harvest.png", "recall.png", "recall_content.png", "reliability.png"]
    assert imread(io.BytesIO(drawn["reliability.png"])).shape[1] > 600
    page = report(made, {"tea": drawn}, {})
    assert 'alt="reliability.png"' in page
    assert page.count("<table") == page.count('<div class="scroll"><table')


def test_curves_have_a_row_for_each_strategy_run_and_step(
    comparison: Callable[..., Comparison], tmp_path: Path
) -> None:
    write(comparison(outcome()), tmp_path, {})
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["strategy"], row["run"], row["pages"]) for row in rows] == [
        ("breadth_first", "0", "4"),
        ("random_order", "0", "4"),
        ("random_order", "1", "4"),
        ("oracle", "0", "4"),
    ]
    assert rows[0]["relevant"] == "2"
    assert rows[0]["content"] == "1"
    assert [row["oracle_ratio"] for row in rows] == ["0.428571", "0.428571", "1.0", "1.0"]


def test_the_table_ranks_by_oracle_ratio(comparison: Callable[..., Comparison]) -> None:
    printed = lines(comparison(outcome()))
    assert (printed[0].startswith("tea: "), numbers(printed[0])) == (True, ["4", "2", "5", "0"])
    assert printed[1].endswith(": jlse <needs> a model")
    assert [line.split()[:2] for line in printed[3:6]] == [
        ["oracle", "1.000"],
        ["random_order", "0.714"],
        ["breadth_first", "0.429"],
    ]
    assert re.match(r"  random_order +0\.714 \(-?\d+\.\d{3} to \d+\.\d{3}\)  ", printed[4])


def test_several_topics_end_with_their_mean(comparison: Callable[..., Comparison]) -> None:
    printed = lines(comparison(outcome("tea"), outcome("wine")))
    assert printed[-3].endswith(" tea, wine")
    assert printed[-2:] == ["  random_order   0.714", "  breadth_first  0.429"]


def test_the_report_stands_alone_and_escapes_what_came_from_outside(
    comparison: Callable[..., Comparison],
) -> None:
    page = report(comparison(outcome()), {"tea": {"harvest.png": b"png"}}, {"strategies": EVIL})
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;?a&amp;b" in page
    assert "jlse &lt;needs&gt; a model" in page
    assert "a&lt;b&gt;.warc" in page
    assert 'src="data:image/png;base64,cG5n"' in page
    assert "http" not in page.replace(EVIL, "").replace("http://a.example/&lt;", "")
    assert "width=3" in page
    for name, version in versions().items():
        assert name in page
        assert version in page


def test_the_report_says_when_the_page_classifier_marks_its_own_work(
    comparison: Callable[..., Comparison],
) -> None:
    truth = Truth("judge", frozenset({1}), frozenset(), frozenset(range(5)))
    made = comparison(outcome(truth=truth))
    warned, plain = (report(one, {"tea": {}}, {}) for one in (made, comparison(outcome())))
    assert warned.count('<p class="note">') == plain.count('<p class="note">') + 1
    heads = [lines(one)[0] for one in (made, comparison(outcome()))]
    assert ["truth: labels;" in head for head in heads] == [False, True]
