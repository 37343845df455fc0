"""`topiccrawler.read`: what one page says, from its bytes."""

import pytest

from topiccrawler import read

URL = "http://a.example/fund/2024.html"
TEXT = "基金定投是长期投资基金的方法，投资者每月买入同一只基金，净值低时买到的份额更多。" * 4
HTML = f"""<html lang="zh"><head><title>基金定投怎么做</title><meta name="author" content="李明">
<meta name="pubdate" content="2024-03-05"></head><body><h1>基金定投怎么做</h1><p>{TEXT}</p>
<a href="/next.html">下一篇：股票入门</a></body></html>"""


@pytest.mark.parametrize("charset", ["utf-8", "gbk", "gb18030", "big5hkscs"])
def test_a_page_is_read_in_any_charset(charset: str) -> None:
    html = (
        HTML if charset != "big5hkscs" else HTML.replace("长", "長").replace("资", "資").replace("净", "淨")
    )
    page = read(html.encode(charset, "ignore"), URL, f"text/html; charset={charset}")
    assert (page.title, page.published, page.author) == (
        "基金定投怎么做"[: len(page.title)],
        "2024-03-05",
        "李明",
    )
    assert "基金定投是" in page.text
    assert [(link.url, link.anchor) for link in page.links] == [
        ("http://a.example/next.html", page.links[0].anchor)
    ]
    assert (page.format, page.fault, page.relevance, page.topic, page.why) == ("html", "", None, "", ())


@pytest.mark.parametrize("topic", ["finance", ["基金", "定投", "净值"]])
def test_with_a_topic_it_has_relevance_and_the_words_that_decide(topic: str | list[str]) -> None:
    page = read(HTML.encode(), URL, "text/html; charset=utf-8", topic=topic)
    other = read(
        "<title>足球比分</title><p>昨晚的球赛。".encode(), URL, "text/html; charset=utf-8", topic=topic
    )
    assert page.relevance is not None
    assert other.relevance is not None
    assert other.relevance < 0.5 < page.relevance <= 1.0
    assert "基金" in " ".join(word for word, _ in page.why)
    assert page.topic == ("finance" if topic == "finance" else "基金、定投、净值")


@pytest.mark.parametrize("body", [b"", b"\x00\xff" * 50, b"%PDF-1.7 broken", b"<" * 10_000])
def test_nothing_in_a_body_raises(body: bytes) -> None:
    page = read(body)
    assert page.links == []
    assert page.published == ""
