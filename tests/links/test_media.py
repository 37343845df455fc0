"""Linked files that are no pages."""

import pytest

from topiccrawler.items import Medium
from topiccrawler.links.extract import MOST_MEDIA, extract, media_of
from topiccrawler.pages.parse import parse
from topiccrawler.urls.canonical import is_media


@pytest.mark.parametrize(
    ("url", "media"),
    [
        ("http://a.test/x.jpg", True),
        ("http://a.test/x.JPEG?w=3", True),
        ("http://a.test/down/app.apk", True),
        ("http://a.test/old.doc", True),
        ("http://a.test/new.docx", False),
        ("http://a.test/report.pdf", False),
        ("http://a.test/list.txt", False),
        ("http://a.test/sitemap-1.xml.gz", False),
        ("http://a.test/data.gz", True),
        ("http://a.zip", False),
        ("http://www.jpg/", False),
        ("http://a.test/x.jpg/page", False),
        ("http://a.test/show?file=x.jpg", False),
        ("https://x.js", False),
        ("https://x.js/", False),
        ("http://a.test/mp3", False),
    ],
)
def test_the_extension_of_a_url_separates_files_from_pages(url: str, media: bool) -> None:
    assert is_media(url) is media


PAGE = """<base href=/d/><p>正文<a href=1.html>下一页</a><a href=photo.jpg title=标题>看图</a>
<figure><a href=chart.png><img src=s.png alt=走势></a><p>别的<figcaption>上证<b>指数</b>走势</figcaption></figure>
<figure><figcaption>另一张</figcaption><a href=two.png><img alt=二></a></figure>
<a href=photo.jpg>再看</a><a href=report.pdf>报告</a><a href=javascript:x.zip>x</a>"""


def test_linked_files_are_recorded_with_anchor_alt_and_caption_and_left_out_of_the_links() -> None:
    document = parse(PAGE)
    assert media_of(document, "http://a.test/x") == [
        Medium("http://a.test/d/photo.jpg", "看图", "", "标题", "media"),
        Medium("http://a.test/d/chart.png", "走势", "走势", "上证 指数 走势", "media"),
        Medium("http://a.test/d/two.png", "二", "二", "另一张", "media"),
    ]
    links = extract(document, "http://a.test/x", depth=1)
    assert [link.url for link in links] == ["http://a.test/d/1.html", "http://a.test/d/report.pdf"]


def test_a_gallery_is_cut() -> None:
    html = "".join(f"<a href=/{number}.jpg>图</a>" for number in range(MOST_MEDIA + 50))
    assert len(media_of(parse(html), "http://a.test/")) == MOST_MEDIA
