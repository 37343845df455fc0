"""A page is read without characters that are not seen, whatever part of it has them."""

from dataclasses import replace

import pytest

from topiccrawler import read
from topiccrawler.pages.parse import parse

LINES = "".join(
    f"<p>第{n}行：基\u200b金定\u200b投适合每月存钱的人，长期坚持，费用要低，不要追涨杀跌。</p>"
    for n in range(9)
)
PAGE = f"""<html><head><meta charset=utf-8><title>基\u200b金定&ZeroWidthSpace;投_某网</title>
<meta name=keywords content="基&#8203;金,定&shy;投"><meta name=author content="张\u200b三"></head><body><h1>基\u200b金定\u200b投</h1>
<p>\u200b</p>{LINES}<pre>var a = "x\u00ady\u200bz";</pre><p>👨\u200d👩\u200d👧 <b>全\ufeff家</b></p>
<a href="/a.html" title="贷\u200b款">贷\u200b款</a><a href="/b.html"><img src=x alt="股\u200b票"></a></body></html>"""


def test_title_text_anchors_and_metas_have_only_what_is_seen() -> None:
    page = read(PAGE.encode(), "http://a.example/")
    assert page.title == "基金定投"
    assert page.author == "张三"
    assert page.text.count("基金定投适合每月存钱的人") == 9
    assert [(link.url, link.anchor) for link in page.links] == [
        ("http://a.example/a.html", "贷款"),
        ("http://a.example/b.html", "股票"),
    ]
    document = parse(PAGE)
    assert document.metas["keywords"] == "基金,定投"
    assert document.anchors[0].title == "贷款"
    assert '|var a = "x\u00adyz";|👨\u200d👩\u200d👧 全家|贷款|' in document.text


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\x08", "\u202e", "\U000e0100"])
def test_offsets_are_those_of_the_text_without_it(sign: str) -> None:
    """The document is equal to that of the page without the sign."""
    with_sign, without = parse(PAGE.replace("金", f"金{sign}")), parse(PAGE)
    assert replace(with_sign, source="") == replace(without, source="")
    start, end = without.anchors[0][:2]
    assert with_sign.text[start:end] == "贷款"


def test_plain_text_and_feeds_are_read_so_too() -> None:
    text = read(
        f"基\u200b金定\x08投\n{'定投适合每月存钱的人。' * 20}".encode(),
        "http://a.example/a.txt",
        "text/plain",
    )
    assert (text.title, text.text.partition("\n")[0]) == ("基金定投", "基金定投")
    feed = "<rss version='2.0'><channel><title>基\u200b金</title><item><title>定\u200b投</title><link>/x.html</link></item></channel></rss>"
    read_feed = read(feed.encode(), "http://a.example/feed", "application/rss+xml")
    assert read_feed.title == "基金"
    assert [link.anchor for link in read_feed.links] == ["定投"]
