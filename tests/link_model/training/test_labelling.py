"""Labels by the address of the target: the longest place decides."""

import pytest

from topiccrawler.link_model.training.address_labels import label
from topiccrawler.topics.topic import Topic, make_topic
from topiccrawler.urls.canonical import canonical


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


@pytest.mark.parametrize(
    ("prefix", "url"),
    [
        ("www.news.example/股票/", "http://www.news.example/股票/1.html"),
        ("www.news.example/%e8%82%a1%e7%a5%a8", "http://www.news.example/股票/"),
        ("www.news.example/%B9%C9%C6%B1", "http://www.news.example/%b9%c9%c6%b1/"),  # GBK
        ("财经.中国", "https://www.财经.中国/a"),
        ("xn--4n0a760a.xn--fiqs8s", "http://财经.中国/"),
        ("www.news.example:80/stock", "http://www.news.example/stock/a"),
        ("www.news.example:443", "https://www.news.example/a"),
        ("www.news.example/a%7eb", "http://www.news.example/a~b/1"),
    ],
)
def test_a_prefix_holds_the_addresses_it_names_however_it_is_written(prefix: str, url: str) -> None:
    prefixes = {"positive": [prefix], "negative": ["news.example"]}
    topic = make_topic({"name": "finance", "keywords": ["基金"], **prefixes}, "test")
    assert label(canonical(url) or "", topic) == 1


def test_a_prefix_is_never_wider_than_it_is_written() -> None:
    prefixes = ["a.example/index.html", "b.example/?id=3"]
    topic = make_topic({"name": "finance", "keywords": ["基金"], "positive": prefixes}, "test")
    assert label("http://a.example/news", topic) is None
    assert label("http://b.example/news", topic) is None
