"""What a site writes on page after page is no part of the text that is stored, and makes no page a copy of another."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from blog_with_notice import NOTICE, SUBJECTS, body, own_text
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.assemble import assemble
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.job_topic import recipe_of_words
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.pipelines import NearDuplicatePipeline
from topiccrawler.items import PageItem
from topiccrawler.job_database import JobDatabase
from topiccrawler.pages.read import Reader, Reading
from topiccrawler.pages.site_repeats import SiteRepeats, may_be_same
from topiccrawler.store.kept_repeats import KeptRepeats
from topiccrawler.store.pages import record_of


def url(number: int) -> str:
    return f"http://blog.example/{number or ''}"


@pytest.fixture(params=["whole pages", "segments"])
def reader(request: pytest.FixtureRequest) -> Reader:
    """With a page classifier that reads no segments, and with one that does."""
    recipe = (
        Recipe("finance", page_classifier="cosine")
        if request.param == "whole pages"
        else recipe_of_words(Recipe(""), ["理财", "定投"])
    )
    made = assemble(recipe).reader(SiteRepeats())
    assert made.reads_segments == (request.param == "segments")
    return made


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[NearDuplicatePipeline]:
    files = JobFiles(tmp_path / "job")
    yield NearDuplicatePipeline(files, StatsCollector(get_crawler()))
    files.close()


def kept(copies: NearDuplicatePipeline, reading: Reading) -> PageItem:
    item = PageItem(
        url=reading.page.url, title=reading.page.title, text=reading.main_text, topic="finance", relevance=0.9,
        depth=1, source_url="", anchor="", score=0.5, encoding="utf-8", fetched=7.0,
    )  # fmt: skip
    found = copies.process_item(item)
    assert isinstance(found, PageItem)
    copies.files.keep(record_of(found))
    return found


def test_a_notice_is_dropped_from_the_fifth_page_on_and_only_copies_are_copies(
    reader: Reader, copies: NearDuplicatePipeline
) -> None:
    found = [kept(copies, reader.read(url(at), body(own_text(one)))) for at, one in enumerate(SUBJECTS)]
    assert NOTICE in found[0].text
    assert {item.alias_of for item in found[1:4]} == {
        url(0)
    }  # so early nobody can know, where all titles are the same
    for subject, item in list(zip(SUBJECTS, found, strict=True))[4:]:
        assert item.text == f"{own_text(subject)}\n{{"
        assert not item.alias_of
    copy = kept(copies, reader.read("http://mirror.example/", body(own_text("保险"), notice="")))
    assert copy.alias_of == url(SUBJECTS.index("保险"))


def test_pages_whose_titles_differ_are_no_copies_by_a_notice_that_both_have(
    reader: Reader, copies: NearDuplicatePipeline
) -> None:
    bodies = [
        body(own_text(one)).replace("财经笔记".encode(), f"{one} - 财经笔记".encode()) for one in SUBJECTS[:4]
    ]
    found = [kept(copies, reader.read(url(at), page)) for at, page in enumerate(bodies)]
    assert [item.text.startswith(own_text(one)) for one, item in zip(SUBJECTS, found, strict=False)] == [
        True
    ] * 4
    again = kept(copies, reader.read("http://print.blog.example/1", bodies[1]))
    assert again.alias_of == url(1)


@pytest.mark.parametrize(
    ("title", "other", "may"),
    [
        ("定投入门 - 某博客", "某博客", False),
        ("张三的回复 - 论坛", "基金还能买吗 - 论坛", False),
        ("定投入门 - 某博客", "定投入门_手机版", True),
        ("定投入门（打印）", "定投入门 | 某博客", True),
        ("", "某博客", True),
    ],
)
def test_titles_say_whether_two_pages_may_be_one(title: str, other: str, may: bool) -> None:
    assert may_be_same(title, other) == may_be_same(other, title) == may


def test_a_page_of_which_little_is_left_has_no_text_and_is_nobodys_copy(
    reader: Reader, copies: NearDuplicatePipeline
) -> None:
    found = [kept(copies, reader.read(url(at), body(f"关于{one}。"))) for at, one in enumerate(SUBJECTS)]
    assert found[0].text
    assert {(item.text, item.alias_of) for item in found[4:]} == {("", "")}


def test_a_page_read_again_is_not_counted_twice(reader: Reader) -> None:
    for number in range(5):
        for _ in range(3):
            text = reader.read(url(number), body(own_text(SUBJECTS[number]))).main_text
            assert text.startswith(own_text(SUBJECTS[number]))
            assert (NOTICE in text) == (number < 4)
    assert NOTICE not in reader.read(url(0), body(own_text("股票"))).main_text
    # its stored text has it still: that is no change of the page
    assert reader.own_text(url(0), f"{own_text('股票')}\n{NOTICE}") == own_text("股票")


def test_what_a_site_repeats_outlives_a_stop(tmp_path: Path) -> None:
    parts = assemble(Recipe("finance"))
    texts = []
    reader = parts.reader(SiteRepeats())
    for number, subject in enumerate(SUBJECTS):
        texts.append(reader.read(url(number), body(own_text(subject))).main_text)
    for number, subject in enumerate(SUBJECTS):  # each page in a run of its own
        with closing(JobDatabase(tmp_path / "job.sqlite")) as database:
            reader = parts.reader(SiteRepeats(KeptRepeats(lambda opened=database: opened)))
            texts.append(reader.read(url(number), body(own_text(subject))).main_text)
    assert texts[: len(SUBJECTS)] == texts[len(SUBJECTS) :]
