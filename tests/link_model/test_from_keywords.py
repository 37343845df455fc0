"""Starting from keywords: when, and what such a model says."""

import logging
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.errors import ModelError
from topiccrawler.lab.training.keyword_models import untrained
from topiccrawler.link_model.from_keywords import (
    keyword_model,
    keyword_model_to_ship,
    link_model,
    ready_model,
)
from topiccrawler.link_model.model_file import KEYWORDS, dumps, model_file
from topiccrawler.model import Link
from topiccrawler.resources import folder
from topiccrawler.topics.catalogue import load_topic, topic_from_keywords
from topiccrawler.zstandard import decompress

TOPIC = topic_from_keywords("基金:2,股票:1,定投", "mine")


def odds(*anchors: str) -> list[float]:
    return keyword_model(TOPIC).log_odds([Link("", "", anchor) for anchor in anchors])


def test_words_of_other_topics_speak_against_it_but_for_those_near_its_own() -> None:
    football, cooking, bonds, none = odds("足球", "菜谱", "债券", "某某某某")
    assert football < none
    assert cooking < none
    assert bonds >= none  # a word of the catalogue's finance
    assert odds("基金")[0] > 5 * -football


def test_a_phrase_counts_more_than_its_words_in_any_inflection() -> None:
    model = keyword_model(topic_from_keywords("electric car, battery", "mine"))
    links = [Link("", "", anchor) for anchor in ("Electric cars", "car insurance", "BATTERIES", "news")]
    phrase, word, keyword, none = model.log_odds(links)
    assert phrase > keyword > word > none == 0.0


def test_a_topic_without_a_model_starts_from_its_keywords_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        model = link_model(TOPIC, None)
    assert model.log_odds([Link("", "", "基金")])[0] > 1
    assert [numbers(record.getMessage()) for record in caplog.records] == [["3"]]


def test_a_model_missing_from_a_folder_that_was_named_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"mine\.json.*scrapy train mine"):
        link_model(TOPIC, str(tmp_path))


SHIPPED = [
    pytest.param(name, marks=() if at < 2 else pytest.mark.slow) for at, name in enumerate(untrained())
]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_models_are_those_that_are_made_of_the_keywords(name: str) -> None:
    place = model_file(name, folder("models").joinpath(KEYWORDS))
    assert decompress(place.read_bytes(), 10_000_000).decode() == dumps(
        keyword_model_to_ship(load_topic(name))
    )


def test_a_shipped_model_scores_as_the_one_that_is_made() -> None:
    topic = load_topic("music")
    anchors = [*[*topic.keywords][:50], "足球", "菜谱", "某某", "piano lessons"]
    links = [Link("", "", anchor) for anchor in anchors]
    ready, made = ready_model(topic), keyword_model(topic)
    assert ready is not None
    assert ready.log_odds(links) == made.log_odds(links)
    assert len({*made.log_odds(links)}) > 5


def test_a_changed_topic_has_no_shipped_model() -> None:
    topic = load_topic("music")
    changed = topic.model_copy(update={"keywords": {**topic.keywords, "三弦": 1.0}})
    assert ready_model(changed) is None
    assert ready_model(topic_from_keywords("乐队", "band")) is None
    assert link_model(changed, None).log_odds([Link("", "", "三弦")])[0] > 1
