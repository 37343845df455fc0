"""The catalogue's topic that a few words belong to, and when there is none."""

import pytest

from topiccrawler.topics.catalogue import load_topic
from topiccrawler.topics.kindred import kindred


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("财经 股票 基金", "finance"),
        ("通胀 美股 港股", "finance"),  # none of them a name
        ("前端 javascript css", "frontend"),  # programming has them too; 前端 is a name of the one
        ("區塊鏈 比特幣 以太坊", "blockchain"),
        ("ｔｒａｖｅｌ 景点", "travel"),  # a name counts twice
    ],
)
def test_words_that_stand_together_in_one_topic_mean_it(words: str, topic: str) -> None:
    found = kindred(words.split())
    assert found.name == topic
    assert 0.5 <= found.share <= 1.0
    assert found.keywords.keys() == load_topic(topic).keywords.keys()
    assert max(found.keywords.values()) == 1.0


@pytest.mark.parametrize(
    "words", ["钓鱼", "红酒 葡萄酒 品酒", "通胀 港股", "财经 充电桩 普拉提 钓鱼", "zzyzx", ""]
)
def test_fewer_or_other_words_mean_none(words: str) -> None:
    assert kindred(words.split()) is None
