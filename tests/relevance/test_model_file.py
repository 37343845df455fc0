"""Page classifiers on disk: what is saved comes back, and what is damaged is refused in one line."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from message_facts import one_line

from topiccrawler.errors import ModelError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.linear import LinearClassifier, load, load_vectors, save, save_vectors
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import make_topic

TOPIC = make_topic({"name": "finance", "keywords": {"基金": 1.0}}, "test")


def page_classifier(name: str = "svm") -> LinearClassifier:
    return LinearClassifier(
        name=name, topic="finance", similarity_threshold=0.4, classes=("finance", "sports", "travel"),
        words={"基金": 0, "足球": 1, "title:基金": 2, "酒店": 3}, factors=np.array([2.0, 1.0, 3.0, 1.0]),
        values=np.array([[1.0, -0.5, -0.25], [-0.5, 1.0, 0.0], [0.75, 0.0, 0.0], [-0.25, 0.0, 1.0]]),
        biases=np.array([0.1, 0.0, -0.1]), slope=2.0, offset=-0.5, unit=name != "naive_bayes", mean=name == "naive_bayes",
        training={"samples": 9}, scores={"held out": {"f1": 0.9}},
    )  # fmt: skip


PAGE = PageWords(title=["基金"], body=["基金", "足球", "天气"])


def test_a_margin_by_hand() -> None:
    """基金 5 + 1 = 6 times, factor 2; 足球 once; title:基金 twice, factor 3; negative topic sports: biases .1 - 0."""
    x = np.array([(1 + math.log(6)) * 2, 1.0, (1 + math.log(2)) * 3])
    x /= np.sqrt((x * x).sum())
    scores = x @ np.array([[1.0, -0.5, -0.25], [-0.5, 1.0, 0.0], [0.75, 0.0, 0.0]]) + [0.1, 0.0, -0.1]
    assert page_classifier().margin(PAGE) == pytest.approx(scores[0] - max(scores[1:]))
    log_odds = 2 * page_classifier().margin(PAGE) - 0.5
    assert page_classifier().similarity(PAGE) == pytest.approx(1 / (1 + math.exp(-log_odds)))
    assert page_classifier().threshold == 0.5
    assert page_classifier().relevance(PAGE) == pytest.approx(1 / (1 + 0.4 / 0.6 * math.exp(-log_odds)))


@pytest.mark.parametrize("name", ["svm", "naive_bayes"])
def test_what_is_saved_comes_back(name: str, tmp_path: Path) -> None:
    place = tmp_path / "finance.json"
    save(page_classifier(name), place)
    again = load(place, name)
    assert again.relevance(PAGE) == pytest.approx(page_classifier(name).relevance(PAGE), abs=1e-3)
    assert (again.similarity_threshold, again.classes) == (0.4, ("finance", "sports", "travel"))
    assert again.scores == page_classifier().scores
    first = place.read_bytes()
    save(again, place)
    assert load(place, name).values == pytest.approx(again.values)
    save(page_classifier(name), place)
    assert place.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["finance.json"]


def test_a_trained_vector_comes_back_with_its_negative_topics_and_words_of_the_user_stay(
    tmp_path: Path,
) -> None:
    place = tmp_path / "finance.vsm.json"
    trained = TOPIC.model_copy(update={"keywords": {"基金": 0.5, "净值": 1.0}, "page_threshold": 0.2})
    negative_topics = {"sports": {"足球": 1.0, "比赛": 0.25}, "news": {"记者": 1.0}}
    save_vectors(VsmClassifier(trained, negative_topics=negative_topics), {}, {"held out": {}}, place)
    mine = TOPIC.model_copy(update={"keywords": {"基金": 1.0, "定投": 0.7}})
    found = load_vectors(place, mine)
    assert found.topic.keywords == {"基金": 0.5, "净值": 1.0, "定投": 0.7}
    assert found.similarity_threshold == 0.2
    assert found.negative_topics == negative_topics


@pytest.mark.parametrize(
    ("negative_topics", "message"),
    [
        (None, "negative_topics"),
        ([], "negative_topics"),
        ({"sports": 3}, "sports"),
        ({"sports": {"足球": "1"}}, "足球 .*'1'"),
        ({"sports": {"足球": -1.0}}, "足球 .*-1.0"),
        ({"sports": {"足球": float("nan")}}, "足球 .*nan"),
        ({str(n): {} for n in range(101)}, "100 negative_topics"),
    ],
)
def test_negative_topics_that_cannot_be_trusted_are_refused_in_one_line(
    negative_topics: object, message: str, tmp_path: Path
) -> None:
    place = tmp_path / "m.json"
    model = damaged({"page_classifier": "vsm", "words": {"基金": 1.0}, "negative_topics": {}})
    place.write_text(json.dumps(model), encoding="utf-8")
    assert load_vectors(place, TOPIC).negative_topics == {}
    place.write_text(json.dumps({**model, "negative_topics": negative_topics}), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        load_vectors(place, TOPIC)


def damaged(change: dict[str, Any]) -> dict[str, Any]:
    good = {
        "format": "topiccrawler page classifier", "page_classifier": "svm", "topic": "finance",
        "threshold": 0.5, "slope": 1.0, "offset": 0.0, "classes": ["finance", "rest"], "biases": [0.0, 0.0],
        "unit_value": 0.1, "lists": {}, "training": {}, "scores": {}, "words": {"基金": [1.0, 3, -3]},
    }  # fmt: skip
    from topiccrawler.relevance.linear import FEATURES
    from topiccrawler.text.segmenter import TOKENIZER

    return {**good, "tokenizer": TOKENIZER, "features": FEATURES, **change}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "page classifier"),
        ({"tokenizer": "other"}, "tokenizer 'other'"),
        ({"features": "x"}, "features 'x'"),
        ({"page_classifier": "naive_bayes"}, "page_classifier 'naive_bayes'.* 'svm'"),
        ({"classes": ["finance"]}, "classes"),
        ({"classes": [1, 2]}, "classes"),
        ({"biases": [0.0]}, "not 2 finite"),
        ({"words": {}}, "words"),
        ({"words": {"基金": [1.0, 3]}}, "not 3 finite"),
        ({"words": {"基金": [1.0, "3", 0]}}, "not 3 finite"),
        ({"words": {"基金": [1.0, True, 0]}}, "not 3 finite"),
        ({"words": {"基金": [1.0, float("nan"), 0]}}, "not 3 finite"),
        ({"words": {"基金": [1.0, 10**400, 0]}}, "not 3 finite"),
        ({"words": []}, "words"),
        ({"threshold": 7}, "threshold .*7"),
        ({"threshold": float("nan")}, "threshold .*nan"),
        ({"slope": float("inf")}, "slope .*inf"),
        ({"unit_value": 0}, "unit_value .*0"),
        ({"topic": None}, "topic"),
        ({"lists": None}, "lists"),
        ({"lists": {"finance": {"基金": 0}}}, "基金 .*0"),
    ],
)
def test_what_cannot_be_trusted_is_refused_in_one_line(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    place = tmp_path / "m.json"
    place.write_text(json.dumps(damaged({})), encoding="utf-8")
    assert load(place, "svm").margin(PageWords(body=["基金"])) == pytest.approx(0.6)
    place.write_text(json.dumps(damaged(change)), encoding="utf-8")
    with pytest.raises(ModelError, match=one_line(message)):
        load(place, "svm")


def test_topics_may_share_the_weights_of_one_svm(tmp_path: Path) -> None:
    """The file beside has the classes; each topic names its own, whose column becomes the first."""
    save(page_classifier(), tmp_path / "finance.svm.json")
    whole = json.loads((tmp_path / "finance.svm.json").read_text("utf-8"))
    (tmp_path / "svm_weights.json").write_text(json.dumps(whole), encoding="utf-8")
    common = ("classes", "biases", "lists", "unit_value", "words")
    own = {name: value for name, value in whole.items() if name not in common}
    own |= {"topic": "sport", "label": "sports", "weights": "svm_weights.json"}
    place = tmp_path / "sport.svm.json"
    place.write_text(json.dumps(own), encoding="utf-8")
    shared = load(place, "svm")
    assert shared.topic == "sport"
    assert shared.classes == ("sports", "finance", "travel")
    sums = page_classifier()._sums(*page_classifier()._vector(PAGE))
    assert shared.margin(PAGE) == pytest.approx(sums[1] - max(sums[0], sums[2]), abs=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": "../svm_weights.json"}, "m.json: .*weights"),
        ({"weights": 1}, "m.json: .*weights"),
        ({"weights": "absent.json"}, "absent.json: "),
        ({"weights": "m.json"}, "words"),
        ({"label": "cooking"}, "label"),
    ],
)
def test_shared_weights_that_cannot_be_trusted_are_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    (tmp_path / "svm_weights.json").write_text(json.dumps(damaged({})), encoding="utf-8")
    own = damaged({"label": "finance", "weights": "svm_weights.json", **change})
    del own["words"]
    (tmp_path / "m.json").write_text(json.dumps(own), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        load(tmp_path / "m.json", "svm")
