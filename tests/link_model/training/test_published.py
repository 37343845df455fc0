"""The published naive Bayes by hand: eq. 1 and 2, the two groups, and no word of an address."""

import json
import math
from pathlib import Path

import pytest
from message_facts import numbers, one_line

from topiccrawler.errors import ArgumentError, LinksFileError, ModelError
from topiccrawler.link_model.classifier import LEXICON, Lexicon, LinkWords
from topiccrawler.link_model.from_keywords import link_model
from topiccrawler.link_model.model_file import load, load_model, save
from topiccrawler.link_model.training.published import published_model
from topiccrawler.link_model.training.samples import Sample
from topiccrawler.link_model.training.train import TrainingRecipe, train
from topiccrawler.model import Link
from topiccrawler.resources import folder
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic import make_topic

LEXICON_OF_FINANCE = Lexicon(["基金"])
ADDRESS = ["finance", "fund"]
SAMPLES = [
    Sample(LinkWords(["基金", "净值"], ["股票"], ADDRESS), True),
    Sample(LinkWords(["基金", "基金"], ["基金"], ADDRESS), True),
    Sample(LinkWords(["行情"], ["天气"], ADDRESS), True),
    Sample(LinkWords(["足球"], ["基金"], ["sports"]), False),
]


def test_group_2_has_the_context_apart_and_the_dictionary_of_both() -> None:
    """
    Anchor 基金 3/5 : 1/3, and the same for "the anchor holds a word of the dictionary". Context 基金: Count(F,+) 1 of 3, Count(F,-) 1
    of 1: 2/5 : 2/3, and again for the dictionary.
    """
    model = published_model("fund", SAMPLES, LEXICON_OF_FINANCE)
    anchor, context = 2 * math.log((3 / 5) / (1 / 3)), 2 * math.log((2 / 5) / (2 / 3))
    asked = [LinkWords(["基金"], [], []), LinkWords([], ["基金"], []), LinkWords(["基金"], ["基金"], ADDRESS)]
    expected = [math.log(3) + part for part in (anchor, context, anchor + context)]
    assert model.log_odds_of_words(asked) == pytest.approx(expected, abs=1e-6)
    assert model.counts.words["anchor"][1][LEXICON] == 2


def test_smoothing_is_what_eq_2_adds_to_each_count(tmp_path: Path) -> None:
    """a = 1/2, group 1: 基金 (2 + .5) / (3 + 1) = 5/8 against .5 / (1 + 1) = 1/4; the prior stays 3/4, also when read from a file."""
    model = published_model("fund", SAMPLES, LEXICON_OF_FINANCE, group=1, smoothing=0.5)
    save(model, tmp_path / "fund.json.zst")
    for one in (model, load(tmp_path / "fund.json.zst")):
        odds = one.log_odds_of_words([LinkWords(["基金"], [], [])])
        assert odds == pytest.approx([math.log(3) + math.log((5 / 8) / (1 / 4))], abs=1e-6)
    assert numbers(str(model.training["published"])) == ["2010", "1", "0.5"]


def test_no_word_of_an_address_is_counted_so_that_labels_made_of_addresses_cannot_leak() -> None:
    for group in (1, 2):
        model = published_model("fund", SAMPLES, LEXICON_OF_FINANCE, group)
        assert model.counts.words["url"] == ({}, {})
        there, elsewhere = (
            Link(f"http://{host}/a/", host, "基金") for host in ("finance.fund.cn", "sports.sina.cn")
        )
        assert model.log_odds([there])[0] == model.log_odds([elsewhere])[0]


def test_of_features_only_those_that_a_link_has_count_and_stop_words_are_some() -> None:
    """Group 1. P(+) = 3/4. 首页 2/5 to 2/3; that the other words are missing changes nothing, nor does the number 2015."""
    samples = [
        *SAMPLES[:2],
        Sample(LinkWords(["首页"], [], []), True),
        Sample(LinkWords(["首页", "2015"], [], []), False),
    ]
    model = published_model("fund", samples, LEXICON_OF_FINANCE, group=1)
    odds = model.log_odds_of_words([LinkWords(["首页"], [], []), LinkWords(["首页", "2015"], [], [])])
    assert odds == pytest.approx([math.log(3) + math.log((2 / 5) / (2 / 3))] * 2, abs=1e-6)


def test_links_of_another_context_are_refused_with_the_command_that_collects_them(tmp_path: Path) -> None:
    rows = [
        {"url": f"http://h{n}.cn/", "anchor": "基金", "label": n % 2, "context": "window"} for n in range(4)
    ]
    place = tmp_path / "links.jsonl"
    place.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    topic = make_topic({"name": "fund", "keywords": {"基金": 1.0}}, "test")
    fault = "line 1: the context was made by 'window'.*scrapy crawl links -a topic=fund -a context=neighbour"
    with pytest.raises(LinksFileError, match=one_line(fault)):
        train(TrainingRecipe(topic, [place], context="neighbour", published=2))


def test_training_it_takes_the_links_alone_and_says_so(tmp_path: Path) -> None:
    rows = [
        {"url": f"http://h{n}.cn/", "anchor": ("基金", "足球")[n % 2], "label": 1 - n % 2, "source_url": f"http://s{n % 5}.cn/"}
        for n in range(20)
    ]  # fmt: skip
    place = tmp_path / "links.jsonl"
    place.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    topic = make_topic({"name": "fund", "zh": "基金", "keywords": {"基金": 1.0}}, "test")
    trained = train(TrainingRecipe(topic, [place], context="neighbour", published=2))
    model = trained.model
    assert (model.prior, model.threshold, model.gate_threshold) == (0.5, 0.0, None)
    assert model.context == "neighbour"
    assert model.counts.samples == {"anchor": [10.0, 10.0], "context": [10.0, 10.0], "url": [0.0, 0.0]}
    assert model.training["samples"] == {"links": [10, 10]}
    assert numbers(str(model.training["published"])) == ["2010", "2"]
    by_name = {row.name: row for row in trained.rows}
    assert by_name["links: model"].scores() == by_name["links: group 2"].scores()
    with pytest.raises(ArgumentError, match=r"--paper.*--links FILE"):
        train(TrainingRecipe(topic, published=2))


@pytest.mark.slow
def test_the_shipped_one_is_chosen_by_the_word_paper() -> None:
    model = link_model(load_topic("finance"), "paper")
    shipped = load_model("finance", folder("models").joinpath("paper"))
    assert model.scores == shipped.scores
    assert (model.compounds, model.trust["url"], model.context) == (False, 0.0, "neighbour")
    assert numbers(str(model.training["published"])) == ["2010", "2"]
    with pytest.raises(ModelError, match="'law'"):
        link_model(load_topic("law"), "paper")
