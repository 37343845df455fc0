"""The first version of a topic file loads, as it is and with every field that is a comment in it."""

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


@pytest.mark.parametrize(("name", "words"), [("Tea", {"茶叶": 1.0}), ("tea", {}), ("tea", {"茶叶": -1.0})])
def test_what_would_not_load_is_not_written(name: str, words: dict[str, float]) -> None:
    with pytest.raises(TopicError, match=r"^topic '"):
        topic_file(name, words)
