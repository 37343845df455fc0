"""The first version of a topic file loads, as it is and with every field that is a comment in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from topiccrawler.errors import TopicError
from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.new_file import topic_file


def test_the_file_gives_the_words_and_every_comment_may_become_a_field(tmp_path: Path) -> None:
    text = topic_file("tea", {"龙井": 0.5, "茶叶": 1.0}, '"茶"\\')
    file = tmp_path / "tea.toml"
    file.write_text(text, encoding="utf-8")
    topic = load_topic(str(file))
    assert (topic.name, topic.zh, topic.breadth) == ("tea", '"茶"\\', "normal")
    assert list(topic.keywords.items()) == [("茶叶", 1.0), ("龙井", 0.5)]
    commented = [match[1] for match in re.finditer(r"(?m)^# (\w+) = ", text)]
    assert commented == ["also", "page_threshold", "examples", "seeds", "positive", "negative", "lexicon"]
    file.write_text(re.sub(r"(?m)^# (?=\w+ = )", "", text), encoding="utf-8")
    full = load_topic(str(file))
    assert full.page_threshold == topic.page_threshold
    assert full.seeds == ["http://www.example.com/"]


def test_what_is_proposed_is_added_and_what_the_user_wrote_stands(tmp_path: Path) -> None:
    asked = []

    def proposal(words: object) -> dict[str, float]:
        asked.append(words)
        return {"茶叶": 0.2, "绿茶": 0.4}

    text = topic_file("tea", {"茶叶": 1.0}, proposal=proposal)
    assert asked == [{"茶叶": 1.0}]
    assert text.endswith('\n"茶叶" = 1\n"绿茶" = 0.4\n')


@pytest.mark.parametrize(("name", "words"), [("Tea", {"茶叶": 1.0}), ("tea", {}), ("tea", {"茶叶": -1.0})])
def test_what_would_not_load_is_not_written(name: str, words: dict[str, float]) -> None:
    with pytest.raises(TopicError, match=r"^topic '"):
        topic_file(name, words)
