"""People read the words of their topic, programs its id."""

import pytest

from topiccrawler.topics.topic import display_name, joined_words, own_id

EXAM = ["考研", "高考", "志愿"]


@pytest.mark.parametrize(
    ("name", "zh", "displayed"),
    [
        ("keywords-7f6c8b", "考研、高考、志愿", "考研、高考、志愿"),
        ("rust-tokio-0a1b2c", "rust、tokio", "rust、tokio"),
        ("keywords-7f6c8b", "", "keywords-7f6c8b"),
        ("finance", "财经", "finance"),
        ("my-topic", "茶", "my-topic"),
        ("finance+keywords-7f6c8b", "财经+考研", "财经+考研"),
        ("finance+travel", "财经+旅游", "finance+travel"),
    ],
)
def test_a_topic_of_words_is_called_by_them_another_by_its_name(name: str, zh: str, displayed: str) -> None:
    assert display_name(name, zh) == displayed


def test_the_id_of_words_is_that_of_earlier_jobs_and_is_known_again() -> None:
    assert own_id(EXAM) == "keywords-7f6c8b"
    assert own_id(["Electric Car", "电池"]).startswith("electric-car-")
    for words in (EXAM, ["C++"], ["x" * 60, "2024"]):
        assert display_name(own_id(words), "词") == "词"


def test_where_the_words_were_cut_the_last_whole_one_is_displayed() -> None:
    words = [f"第{number}个很长的词" for number in range(10)]
    zh = joined_words(words)
    assert len(zh) == 60
    assert display_name(own_id(words), zh) == "、".join(words[:7]) + "…"
    assert display_name(own_id(["词" * 99]), "词" * 60) == "词" * 60 + "…"
    words = [f"long English word {number}" for number in range(5)]
    assert display_name(own_id(words), joined_words(words)) == ", ".join(words[:2]) + "…"
