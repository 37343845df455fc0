"""Boilerplate: words that stand at every site's links teach nothing, but for the topic's own keywords."""

from __future__ import annotations

import pytest

from topiccrawler.link_model.classifier import Lexicon, LinkWords
from topiccrawler.link_model.from_keywords import keyword_model
from topiccrawler.link_model.training.samples import BOILERPLATE, Sample, balanced
from topiccrawler.model import Link
from topiccrawler.text.segmenter import words
from topiccrawler.topics.catalogue import topic_from_keywords


def sample(text: str, positive: bool, host: str = "") -> Sample:
    found = words(text)
    return Sample(LinkWords(found, found, host.split(".")), positive)


@pytest.mark.parametrize(
    "word", ["目录", "标签", "搜索", "上一篇", "阅读全文", "更多", "我们", "github", "tags", "next"]
)
def test_words_of_menus_of_functions_and_of_hosting_are_boilerplate(word: str) -> None:
    assert word in BOILERPLATE


@pytest.mark.parametrize("word", ["手机", "统计", "条款", "地图", "基金", "finance"])
def test_words_that_a_topic_lives_on_are_not(word: str) -> None:
    assert word not in BOILERPLATE


def test_the_boilerplate_of_one_portal_says_nothing_on_the_next_site() -> None:
    links = [sample("基金标签", True, "finance.github"), sample("足球目录搜索", False, "sports.tags")]
    counts = balanced({"links": links}, Lexicon(()))
    assert {name: [word for word, _ in counts.pairs(name)] for name in ("anchor", "context", "url")} == {
        "anchor": ["基金", "足球"],
        "context": ["基金", "足球"],
        "url": ["finance", "sports"],
    }


def test_a_keyword_of_the_topic_is_counted_although_it_is_boilerplate_elsewhere() -> None:
    own = [sample("搜索", True), sample("目录", False)]
    counts = balanced(
        {"keywords": own, "links": [sample("搜索目录", True), sample("足球", False)]}, Lexicon(())
    )
    assert [word for word, _ in counts.pairs("anchor")] == ["搜索", "足球"]


def test_a_start_from_keywords_keeps_them_all_but_learns_no_boilerplate_from_examples() -> None:
    topic = topic_from_keywords("搜索,引擎", "mine").model_copy(
        update={"examples": ["本站目录里有爬虫的文章。"]}
    )
    found = keyword_model(topic).log_odds(
        [
            Link("", "", text) if text == "搜索" else Link("", "", "", before=text)
            for text in ("搜索", "爬虫", "目录")
        ]
    )
    assert found[0] > 0
    assert found[1] > 0
    assert found[2] == 0.0
