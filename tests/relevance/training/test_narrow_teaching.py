"""What answers about pages teach a narrow topic."""

import math

import pytest

from topiccrawler.pages.read import PageWords
from topiccrawler.pages.site_repeats import with_words
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.relevance.training.narrow_teaching import SPREAD, _intercept, words_of_page
from topiccrawler.relevance.training.teaching import taught
from topiccrawler.text.segmenter import PLAIN
from topiccrawler.topics.topic import make_topic

GIVEN = ["台风", "容器"]
FIELDS = {"keywords": dict.fromkeys(GIVEN, 1.0), "given": GIVEN, "lexicon": GIVEN, "narrow": True}
TOPIC = make_topic({"name": "sky", **FIELDS}, "test")


def page(title: str, text: str) -> PageWords:
    title_words, body = with_words([("title", title), ("text", text)], PLAIN)
    return PageWords(title=title_words.words, body=body.words, segments=[title_words, body])


COMMON = "我们 其实 问题 选择"
DAYS = ("周一", "周二", "周三", "周四")
STORMS = [page(f"台风{day}", f"台风 登陆 {COMMON} 气象台 {day} 预警信号") for day in DAYS]
POTS = [page(f"容器{day}", f"容器 玻璃 {COMMON} 陶瓷 {day} 储物罐") for day in DAYS]
OTHER = [page("周五", f"{COMMON} 周五") for _ in range(3)]
PAGES = [*STORMS, *POTS, *OTHER]
ANSWERS = {0: True, 1: True, 2: True, 4: False, 5: False, 6: False}


def relevances(topic: object) -> list[float]:
    classifier = EvidenceClassifier(topic)  # type: ignore[arg-type]
    return [classifier.relevance(one) for one in PAGES]


def test_refused_pages_take_trust_from_the_words_that_carried_them() -> None:
    topic = taught(TOPIC, PAGES, ANSWERS)
    assert topic.trust["容器"] < 0.5
    assert "台风" not in topic.trust
    assert topic.reasons["容器"].endswith("taught: carried 0 yes pages, 3 no pages")
    before, after = relevances(TOPIC), relevances(topic)
    assert before[7] >= 0.5  # nobody was asked about it
    assert after[7] < 0.1
    assert after[3] >= 0.5


def test_words_of_each_side_stand_beside_and_against() -> None:
    topic = taught(TOPIC, PAGES, ANSWERS)
    assert {"陶瓷", "储物罐"} <= set(topic.against)
    assert not {"陶瓷", "容器", "台风"} & set(topic.near)
    assert all(0 < likeness <= 0.6 for likeness in topic.near.values())
    assert topic.reasons["陶瓷"] == "taught: in 0 of your 3 yes pages, 3 of your 3 no pages"


def test_yes_to_pages_without_the_words_widens_the_topic() -> None:
    pots = {4: True, 5: True, 6: True}
    topic = make_topic(TOPIC.model_dump() | {"keywords": {"台风": 1.0}, "given": ["台风"]}, "test")
    learned = taught(topic, PAGES, pots)
    assert {"陶瓷", "储物罐"} <= set(learned.near)
    before, after = relevances(topic)[7], relevances(learned)[7]
    assert before < 0.03, "it has none of the words"
    assert after > 5 * before


@pytest.mark.parametrize("answers", [ANSWERS, {place: not answer for place, answer in ANSWERS.items()}])
def test_no_common_word_is_learned(answers: dict[int, bool]) -> None:
    topic = taught(TOPIC, PAGES, answers)
    learned = topic.keywords.keys() | topic.near.keys() | topic.against.keys()
    assert not {"我们", "其实", "问题", "选择"} & learned


def test_without_answers_nothing_changes() -> None:
    assert taught(TOPIC, PAGES, {}) is TOPIC


def test_the_order_of_answers_does_not_matter() -> None:
    assert taught(TOPIC, PAGES, dict(reversed(ANSWERS.items()))) == taught(TOPIC, PAGES, ANSWERS)


def test_the_intercept_is_the_mode() -> None:
    """Four times yes at even odds: b solves 4 (1 - logistic(b)) = b / SPREAD ** 2."""
    found = _intercept([(0.5, True)] * 4)
    assert 4 * (1 - 1 / (1 + math.exp(-found))) == pytest.approx(found / SPREAD**2, abs=1e-6)
    assert _intercept([(0.5, True), (0.5, False)]) == pytest.approx(0.0, abs=1e-6)
    assert _intercept([(0.5, False)] * 4) == pytest.approx(-found, abs=1e-6)


def test_words_of_a_page_are_weighed_by_their_field() -> None:
    assert sorted(words_of_page(page("台风", "气象台"))) == sorted(["台风"] * 5 + ["气象台"])
    assert words_of_page(PageWords(body=["台风"])) == ["台风"]


def test_the_folders_of_an_address_teach_nothing() -> None:
    parts = with_words([("title", "台风"), ("category", "天气"), ("folder", "archives")], PLAIN)
    found = words_of_page(PageWords(segments=parts))
    assert set(found) == {"台风", "天气"}


def test_refusing_pages_that_were_surely_off_topic_teaches_nothing_and_fails_nothing() -> None:
    topic = taught(TOPIC.model_copy(update={"intercept": -12.0}), PAGES, {8: False, 9: False})
    assert topic.against == {}
    assert topic.trust == {}
    assert topic.keywords == TOPIC.keywords
