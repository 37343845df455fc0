"""One link model of several."""

from dataclasses import replace

import pytest

from topiccrawler.errors import ModelError
from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.link_model.model_file import SeveralLinkModels
from topiccrawler.model import Link
from topiccrawler.topics.catalogue import load_topic

LINKS = [
    Link(f"http://a.cn/{number}", "a.cn", anchor)
    for number, anchor in enumerate(("基金净值", "旅游景点", "天气"))
]
MONEY, TRIPS = (keyword_model(load_topic(name)) for name in ("finance", "travel"))


def test_a_link_promises_what_it_promises_most() -> None:
    both = SeveralLinkModels([MONEY, TRIPS])
    of_money, of_trips = MONEY.log_odds(LINKS), TRIPS.log_odds(LINKS)
    assert both.log_odds(LINKS) == [max(pair) for pair in zip(of_money, of_trips, strict=True)]
    assert both.log_odds(LINKS)[:2] == [of_money[0], of_trips[1]]
    assert [both.explain(link) for link in LINKS[:2]] == [MONEY.explain(LINKS[0]), TRIPS.explain(LINKS[1])]


def test_the_gate_is_open_unless_all_have_a_threshold() -> None:
    assert SeveralLinkModels([replace(MONEY, gate_threshold=-7.0), TRIPS]).gate_threshold is None
    both = SeveralLinkModels([replace(MONEY, gate_threshold=-7.0), replace(TRIPS, gate_threshold=-6.0)])
    assert both.gate_threshold == -7.0


def test_models_of_different_contexts_are_refused() -> None:
    with pytest.raises(ModelError, match=r"travel.* dom.* finance window"):
        SeveralLinkModels([MONEY, replace(TRIPS, context="dom")])
