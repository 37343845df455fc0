"""A topic of example pages: words, weights, reasons, threshold, and the thesis' statistics."""

from dataclasses import replace

import pytest

from topiccrawler.errors import ArgumentError
from topiccrawler.pages.read import PageWords
from topiccrawler.relevance.training.example_topic import THESIS, Examples, Method, learn

FUNDS, BALL = ["基金", "净值", "申购"], ["足球", "比赛", "射门"]


def pages(words: list[str], count: int) -> list[PageWords]:
    return [PageWords(title=words[:1], body=[*words, "今天", words[number % 3]]) for number in range(count)]


def two_texts() -> tuple[PageWords, PageWords]:
    """Texts 1 and 2 of the thesis' table 4-1: 净值 40 and 40 times, 基金 10 and 36 times."""
    text1, text2 = (PageWords(body=["净值"] * 40 + ["基金"] * count) for count in (10, 36))
    return text1, text2


def test_the_two_texts_of_the_thesis_give_its_tables_4_1_to_4_3() -> None:
    """By hand: 36 · log10(1.01) / 2 = .077784; p = 36/46 and 10/46, so H(D|基金) = .755375; W = .077784 · .244625 = .019028."""
    text1, text2 = two_texts()
    found = learn("funds", Examples([text2], [text1]), THESIS)
    assert found.topic.keywords == {"基金": 1.0}
    term2, term1 = found.table
    assert [(row.word, row.occurrences) for row in (term1, term2)] == [("净值", (40, 40)), ("基金", (36, 10))]
    assert term1.tf_idf == pytest.approx((0.086427, 0.086427), abs=1e-6)
    assert term2.tf_idf == pytest.approx((0.077784, 0.021606), abs=1e-6)
    assert (term1.entropy, term1.gain, term1.weight, term1.is_of_topic) == (1.0, 0.0, 0.0, False)
    assert (term2.entropy, term2.gain) == pytest.approx((0.755375, 0.244624), abs=1e-6)
    assert term2.weight == pytest.approx(0.019028, abs=1e-6)
    assert term2.is_of_topic


def test_a_word_that_is_rarer_in_the_topics_texts_is_left_out_unlike_in_the_thesis() -> None:
    text1, text2 = two_texts()
    with pytest.raises(
        ArgumentError, match=r"^--positive: .*others"
    ):  # table 4-4 weights term2 in text 1 too
        learn("funds", Examples([text1], [text2]), THESIS)


def test_table_4_3_of_the_thesis_decides_the_weights_of_a_learned_topic() -> None:
    """The two texts, two more without either word, and 申购, only in text 2.

    IG(基金) = .244625; IG(申购) = 1. 36 times 基金 and log10(4/2 + .01), 18 times 申购 and log10(4/1 + .01): .606 to 1, so 基金 has
    .606 · 2 · .244625 / 1.206 = .246. 净值 has 40 on each side: nothing. By shares of pages (one of one, one of three) 净值 has
    ln 2 · 40 / 94 · .1887 to ln 4 · 18 / 94, and 基金 nine tenths of it.
    """
    text1, text2 = two_texts()
    text2 = PageWords(body=[*text2.body, *["申购"] * 18])
    examples = Examples([text2], [text1, PageWords(body=["足球"]), PageWords(body=["足球"])])
    assert learn("funds", examples, THESIS).topic.keywords == {"申购": 1.0, "基金": 0.246}
    shares = learn("funds", examples, replace(THESIS, by_occurrences=False))
    assert shares.topic.keywords == {"申购": 1.0, "净值": 0.21, "基金": 0.189}
    assert not shares.table


def test_near_words_are_added_at_most_as_heavy_as_the_heaviest() -> None:
    topic = learn("funds", Examples(pages(FUNDS, 4), pages(BALL, 8)), Method(near_words=20, against=2)).topic
    near = {word: why for word, why in topic.reasons.items() if why.startswith("near ")}
    assert 10 <= len(near) <= 20
    assert max(topic.keywords[word] for word in near) == 1.0
    assert all("likeness" in why for why in near.values())
    assert topic.against == {"足球": 1.0, "比赛": 0.216}


def test_enough_pages_give_a_threshold_and_what_the_thesis_counted() -> None:
    found = learn("funds", Examples(pages(FUNDS, 10), pages(BALL, 20)))
    own = found.statistics
    assert (own.vsm.f1, own.cosine.f1) == (1.0, 1.0)
    assert (own.titled, own.titled_positive, own.positive) == (10, 10, 10)
    assert (own.first_words, own.first_occurrences) == (1.0, 1.0)  # three words in all
    assert 0 < found.topic.page_threshold < 1
