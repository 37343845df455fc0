"""What a check finds in a topic that loads, and that the catalogue's own topics pass."""

from __future__ import annotations

from typing import Any

import pytest

from topiccrawler.text.tokenise import STOP_WORDS
from topiccrawler.topics.catalogue import load_topic, topic_names
from topiccrawler.topics.keywords import common_words
from topiccrawler.topics.topic import Topic, make_topic
from topiccrawler.topics.topic_files import HEAVY, check

TEN = [f"{word}茶" for word in "红绿白黑青黄花凉奶砖"]


def tea(**more: Any) -> Topic:
    return make_topic({"name": "tea", "keywords": TEN, "seeds": ["http://a.example/"], **more}, "test")


def test_nothing_is_wrong_with_a_topic_that_is_right() -> None:
    assert check(tea()) == []


@pytest.mark.parametrize(
    ("more", "kind", "said"),
    [
        ({"keywords": ["茶", "壶"]}, "error", "no keyword can be found on a page"),
        ({"keywords": ["红茶"]}, "warning", "1 keywords are few"),
        ({"keywords": [*TEN, "茶"]}, "warning", "never found on a page, being single characters: 茶"),
        ({"keywords": [*TEN, "vitamin c"]}, "warning", "vitamin c counts as vitamin, at half weight"),
        ({"keywords": [*TEN, "问题", "我们"]}, "warning", "words of any page have much weight: 问题, 我们;"),
        (
            {"positive": ["a.example"], "negative": ["a.example"]},
            "error",
            "positive and negative at once: a.ex",
        ),
        ({"seeds": []}, "warning", "topic tea: has no seeds"),
        ({"seeds": ["-http://a.example/"]}, "error", "topic tea: holds no seed to begin with"),
        (
            {"seeds": ["http://a.example/", "http://A.example:80/"]},
            "warning",
            "seed http://A.example:80/ is the same as http://a.example/",
        ),
        ({"name": "finance"}, "warning", "finance is a topic of the catalogue: its link model and seeds"),
    ],
)
def test_each_thing_that_is_wrong_is_said(more: dict[str, Any], kind: str, said: str) -> None:
    (found,) = check(tea(**more))
    assert found.kind == kind
    assert found.text.startswith(said)


def test_a_topic_much_like_another_is_told_of() -> None:
    copy = load_topic("law").model_copy(update={"name": "mine", "seeds": ["http://a.example/"]})
    assert [found.text for found in check(copy)] == ["is much like the topic law (cosine 1.00)"]


def test_common_words_weigh_little_in_the_catalogue() -> None:
    assert {"问题", "我们", "发展"} <= common_words()
    assert not {"基金", "教育", "法律", "银行"} & common_words()
    common = common_words() - STOP_WORDS  # http and 客户端 are words of programming
    for topic in (load_topic(name) for name, _ in topic_names()):
        most = max(topic.keywords.values())
        assert [word for word in common if topic.keywords.get(word, 0) >= HEAVY * most] == []
