"""No page, feed or file that the web sends makes reading it raise; its links have their final form."""

import gzip
from typing import Any

import pytest
from damaged_inputs import spoilt_bytes
from hypothesis import given
from hypothesis import strategies as st

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.crawl import Crawl
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.model import Link, Via
from topiccrawler.text.characters import decode
from topiccrawler.urls.canonical import canonical

pytestmark = pytest.mark.slow
URL = "http://a.example/news/1.html"
TEXT = "基金净值上涨，股票市场成交量放大，投资者关注银行理财收益与证券公司业绩。"
HTML = f"""<!DOCTYPE html><html lang=zh><head><meta charset=CHARSET><title>基金 - 甲网</title><base href="/x/">
<meta name=keywords content="基金,股票"><meta property="og:title" content="基金"><link rel=canonical href="/news/1.html">
<script type="application/ld+json">{{"datePublished": "2024-01-02", "author": {{"name": "甲"}}}}</script></head><body><nav><a href=/>首页</a> <a href="?p=2">二</a></nav>
<h1>基金</h1><p>{TEXT}</p><table><tr><td><a href="//b.example/基金?k=股">股票</a><td>2024年1月2日</table><ul><li><a href="javascript:x()">x</a><li><img src=a.jpg alt=图></ul>
<pre>code</pre><div class=content><p>{TEXT}</p><p>{TEXT}</p></div><noscript>无</noscript><!-- x --><footer><a href=mailto:a@b>c</a></footer></body></html>"""
BODIES = {
    "utf-8": HTML.replace("CHARSET", "utf-8").encode(),
    "gbk": HTML.replace("CHARSET", "gb2312").encode("gbk"),
    "big5": HTML.replace("CHARSET", "big5").encode("big5", "replace"),
    "utf-16": HTML.replace("CHARSET", "utf-16").encode("utf-16"),
    "feed": f"<?xml version='1.0'?><rss version='2.0'><channel><title>甲</title><item><title>基金</title><link>/1</link><description>&lt;p&gt;{TEXT}</description><pubDate>Tue, 02 Jan 2024 00:00:00 GMT</pubDate></item></channel></rss>".encode(),
    "sitemap": gzip.compress(b"<urlset><url><loc>http://a.example/1</loc><lastmod>2024-01-02</lastmod></url></urlset>", mtime=0),
    "plain": f"{TEXT}\nhttp://a.example/2\n".encode(),
}  # fmt: skip
TYPES = ["", "text/html", "text/html; charset=gbk", "text/html; charset=\0", "application/rss+xml", "application/gzip", "text/plain; charset=utf-16", "x/y", "image/png", "application/pdf"]  # fmt: skip


@pytest.fixture(scope="module")
def crawl() -> Crawl:
    return Crawl(assemble(Recipe("finance", "adaptive")), MemoryFrontier())


@pytest.mark.parametrize("kind", BODIES)
@given(data=st.data())
def test_pages(crawl: Crawl, kind: str, data: st.DataObject) -> None:
    body, declared = data.draw(spoilt_bytes(BODIES[kind])), data.draw(st.sampled_from(TYPES))
    charset = declared.partition("charset=")[2] or None
    via = Via(Link(URL, "a.example", "基金", source_url="http://a.example/"), 1.0)
    reading: Any = crawl.read(URL, body, declared, charset, depth=1, via=via)
    if reading is None:
        return
    item = crawl.items.of(reading, 200, 1.7e9)
    assert 0.0 <= item.relevance <= 1.0
    for link in crawl.links_of(reading):
        assert canonical(link.url) == link.url
    crawl.visit(reading.page, crawl.links_of(reading), 0.0)


@given(data=st.data())
def test_texts(data: st.DataObject) -> None:
    body = data.draw(spoilt_bytes(BODIES[data.draw(st.sampled_from(sorted(BODIES)))]))
    text, name = decode(
        body, data.draw(st.sampled_from([None, "gbk", "utf-7", "hz", "\0", "unicode_escape", "utf-16"]))
    )
    assert isinstance(text, str)
    "".encode(name)
