"""What answers do to a topic, and which pages are asked about."""

import pytest
from message_facts import numbers

from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.choose import untrained
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.training.teaching import questions, taught
from topiccrawler.relevance.vsm import VsmClassifier
from topiccrawler.topics.topic import make_topic

FIELDS = {
    "keywords": {"基金": 1.0, "黄金": 0.4, "指数": 0.3},
    "given": ["基金"],
    "seeds": ["http://a.example/"],
}
TOPIC = make_topic({"name": "funds", **FIELDS}, "test")
YES = [PageWords(body=["基金", "净值", "申购", word]) for word in ("今天", "昨天", "明天")]
NO = [PageWords(body=["基金", "黄金", "首饰", "项链", word]) for word in ("今天", "昨天", "明天")]
PAGES = [*YES, *NO]
ANSWERS = {0: True, 1: True, 3: False, 4: False}


def test_words_of_pages_taken_are_added_and_those_of_refused_ones_lose() -> None:
    topic = taught(TOPIC, PAGES, ANSWERS)
    assert topic.keywords["基金"] == 1.0  # given
    assert topic.keywords["指数"] == 0.3  # in no page
    assert topic.keywords["净值"] == pytest.approx(0.5 * 2 / 5, abs=1e-4)  # rarer in the language than 申购
    assert topic.keywords["申购"] == pytest.approx(0.179, abs=1e-3)
    assert topic.keywords["黄金"] == pytest.approx(0.4 * (0.5 / 2.5) ** 0.5, abs=1e-4)
    assert numbers(topic.reasons["净值"]) == ["2", "2", "0", "2"]
    assert numbers(topic.reasons["黄金"]) == ["0", "2", "2", "2", "0.4"]
    assert topic.against == {}
    assert (topic.given, topic.seeds, topic.lexicon) == (["基金"], TOPIC.seeds, list(topic.keywords))


def test_a_word_that_no_refused_page_has_keeps_its_weight_however_few_pages_are_refused() -> None:
    accepted = [PageWords(body=["基金", "净值", str(n)]) for n in range(9)]
    pages = [*accepted, PageWords(body=["基金", "净值", "黄金"]), PageWords(body=["足球", "比赛"])]
    topic = taught(TOPIC, pages, {**dict.fromkeys(range(10), True), 10: False})
    assert topic.keywords["黄金"] == 0.4  # in one of ten accepted pages
    assert topic.keywords["指数"] == 0.3  # in no page
    assert not {"黄金", "指数"} & topic.reasons.keys()


def test_taught_pages_are_told_apart_better_also_those_nobody_was_asked_about() -> None:
    before, after = VsmClassifier(TOPIC), VsmClassifier(taught(TOPIC, PAGES, ANSWERS))
    assert before.relevance(YES[2]) < before.relevance(NO[2])
    assert after.relevance(YES[2]) > after.relevance(NO[2])


@pytest.mark.parametrize("answer", [True, False])
def test_answers_that_are_all_alike_change_little(answer: bool) -> None:
    answers = dict.fromkeys(range(3), answer) if answer else dict.fromkeys(range(3, 6), answer)
    topic = taught(TOPIC, PAGES, answers)
    assert topic.keywords["基金"] == 1.0
    assert all(weight <= 0.5 for word, weight in topic.keywords.items() if word != "基金")


def test_the_order_of_answers_does_not_matter_and_without_any_the_topic_stays() -> None:
    assert taught(TOPIC, PAGES, dict(reversed(ANSWERS.items()))) == taught(TOPIC, PAGES, ANSWERS)
    assert taught(TOPIC, [*PAGES, PageWords()], {6: True}) is TOPIC


def test_words_of_a_person_without_given_ones_are_held_where_they_are_heavy() -> None:
    own = make_topic({"name": "funds", "keywords": {"黄金": 1.0, "首饰": 0.3}}, "test")
    topic = taught(own, PAGES, ANSWERS)
    assert topic.keywords["黄金"] == 1.0
    assert topic.keywords["首饰"] < 0.3


def test_a_topic_with_as_many_words_as_it_may_have_learns_weights_but_no_more_words() -> None:
    words = {"基金": 1.0, "黄金": 0.4, **{f"word{n:x}": 0.3 for n in range(4_998)}}
    own = make_topic({"name": "funds", "keywords": words, "given": ["基金"]}, "test")
    topic = taught(own, PAGES, ANSWERS)
    assert topic.keywords == {**words, "黄金": pytest.approx(0.4 * (0.5 / 2.5) ** 0.5, abs=1e-4)}
    del words["word0"]
    topic = taught(
        make_topic({"name": "funds", "keywords": words, "given": ["基金"]}, "test"), PAGES, ANSWERS
    )
    assert topic.keywords.keys() - words.keys() == {"净值"}  # the best of those learned


def test_questions_are_about_the_unsure_ones_and_a_few_of_the_surest() -> None:
    relevances = [0.9, 0.155, 0.8, 0.0, 0.14, 0.3]
    assert questions(relevances, 0.15, {}, 4) == [1, 4, 3, 0]
    assert questions(relevances, 0.15, {1, 0}, 4) == [4, 3, 5, 2]
    assert questions(relevances, 0.15, set(range(6)), 4) == []
    assert questions(relevances, 0.15, {}, 4, sure=[0, 5]) == [0, 5, 1, 4]
    assert questions(relevances, 0.15, {}, 1, sure=[0, 5]) == [0]


def test_a_narrow_topic_is_judged_by_its_own_words_taught_or_not() -> None:
    narrow = TOPIC.model_copy(update={"narrow": True})
    assert taught(narrow, PAGES, {}).narrow is True
    topic = taught(narrow, PAGES, ANSWERS)
    assert topic.narrow is True
    assert isinstance(untrained(topic), EvidenceClassifier)
    assert topic.given == ["基金"]
    assert taught(TOPIC, PAGES, ANSWERS).narrow is None
