"""Labels by the address of the target: the longest place decides."""

from __future__ import annotations

import pytest

from topiccrawler.link_model.training.address_labels import label
from topiccrawler.topics.topic import Topic, make_topic


@pytest.fixture
def topic() -> Topic:
    return make_topic(
        {
            "name": "finance",
            "keywords": ["基金"],
            "positive": ["finance.sina.com.cn", "www.sohu.com/c/8/", "eastmoney.com", "news.example:8080"],
            "negative": ["sina.com.cn", "finance.sina.com.cn/sports/", "www.sohu.com"],
        },
        "test",
    )


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://finance.sina.com.cn/stock/", 1),
        ("https://money.finance.sina.com.cn/fund", 1),
        ("http://finance.sina.com.cn/sports/1.html", 0),
        ("http://finance.sina.com.cn/sportsmen", 1),
        ("http://sports.sina.com.cn/", 0),
        ("http://www.sohu.com/c/8/1461.htm", 1),
        ("http://www.sohu.com/c/80/", 0),
        ("http://FUND.eastmoney.com:80", 1),
        ("http://noteastmoney.com/", None),
        ("http://example.org/eastmoney.com", None),
        ("http://news.example:8080/a", 1),
        ("http://news.example/a", None),
        ("ftp://eastmoney.com/", None),
        ("http://[broken", None),
        ("", None),
    ],
)
def test_the_longest_prefix_that_holds_the_address_decides(
    topic: Topic, url: str, expected: int | None
) -> None:
    assert label(url, topic) == expected
