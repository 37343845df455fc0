"""What a site writes on page after page is no part of the text that is stored, and makes no page a copy of another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.own_words import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.pipelines import NearDuplicatePipeline
from topiccrawler.items import PageItem
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.pages.site_repeats import SiteRepeats

SUBJECTS = ("股票", "基金", "债券", "期货", "外汇", "黄金", "保险", "银行")
NOTICE = (
    "本站主题由一位热心的网友制作并免费发布，欢迎下载使用，但请保留页面底部的作者链接。站内文章除特别注明以外均为原创，转载时必须以超链接形式"
    "标明出处和作者信息，未经书面许可不得用于任何商业用途。部分图片来自网络，版权归原作者所有，如有侵犯您的权益请来信告知，我们会在核实之后"
    "尽快删除。站点采用静态页面生成，评论功能由第三方提供，留言审核通过才会显示，请勿发布广告、谩骂和其他违反法律法规的内容。浏览器版本过低"
    "可能导致排版错乱，建议升级到最新版本，或者换用手机阅读。订阅更新可以扫描右侧二维码关注公众号，也可以把本页加入收藏夹，每周日晚上统一"
    "推送一封邮件，退订只需回复两个字。最后感谢每一位长期支持小站的读者，服务器费用全靠大家打赏，名单列在关于页面里，衷心祝愿各位生活愉快。"
)


def body(text: str, *, notice: str = NOTICE) -> bytes:
    """A page of a blog whose theme writes a notice."""
    return f"<title>财经笔记</title><p>{text}</p><p>{{</p><p>{notice}</p>".encode()


def own_text(subject: str) -> str:
    first = (
        f"今天记录{subject}市场的行情，{subject}的价格和成交都有变化，投资者要看清{subject}的风险再做决定。"
    )
    return f"{first}下午收盘以后再补充一些{subject}的数据，明天继续观察{subject}的走势，有空的时候整理成表格。"


def url(number: int) -> str:
    return f"http://blog.example/{number or ''}"


@pytest.fixture(params=["catalogue", "own words"])
def reader(request: pytest.FixtureRequest) -> Reader:
    """Of a topic of the catalogue, whose page classifier reads no segments, and of one of three words, whose does."""
    recipe = (
        Recipe("finance") if request.param == "catalogue" else recipe_of_words(Recipe(""), ["理财", "定投"])
    )
    made = assemble(recipe).reader(SiteRepeats())
    assert made.reads_segments == (request.param != "catalogue")
    return made


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[NearDuplicatePipeline]:
    files = JobFiles(tmp_path / "job")
    yield NearDuplicatePipeline(files, StatsCollector(get_crawler()))
    files.close()


def kept(copies: NearDuplicatePipeline, reading: Reading) -> PageItem:
    item = PageItem(
        url=reading.page.url, title=reading.page.title, text=reading.main_text, topic="finance", relevance=0.9,
        is_target=True, depth=1, source_url="", anchor="", score=0.5, encoding="utf-8", fetched=7.0,
    )  # fmt: skip
    found = copies.process_item(item)
    assert isinstance(found, PageItem)
    return found


def test_a_notice_is_dropped_from_the_third_page_on_and_only_copies_are_copies(
    reader: Reader, copies: NearDuplicatePipeline
) -> None:
    found = [kept(copies, reader.read(url(at), body(own_text(one)))) for at, one in enumerate(SUBJECTS)]
    assert NOTICE in found[0].text
    assert found[1].alias_of == url(0)  # at the second page nobody can know
    for subject, item in list(zip(SUBJECTS, found, strict=True))[2:]:
        assert item.text == f"{own_text(subject)}\n{{"
        assert not item.alias_of
    copy = kept(copies, reader.read("http://mirror.example/", body(own_text("保险"), notice="")))
    assert copy.alias_of == url(SUBJECTS.index("保险"))


def test_a_page_of_which_little_is_left_has_no_text_and_is_nobodys_copy(
    reader: Reader, copies: NearDuplicatePipeline
) -> None:
    found = [kept(copies, reader.read(url(at), body(f"关于{one}。"))) for at, one in enumerate(SUBJECTS)]
    assert found[0].text
    assert {(item.text, item.alias_of) for item in found[2:]} == {("", "")}


def test_a_page_read_again_is_not_counted_twice(reader: Reader) -> None:
    for number in range(3):
        for _ in range(3):
            text = reader.read(url(number), body(own_text(SUBJECTS[number]))).main_text
            assert text.startswith(own_text(SUBJECTS[number]))
            assert (NOTICE in text) == (number < 2)
    assert NOTICE not in reader.read(url(0), body(own_text("股票"))).main_text
    # its stored text has it still: that is no change of the page
    assert reader.own_text(url(0), f"{own_text('股票')}\n{NOTICE}") == own_text("股票")


def test_relevance_to_a_topic_of_the_catalogue_is_by_the_whole_text() -> None:
    notice = "股票和基金有风险，投资需谨慎，本站的行情仅供参考，不构成任何投资建议。" * 4
    parts = assemble(Recipe("finance"))
    plain, reader = parts.reader(), parts.reader(SiteRepeats())
    for number, subject in enumerate(SUBJECTS):
        page = body(own_text(subject), notice=notice)
        alone, of_site = plain.read(url(number), page), reader.read(url(number), page)
        assert (alone.page, alone.words) == (of_site.page, of_site.words)
    assert notice not in of_site.main_text


def test_what_a_site_repeats_outlives_a_stop(tmp_path: Path) -> None:
    parts = assemble(Recipe("finance"))
    texts = []
    for place in (None, tmp_path / "repeats"):
        reader = parts.reader(SiteRepeats(place))
        for number, subject in enumerate(SUBJECTS):
            if place is not None:  # each page in a run of its own
                reader = parts.reader(SiteRepeats(place))
            texts.append(reader.read(url(number), body(own_text(subject))).main_text)
    assert texts[: len(SUBJECTS)] == texts[len(SUBJECTS) :]
