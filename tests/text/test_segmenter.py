"""A segmenter keeps its own words whole, by either engine, and no other segmenter of the process."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from topiccrawler.text import segmenter
from topiccrawler.text.engines import Cut, jieba_cut, rjieba_cut
from topiccrawler.text.segmenter import (
    PLAIN,
    Segmenter,
    cut_all,
    is_whole,
    release_dictionary,
    words,
    words_of,
)
from topiccrawler.topics.topic import Topic, make_topic

pytestmark = pytest.mark.slow

OWN = ["纯电动", "换电站", "增程式"]
TEXTS = [
    "纯电动车去换电站",
    "增程式和纯电动都要换电",
    "買了純電動",
    "电站换了",
    "决定投资，提出道歉，做多少，火车站",
]
KEPT = [["纯电动", "车去", "换电站"], ["增程式", "纯电动"], ["纯电动"], ["电站"]]


@pytest.fixture(params=[rjieba_cut, jieba_cut])
def engines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Cut]]:
    """The engines that segmenters make, of one kind."""
    made: list[Cut] = []
    make: Callable[[Iterable[str]], Cut] = request.param

    def made_anew(own_words: Iterable[str] = ()) -> Cut:
        made.append(make(own_words))
        return made[-1]

    monkeypatch.setattr(segmenter, "chosen_cut", made_anew)
    monkeypatch.setattr(segmenter, "_shared", type(segmenter._shared)())
    release_dictionary()
    yield made
    release_dictionary()


def topic_of(*keywords: str) -> Topic:
    return make_topic({"name": "own", "keywords": list(keywords)}, "test")


def test_a_word_that_would_lose_characters_is_kept_whole(engines: list[Cut]) -> None:
    own, plain = Segmenter(OWN), Segmenter()
    assert plain.words(TEXTS[0]) == ["电动车", "电站"]
    assert own.words_of(TEXTS[:4]) == KEPT
    assert own.own_words == {"纯电动", "换电站", "增程式"}


def test_a_topic_with_words_of_its_own_changes_no_cut_of_another(engines: list[Cut]) -> None:
    texts = [*TEXTS, "我家的纯电动车", "基金定投的收益", "electric cars"]
    before = topic_of("基金", "定投")
    cut_before = before.segmenter.words_of(texts)
    own = topic_of(*OWN)
    assert own.segmenter.words_of(texts)[:4] == KEPT
    assert before.segmenter.words_of(texts) == cut_before
    assert topic_of("基金", "股票").segmenter.words_of(texts) == cut_before
    assert Segmenter().words_of(texts) == cut_before
    assert topic_of("增程式").segmenter.words_of(TEXTS[:2]) == [["电动车", "电站"], ["增程式", "电动"]]


def test_a_phrase_that_loses_nothing_is_cut_by_the_dictionary(engines: list[Cut]) -> None:
    phrases = ["上市公司", "新能源汽车", "electric car", "茶", ""]
    segmenter = Segmenter(phrases)
    assert segmenter.words_of(phrases) == [["上市公司"], ["新能源", "汽车"], ["electr", "car"], ["茶"], []]
    assert (segmenter.own_words, len(engines)) == ({"茶"}, 1)


def test_words_of_a_query_come_on_top_of_those_of_a_topic(engines: list[Cut]) -> None:
    own = Segmenter(OWN[:1])
    assert own.keeping(["纯电动", "基金"]) is own
    both = own.keeping(["换电站"])
    assert both.words_of(TEXTS[:1]) == KEPT[:1]
    assert own.words(TEXTS[0]) == ["纯电动", "车去", "电站"]


def test_the_words_of_one_do_not_reach_the_plain_one() -> None:
    assert Segmenter(OWN).words_of(TEXTS[:4]) == KEPT
    assert PLAIN.words(TEXTS[0]) == words(TEXTS[0]) == words_of(TEXTS)[0] == ["电动车", "电站"]


def test_a_copy_of_a_topic_has_its_segmenter_unless_its_words_are_others() -> None:
    one = topic_of(*OWN)
    assert one.segmenter is one.model_copy(update={"against": {}}).segmenter
    fewer = one.model_copy(update={"keywords": {"增程式": 1.0}, "lexicon": ["增程式"]})
    assert fewer.segmenter.own_words == {"增程式"}
    assert (one.cut_by(PLAIN).segmenter, one.cut_by(PLAIN) == one) == (PLAIN, True)


def test_both_engines_keep_the_same_words() -> None:
    fast, plain = rjieba_cut(OWN), jieba_cut(OWN)
    assert cut_all(TEXTS, fast) == cut_all(TEXTS, plain)
    assert cut_all(TEXTS[4:], fast) == [["决定", "投资", "提出", "道歉", "多少", "火车站"]]


@pytest.mark.parametrize(
    ("phrase", "whole"),
    [
        ("基金", True),
        ("electric cars", True),
        ("a股", True),
        ("c++", True),
        ("vitamin c", False),
        ("茶", False),
    ],
)
def test_whether_a_phrase_is_whole_among_its_words(phrase: str, whole: bool) -> None:
    assert is_whole(phrase, words(phrase)) is whole
