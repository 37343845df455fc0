"""Starting from keywords: when, and what such a model says."""

import logging
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.errors import ModelError
from topiccrawler.link_model.from_keywords import keyword_model, link_model
from topiccrawler.model import Link
from topiccrawler.topics.catalogue import topic_from_keywords

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
