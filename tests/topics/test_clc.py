"""The library classification as a tree, and what a class makes of its name."""

from pathlib import Path

import pytest
from message_facts import one_line

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import SeedsError, TopicError
from topiccrawler.link_model.from_keywords import link_model
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.seeding.seed_files import read_seeds
from topiccrawler.text.segmenter import words
from topiccrawler.topics.catalogue import is_catalogued, load_topic
from topiccrawler.topics.classification import Class, class_texts, classes, find, keywords_of, seeds_of_class
from topiccrawler.topics.keywords import keywords_of_texts


def test_every_class_but_the_top_ones_stands_below_another() -> None:
    codes = {one.code for one in classes()}
    assert len(codes) == len(classes()) == 2031
    assert [len([one for one in classes() if one.level == level]) for level in (1, 2, 3)] == [22, 248, 1761]
    assert all((one.parent in codes) if one.level > 1 else not one.parent for one in classes())


def test_a_class_is_found_by_its_code_or_a_part_of_its_name() -> None:
    finance = Class("F83", "金融、银行", 3, "F8")
    assert find(" f83 ") == [finance]
    assert [one.code for one in find("金融")] == ["F8", "F83"]
    assert find("货币")[0].name == "货币"
    assert find("") == find("没有这个类") == []


@pytest.mark.parametrize(
    ("code", "keywords"),
    [
        ("F25", {"物资经济": 1.0}),
        ("A18", {"马克思": 1.0, "恩格斯著作": 1.0, "恩格斯": 0.5, "著作": 0.5}),  # 语录, of the class above
        ("R-05", {"医学": 1.0}),  # 与其他学科的关系 is general, 其他 no 其 that joins
        ("Z52", {"中国年鉴": 1.0, "年刊": 1.0}),  # forms of publication are the subject here
        # 及 of 埃及 separates nothing
        ("H673", {"埃及": 1.0, "科普特语族": 1.0, "科普特": 0.5, "语族": 0.5}),
    ],
)
def test_the_words_of_a_class_without_a_text_are_those_of_its_name(
    code: str, keywords: dict[str, float]
) -> None:
    assert keywords_of(code) == keywords


def test_the_names_directly_below_a_class_count_half() -> None:
    found = keywords_of("B4")
    assert (found["非洲哲学"], found["北非哲学"]) == (1.0, 0.5)
    of_text = keywords_of_texts([class_texts()["B4"].text]).keys()
    assert found.keys() - {"非洲哲学", "北非哲学"} == of_text - {"非洲"}


@pytest.mark.parametrize(
    ("code", "has", "has_not"),
    [
        ("T-2", "工业技术", "机构"),  # 机构、团体、会议
        ("R-1", "医药", "现状"),  # 现状与发展
        ("Z5", "年鉴", "各国"),
        ("N5", "自然科学", "文集"),
    ],
)
def test_general_words_of_a_name_give_way_to_the_class_above_but_forms_of_publication_count_in_z(
    code: str, has: str, has_not: str
) -> None:
    found = keywords_of(code)
    assert has in found
    assert has_not not in found


def test_a_text_adds_its_words_by_their_rarity_and_none_of_the_general_ones() -> None:
    found = keywords_of("F83")
    assert list(found)[:2] == ["金融", "银行"]
    assert found["金融"] == found["银行"] == 1.0
    assert {word for word in found if found[word] >= 0.8} >= {"期权", "基金", "股民", "信用卡"}
    assert found["期权"] > found["央行"] > found["证券"] > 0
    assert found.keys().isdisjoint({"包括", "研究", "话题"})


def test_every_class_of_the_first_and_second_level_has_a_text_of_its_own_words() -> None:
    codes = [one.code for one in classes() if one.code in class_texts()]
    texts = {code: load_topic(f"clc:{code}").examples for code in codes}
    assert set(class_texts()) == texts.keys()  # no text is that of an unknown class
    assert [one.code for one in classes() if one.level < 3 and one.code not in texts] == []
    assert len({text for (text,) in texts.values()}) == len(texts)
    assert min(len(text) for (text,) in texts.values()) >= 60
    assert min(len(keywords_of(code)) for code in texts) >= 15


@pytest.mark.parametrize(
    ("code", "topics"),
    [
        ("F83", ["finance"]),
        ("F59", ["travel"]),
        ("F84", ["finance"]),
        ("S65", ["gardening", "agriculture"]),
        ("Z3", []),
    ],
)
def test_seeds_are_those_of_the_topics_named_with_the_text_of_the_class_or_of_one_above(
    code: str, topics: list[str]
) -> None:
    assert seeds_of_class(code) == topics


def test_a_class_begins_by_itself_or_says_what_to_type() -> None:
    banks, finance = (read_seeds(None, load_topic(name)).positive for name in ("clc:F83", "finance"))
    assert banks == finance
    with pytest.raises(SeedsError, match=r"^topic clc-c94: .* -a seeds=URL,URL .*scrapy seeds clc:C94 "):
        read_seeds(None, load_topic("clc:C94"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("clc:F99", r"class 'F99': .*; .* F \(经济\)"),
        ("clc:F839", r"; .* F83 \(金融、银行\)"),
        ("clc:", "class '': .*; scrapy topics list --clc CODE"),
        ("clc:TH3", r"class TH3: .*\(泵\); "),
    ],
)
def test_a_class_that_makes_no_topic_is_refused_in_one_line(name: str, said: str) -> None:
    with pytest.raises(TopicError, match=one_line(said)):
        load_topic(name)


def test_a_class_is_a_topic_wherever_one_is_named(tmp_path: Path) -> None:
    topic = load_topic(" CLC:f83 ")
    assert (topic.name, topic.zh) == ("clc-f83", "金融、银行")
    assert not is_catalogued("clc:F83")
    page = PageWords(title=words("央行与商业银行"), body=words("银行的金融业务，货币与银行体系" * 5))
    assert VsmClassifier(topic).relevance(page) >= topic.page_threshold
    parts = assemble(Recipe("clc:F83", "naive_bayes"))
    assert parts.link_model.training == link_model(topic, None).training
    assert assemble(parts.record()).topic == parts.topic
    assert parts.record().topic_fields is not None
