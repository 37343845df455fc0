"""The library classification as a tree, and what a class makes of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import TopicError
from topiccrawler.link_model.from_keywords import link_model
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.text.segmenter import words
from topiccrawler.topics.catalogue import (
    Class,
    children,
    classes,
    find,
    is_catalogued,
    keywords_of,
    load_topic,
)


def test_every_class_but_the_top_ones_stands_below_another() -> None:
    codes = {one.code for one in classes()}
    assert len(codes) == len(classes()) == 2031
    assert [len([one for one in classes() if one.level == level]) for level in (1, 2, 3)] == [22, 248, 1761]
    assert all((one.parent in codes) if one.level > 1 else not one.parent for one in classes())


def test_the_tree_is_walked_down_from_the_top() -> None:
    assert [one.code for one in children()][:3] == ["A", "B", "C"]
    assert "F8" in {one.code for one in children("f")}
    assert [one.name for one in children("F8")] == ["财政、国家财政", "货币", "金融、银行", "保险"]
    assert children("F83") == []


def test_a_class_is_found_by_its_code_or_a_part_of_its_name() -> None:
    finance = Class("F83", "金融、银行", 3, "F8")
    assert find(" f83 ") == [finance]
    assert [one.code for one in find("金融")] == ["F8", "F83"]
    assert find("货币")[0].name == "货币"
    assert find("") == find("没有这个类") == []


@pytest.mark.parametrize(
    ("code", "keywords"),
    [
        ("F83", {"金融": 1.0, "银行": 1.0}),
        ("F8", {"财政": 1.0, "金融": 1.0, "国家财政": 0.5, "货币": 0.5, "银行": 0.5, "保险": 0.5}),
        ("A18", {"马克思": 1.0, "恩格斯著作": 1.0, "恩格斯": 0.5, "著作": 0.5}),  # 语录, of the class above
        (
            "H673",
            {"埃及": 1.0, "科普特语族": 1.0, "科普特": 0.5, "语族": 0.5},
        ),  # 及 of 埃及 separates nothing
    ],
)
def test_the_words_of_a_class_are_those_of_its_name_and_half_of_its_childrens(
    code: str, keywords: dict[str, float]
) -> None:
    assert keywords_of(code) == keywords


def test_all_classes_make_topics_but_those_named_by_one_character() -> None:
    assert [one.name for one in classes() if not keywords_of(one.code)] == ["糖（醣）", "酶", "泵"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("clc:F99", "class 'F99': is not in the Chinese Library Classification; near it are F (经济)"),
        ("clc:F839", "near it are F83 (金融、银行)"),
        ("clc:", "class '': is not in the Chinese Library Classification; scrapy topics list --clc CODE"),
        ("clc:TH3", "class TH3: has no word of two characters that tells (泵); take the class above it"),
    ],
)
def test_a_class_that_makes_no_topic_is_refused_in_one_line(name: str, said: str) -> None:
    with pytest.raises(TopicError) as caught:
        load_topic(name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_class_is_a_topic_wherever_one_is_named(tmp_path: Path) -> None:
    topic = load_topic(" CLC:f83 ")
    assert (topic.name, topic.zh) == ("clc-f83", "金融、银行")
    assert not is_catalogued("clc:F83")
    page = PageWords(title=words("央行与商业银行"), body=words("银行的金融业务，货币与银行体系" * 5))
    assert VsmClassifier(topic).relevance(page) >= topic.page_threshold
    parts = assemble(Recipe("clc:F83", "naive_bayes"))
    assert parts.link_model is not None
    assert parts.link_model.training == link_model(topic, None).training
    assert assemble(parts.record()).topic == parts.topic
    assert parts.record().topic_fields is not None
