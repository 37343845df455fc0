"""The nearest of several centroids (MySpider thesis, §3.3.2) by hand, and as it is saved. tests/commands/test_train_centroids.py trains it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from message_facts import one_line

from topiccrawler.errors import ModelError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.centroids import (
    CentroidClassifier,
    centroid_classifier,
    load_centroids,
    save_centroids,
)
from topiccrawler.relevance.choose import make_page_classifier
from topiccrawler.topics.topic import Topic, make_topic

ONE, TWO = (
    math.log10(4 / 1 + 0.01) / 2,
    math.log10(4 / 2 + 0.01) / 2,
)  # a word of one of four documents, of two


def page(*words: str, title: tuple[str, ...] = ()) -> PageWords:
    return PageWords(body=list(words), title=list(title))


@pytest.fixture
def found() -> CentroidClassifier:
    """Two documents on funds, one on sport, one on travel. 比赛 is in one of funds (two times) and in sport."""
    documents = [
        (page("基金", "基金", "净值"), "fund"),
        (page("基金", "比赛", "比赛"), "fund"),
        (page("比赛", "射门"), "sport"),
        (page("旅游", "酒店"), "travel"),
    ]
    return centroid_classifier("fund", documents, 100)


def test_a_page_belongs_to_the_nearest_of_several_centroids(found: CentroidClassifier) -> None:
    """By hand, for a page of 比赛 alone: its cosine is 比赛's part of each centroid's length."""
    ball = page("比赛")
    fund = TWO / math.hypot(1.5 * TWO, 0.5 * ONE, TWO)
    sport = TWO / math.hypot(TWO, ONE)
    assert found.similarities(ball) == pytest.approx({"fund": fund, "sport": sport, "travel": 0.0})
    assert (fund > sport, found.class_of(ball)) == (False, "sport") if sport > fund else (True, "fund")
    assert found.similarity(ball) == pytest.approx(fund / (fund + sport))
    assert found.relevance(ball) == pytest.approx(1 / (1 + (sport / fund) ** 3))
    pages = (page("基金", "比赛"), page("射门", "比赛"), page("酒店"), page("天气"))
    assert [found.class_of(one) for one in pages] == ["fund", "sport", "travel", ""]
    assert [found.relevance(one) >= 0.5 for one in pages] == [True, False, False, False]


def test_only_the_heaviest_words_of_the_centroids_are_kept() -> None:
    """Of the six words the two with the largest share of a centroid's length: 旅游 fills its own, 基金 most of its."""
    documents = [
        (page("基金", "基金", "基金", "净值"), "fund"),
        (page("旅游"), "travel"),
        (page("射门", "比赛", "球队"), "sport"),
    ]
    found = centroid_classifier("fund", documents, 2)
    assert set(found.idf) == {"旅游", "基金"}
    assert [sorted(centre) for centre in found.centroids.values()] == [["基金"], [], ["旅游"]]
    assert found.class_of(page("基金", "旅游", "旅游")) == "travel"


def test_words_of_the_title_weigh_more_and_shares_add_up_to_the_cosine(found: CentroidClassifier) -> None:
    titled = page("射门", "射门", title=("基金",))
    assert found.class_of(titled) == "fund"
    shares = found.explain(page("比赛", "基金"))
    assert [word for word, _ in shares] == ["基金", "比赛"]
    cosine = found.similarities(page("比赛", "基金"))["fund"]
    assert sum(share for _, share in shares) == pytest.approx(cosine)


def test_it_is_the_same_after_it_was_saved(found: CentroidClassifier, tmp_path: Path) -> None:
    folder = tmp_path / "page_classifiers"
    folder.mkdir()
    save_centroids(found, folder / "fund.nearest_centroid.json")
    topic = make_topic({"name": "fund", "keywords": {"基金": 1.0}}, "x")
    read = make_page_classifier(topic, "nearest_centroid", tmp_path)
    for one in (page("比赛"), page("基金", "净值"), page("酒店", "比赛")):
        assert read.similarity(one) == pytest.approx(found.similarity(one), abs=1e-3)


@pytest.mark.parametrize(
    ("part", "value"),
    [("centroids", {"fund": {"基金": 1.0}}), ("centroids", {"sport": {"比赛": 1.0}, "fund": {"基金": 1.0}}),
     ("centroids", {"fund": {"基金": -1.0}, "sport": {}}), ("words", {"基金": "x"}), ("format", "else")],
)  # fmt: skip
def test_a_damaged_file_is_refused_in_one_line(
    found: CentroidClassifier, tmp_path: Path, part: str, value: Any
) -> None:
    file = tmp_path / "fund.json"
    save_centroids(found, file)
    whole = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**whole, part: value}), encoding="utf-8")
    with pytest.raises(ModelError, match=one_line()):
        load_centroids(file)


def test_without_a_trained_file_the_command_that_makes_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="scrapy train fund --page-classifier nearest_centroid"):
        make_page_classifier(Topic(name="fund", keywords={"基金": 1.0}), "nearest_centroid", tmp_path)
