"""What a check finds in a topic that loads, and that the catalogue's own topics pass."""

import re
from typing import Any

import pytest

from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.topic import Topic, make_topic
from topiccrawler.topics.topic_files import check

TEN = [f"{word}茶" for word in "红绿白黑青黄花凉奶砖"]


def tea(**more: Any) -> Topic:
    return make_topic({"name": "tea", "keywords": TEN, "seeds": ["http://a.example/"], **more}, "test")


def test_nothing_is_wrong_with_a_topic_that_is_right() -> None:
    assert check(tea()) == []


@pytest.mark.parametrize(
    ("more", "kind", "said"),
    [
        ({"keywords": ["C", "R"]}, "error", "no keyword"),
        ({"keywords": ["红茶"]}, "warning", "1 keywords "),
        ({"keywords": [*TEN, "C"]}, "warning", ".*: C$"),
        ({"keywords": [*TEN, "vitamin c"]}, "warning", "vitamin c .* vitamin, "),
        ({"keywords": [*TEN, "问题", "我们"]}, "warning", ".*: 问题, 我们;"),
        ({"positive": ["a.example"], "negative": ["a.example"]}, "error", "positive .*negative .*: a.ex"),
        ({"seeds": []}, "warning", "topic tea: .*seeds"),
        ({"seeds": ["-http://a.example/"]}, "error", "topic tea: .*seed"),
        (
            {"seeds": ["http://a.example/", "http://A.example:80/"]},
            "warning",
            "seed http://A.example:80/ .* http://a.example/",
        ),
        ({"name": "finance"}, "warning", "finance .*link model"),
    ],
)
def test_each_thing_that_is_wrong_is_said(more: dict[str, Any], kind: str, said: str) -> None:
    (found,) = check(tea(**more))
    assert found.kind == kind
    assert re.match(said, found.text)


def test_a_topic_much_like_another_is_reported_of() -> None:
    copy = load_topic("law").model_copy(update={"name": "mine", "seeds": ["http://a.example/"]})
    [found] = check(copy)
    assert re.search(r"\blaw \(cosine 1\.00\)", found.text)
