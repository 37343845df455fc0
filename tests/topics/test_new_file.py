"""The first version of a topic file loads, as it is and with every field that is a comment in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from topiccrawler.errors import TopicError
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic_files import topic_file


def test_the_file_gives_the_words_and_every_comment_may_become_a_field(tmp_path: Path) -> None:
    text = topic_file("tea", {"龙井": 0.5, "茶叶": 1.0}, '"茶"\\')
    file = tmp_path / "tea.toml"
    file.write_text(text, encoding="utf-8")
    topic = load_topic(str(file))
    assert (topic.name, topic.zh, topic.breadth) == ("tea", '"茶"\\', "normal")
    assert list(topic.keywords.items()) == [("龙井", 0.5), ("茶叶", 1.0)]  # as given
    commented = [match[1] for match in re.finditer(r"(?m)^# (\w+) = ", text)]
    assert commented == ["narrow", "seeds"]
    file.write_text(re.sub(r"(?m)^# (?=\w+ = )", "", text), encoding="utf-8")
    full = load_topic(str(file))
    assert full.narrow
    assert full.seeds == ["http://www.example.com/"]


def test_near_words_are_asked_for_and_not_written_down(tmp_path: Path) -> None:
    (tmp_path / "tea.toml").write_text(topic_file("tea", {"茶叶": 1.0}), encoding="utf-8")
    assert load_topic(str(tmp_path / "tea.toml")).proposed_words == 600
    assert "proposed_words = 0 " in topic_file("tea", {"茶叶": 1.0}, proposed_words=0)


@pytest.mark.parametrize(("name", "words"), [("Tea", {"茶叶": 1.0}), ("tea", {}), ("tea", {"茶叶": -1.0})])
def test_what_would_not_load_is_not_written(name: str, words: dict[str, float]) -> None:
    with pytest.raises(TopicError, match=r"^topic '"):
        topic_file(name, words)


def test_a_weight_too_small_to_be_rounded_stays() -> None:
    assert '"基金" = 1e-05' in topic_file("own", {"基金": 0.00001, "股票": 0.123456})
    assert '"股票" = 0.1235' in topic_file("own", {"基金": 0.00001, "股票": 0.123456})
