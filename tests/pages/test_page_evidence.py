"""The evidence of a page is packed small, and gives the words by which the page was classified, also with another segmenter."""

import pytest

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.pages.page_evidence import packed, unpacked
from topiccrawler.pages.read import Reading
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.zstandard import zstd

PARAGRAPH = "火箭发射之后，卫星在预定的轨道上展开太阳能板，地面站收到了信号。"
TEXTS = [
    "長征火箭把一顆通訊衛星送進了軌道，發射場在海邊，發射窗口只有一個小時。",  # traditional
    "长征火箭把一颗通信卫星送进了轨道，发射场在海边，发射窗口只有一个小时。",
    "ＮＡＳＡ的火箭发动机点火试验，推力曲线与计算一致，燃烧室没有振荡。",  # full-width
    "探空火箭每天升空一次，测量高空的风、温度和湿度，数据用于天气预报。",
]


def page(number: int, text: str) -> bytes:
    head = f"<title>第{number}次发射 - 航天日报</title><meta name=keywords content='火箭,卫星'>"
    more = f"<h1>第{number}次发射</h1><a rel=tag href=/tag/火箭>航天</a><p>订阅航天日报，每天一封信。</p>"
    return f"<html><head><meta charset=utf-8>{head}</head><body>{more}<article><p>{text * 4}</p><p>{PARAGRAPH * 3}<b>轨道</b></p></article></body></html>".encode()


def readings() -> list[Reading]:
    """Six pages of one site, whose notice and name in titles are repeats from the third on, and one of links."""
    parts = assemble(recipe_of_words(Recipe(""), ["火箭", "卫星"], 20))
    reader = parts.reader(SiteRepeats())
    pages = [page(number, text) for number, text in enumerate([*TEXTS, *TEXTS[:2]])]
    pages.append("<title>目录</title><ul>".encode() + "<li><a href=/x>火箭新闻</a>".encode() * 30)
    return [reader.read(f"http://a.example/火箭/{at}.html", body) for at, body in enumerate(pages)]


def test_unpacked_words_are_those_by_which_the_page_was_classified() -> None:
    parts = assemble(recipe_of_words(Recipe(""), ["火箭", "卫星"], 20))
    for reading in readings():
        words = unpacked(packed(reading), reading.main_text, parts.segmenter)
        for name in ("title", "headings", "emphasis", "meta", "body", "segments"):
            assert list(getattr(words, name)) == list(getattr(reading.words, name)), name
        assert parts.page_classifier.relevance(words) == reading.page.relevance
    assert "航天日报" not in {segment.text for segment in reading.words.segments}


def test_another_topic_keeps_its_own_words_whole() -> None:
    reading = readings()[1]
    segmenter = Segmenter(["预定的轨道"])
    assert "预定的轨道" in unpacked(packed(reading), reading.main_text, segmenter).body
    assert "预定的轨道" not in unpacked(packed(reading), reading.main_text, PLAIN).body


def test_text_of_the_page_costs_nothing_in_its_evidence() -> None:
    reading = readings()[0]
    assert len(packed(reading)) < 500 < len(reading.main_text.encode())


def test_evidence_of_another_text_or_damaged_is_refused() -> None:
    reading = readings()[0]
    evidence = packed(reading)
    for bad, text in ((evidence[:-9], reading.main_text), (evidence, "另一篇文章" * 30), (b"", "")):
        with pytest.raises(ValueError, match="is damaged"):
            unpacked(bad, text, PLAIN)


@pytest.mark.parametrize(
    "body",
    ["[" * 100_000, "[]", "[[1, 2, 3, 4, 5], true, []]", '[["", "", "", "", ""], true, [["menu", ""]]]'],
)
def test_evidence_of_another_form_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="is damaged"):
        unpacked(zstd.compress(body.encode()), "", PLAIN)
