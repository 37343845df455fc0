"""What the classifier sees of a link."""

import pytest

from topiccrawler.link_model.classifier import (
    LEXICON,
    Lexicon,
    LinkWords,
    channel_words,
    features_of,
    url_words,
    words_of_links,
)
from topiccrawler.model import Link
from topiccrawler.text.segmenter import PLAIN


def link(url: str = "http://a.example/", **parts: str) -> Link:
    return Link(url=url, host="a.example", **parts)  # type: ignore[arg-type]


def test_anchor_context_and_address_are_kept_apart() -> None:
    url, around = (
        "http://fund.site.com.cn/jijin/2020/index.html?id=stock",
        {"before": "股票|", "after": "|债券市场"},
    )
    found = words_of_links([link(url, anchor="基金收益", **around), link(title="旅游")], PLAIN)
    assert found[0] == LinkWords(["基金", "收益"], ["股票", "债券市场"], ["fund", "site", "jijin"])
    assert found[1] == LinkWords(["旅游"], [], [])


def test_han_words_of_a_decoded_path_are_words_of_the_address() -> None:
    found = words_of_links([link("http://a.example/tag/%E5%9F%BA%E9%87%91/%FF")], PLAIN)
    assert found[0].url == ["tag", "基金"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.stock.com/News/a1b2.SHTML", ["stock", "news"]),
        ("http://h.cn/averyveryverylongword/x", []),
        ("http://a.cn/" + "z/" * 5_000 + "late", []),
    ],
)
def test_words_of_an_address_are_short_latin_runs_that_say_something(url: str, expected: list[str]) -> None:
    assert url_words(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://finance.site.com.cn/roll/stock/1.html?x=fund", ["finance", "site", "roll"]),
        ("https://www.163.com/money/article/A1.html", ["money"]),
        ("http://www.10jqka.com.cn", ["jqka"]),
        ("http://a.io/%E4%B8%AD-x/", []),
        ("http://site.com/money", ["site"]),  # a page, no directory
        ("http://localhost:80/", []),
        ("nonsense", []),
    ],
)
def test_the_channel_of_an_address_is_its_host_and_first_directory(url: str, expected: list[str]) -> None:
    assert channel_words(url) == expected


def test_features_of_training_leave_out_digits_and_carry_the_flag() -> None:
    words = LinkWords(["基金", "2020", "a股"], ["股票", "基金", "股票"], ["fund"])
    found = features_of(words, Lexicon(["股票"]))
    assert found == {"anchor": {"基金", "a股"}, "context": {"股票", "基金", LEXICON}, "url": {"fund"}}
