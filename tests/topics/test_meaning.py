"""What a few words of a user's mean."""

import re

import pytest

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.errors import TopicError
from topiccrawler.topics.catalogue import load_topic, topic_from_keywords
from topiccrawler.topics.kindred import named_by
from topiccrawler.topics.meaning import MOST_WORDS, as_understood, has_few_words, meaning_of, understood
from topiccrawler.topics.proposed_words import with_proposed
from topiccrawler.topics.topic import Topic, make_topic, read_topic


@pytest.mark.parametrize(
    ("words", "within", "is_whole"),
    [
        (["财经", "股票", "基金"], "finance", True),  # finance is called 财经
        (["基金", "Finance"], "finance", True),
        (["教育"], "education", True),
        (["考研", "高考", "志愿"], "education", False),
        (["英国", "伦敦", "苏格兰"], None, False),
    ],
)
def test_words_mean_a_topic_of_the_catalogue_by_its_name_alone(
    words: list[str], within: str | None, is_whole: bool
) -> None:
    meaning = meaning_of(words)
    assert (meaning.parent.name if meaning.parent else None, meaning.is_whole) == (within, is_whole)
    topic = understood(topic_from_keywords(words, "own"))
    assert (topic.narrow, topic.within) == (not is_whole, within or "")
    assert topic.given == words
    assert [topic.keywords[word] for word in words] == [1.0] * len(words)
    assert len(topic.keywords) > 50, "others lead to its pages"
    assert topic.proposed_words == 0


def test_a_further_name_of_a_topic_names_a_part_of_it() -> None:
    assert "股票" in load_topic("finance").also
    assert named_by(["股票"]) is None
    assert understood(topic_from_keywords(["股票"], "own")).narrow


def test_one_line_says_what_was_understood() -> None:
    def said(*words: str) -> str:
        return as_understood(understood(topic_from_keywords(words, "own")))

    assert re.match("财经 股票: .* finance$", said("财经", "股票"))
    assert re.match("考研 高考 志愿: .* education; -a topic=education ", said("考研", "高考", "志愿"))
    assert re.match("英国 伦敦 苏格兰: [^;]*$", said("英国", "伦敦", "苏格兰"))
    assert as_understood(load_topic("finance")) == ""


def own(**fields: object) -> Topic:
    return make_topic({"name": "own", "keywords": ["考研", "高考"], **fields}, "own")


@pytest.mark.parametrize(
    "topic",
    [
        own(keywords=[f"考研{number}班" for number in range(MOST_WORDS + 1)]),
        own(given=["考研"]),
        own(against={"足球": 1.0}),
        own(reasons={"考研": "in 41 of 50 positive pages"}),
        own(examples=["考研报名"]),
    ],
    ids=["long", "given", "against", "reasons", "examples"],
)
def test_a_long_list_or_a_learned_topic_stays_as_it_is(topic: Topic) -> None:
    assert not has_few_words(topic)
    assert understood(topic) == topic
    assert topic.narrow is None
    asked = topic.model_copy(update={"proposed_words": 20})
    assert understood(asked) == with_proposed(asked)


def test_what_the_file_says_goes_before_what_is_understood() -> None:
    assert understood(own(narrow=False)).narrow is False
    assert understood(own(keywords=["教育"], narrow=True)).narrow is True
    as_it_is = understood(own(narrow=False, proposed_words=0))
    assert as_it_is.keywords == {"考研": 1.0, "高考": 1.0}


def test_the_same_words_typed_or_in_a_file_are_the_same_topic() -> None:
    typed = understood(topic_from_keywords("考研,高考:0.5,志愿", "exam"))
    file = 'name = "exam"\n[keywords]\n"考研" = 1.0\n"高考" = 0.5\n"志愿" = 1\n'
    assert understood(read_topic(file, "exam.toml")).model_dump() == typed.model_dump()


def test_a_crawl_understands_words_and_files_but_no_name_of_the_catalogue() -> None:
    words = topic_of(recipe_of_words(Recipe(""), ["考研", "高考", "志愿"], 600))
    assert (words.narrow, words.within, words.given) == (True, "education", ["考研", "高考", "志愿"])
    assert topic_of(Recipe("finance")).narrow is None
    assert topic_of(Recipe("clc:F83")).narrow is None, (
        "all of the class is meant, though its name has few words"
    )


@pytest.mark.parametrize(
    ("words", "language"),
    [
        (["camera", "lens", "photography"], "en"),
        (["knitting", "crochet", "yarn"], "en"),  # of the English subjects, not of the table of vectors
        (["Kubernetes", "Helm", "Istio"], "en"),
        (["Terraform", "基础设施"], "en"),  # beside Chinese ones Latin words are names
        (["слой", "маска"], "en"),  # not Latin
        (["Kamera", "Objektiv", "Fotografie"], "und"),
        (["cámara", "objetivo", "fotografía"], "und"),
        (["aparat", "obiektyw", "fotografia"], "und"),
    ],
)
def test_latin_words_that_english_does_not_know_are_of_another_language(
    words: list[str], language: str
) -> None:
    topic = understood(topic_from_keywords(words, "own"))
    assert (topic.language or "en", topic.segmenter.language) == (language, language)


def test_a_file_says_which_language_its_words_are_of() -> None:
    topic = read_topic('name = "own"\nlanguage = "und"\n[keywords]\ncamera = 1.0\n', "own.toml")
    assert as_understood(understood(topic)) == "camera: your own topic, not in English"
    with pytest.raises(TopicError, match=r"language = 'xx'.*use en, or und"):
        read_topic('name = "own"\nlanguage = "xx"\n[keywords]\ncamera = 1.0\n', "own.toml")
