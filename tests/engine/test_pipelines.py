"""What is dropped, what becomes an alias, and what is stored."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import attrs
import pytest
from itemadapter import ItemAdapter
from scrapy import Field, Item
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.page_filter import PageFilter, Restrictions
from topiccrawler.crawling.page_stores import open_pages
from topiccrawler.engine.pipelines import NearDuplicatePipeline, RelevancePipeline, StoragePipeline
from topiccrawler.errors import ArgumentError
from topiccrawler.items import UNCLASSIFIED, Medium, PageItem
from topiccrawler.pages.read import PageWords, Reader, Reading, ReadItem
from topiccrawler.pages.usage import NO_WISHES
from topiccrawler.store.pages import Judgement
from topiccrawler.text.segmenter import PLAIN

TEXT = "基金净值今日上涨,市场成交活跃,投资者信心增强。"


@pytest.fixture
def files(tmp_path: Path) -> Iterator[JobFiles]:
    made = JobFiles(tmp_path / "job")
    yield made
    made.close()


@pytest.fixture
def stats() -> StatsCollector:
    return StatsCollector(get_crawler())


OFF = "周末天气晴朗,适合出门散步。"


def item(url: str, text: str = TEXT, relevance: float = 0.9) -> PageItem:
    return PageItem(
        url=url,
        title="题",
        text=text,
        topic="finance",
        relevance=relevance,
        depth=1,
        source_url="http://a.cn/",
        anchor="基金",
        score=0.5,
        encoding="utf-8",
        fetched=7.0,
        media=[Medium("http://a.cn/x.png", "图", "", "")],
    )


class ByShare:
    """A page classifier by hand: a page is relevant if its body has 基金. It counts the pages that it has classified."""

    threshold: ClassVar[float] = 0.5
    reads_segments: ClassVar[bool] = False
    similarity_threshold = 0.5

    def __init__(self) -> None:
        self.classified: list[str] = []

    def similarity(self, words: PageWords) -> float:
        return self.relevance(words)

    def relevance(self, words: PageWords) -> float:
        self.classified.append("".join(words.body))
        return 0.8 if "基金" in "".join(words.body) else 0.1

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        return []


@pytest.fixture
def relevance(stats: StatsCollector) -> RelevancePipeline:
    return RelevancePipeline(PageFilter.of(ByShare(), Restrictions()), lambda: PLAIN, stats)


def classified(pipeline: RelevancePipeline) -> list[str]:
    assert isinstance(pipeline.filter.classifier, ByShare)
    return pipeline.filter.classifier.classified


def test_a_page_is_dropped_by_the_relevance_it_was_read_with(relevance: RelevancePipeline) -> None:
    with pytest.raises(DropItem, match="off topic"):
        relevance.process_item(item("http://a.cn/1", relevance=0.49))
    kept = item("http://a.cn/2", OFF, relevance=0.5)
    assert relevance.process_item(kept) is kept
    assert (kept.relevance, classified(relevance)) == (0.5, [])
    assert relevance.process_item({"own": 1}) == {"own": 1}


@pytest.mark.parametrize("relevance_of_page", [0.2, 0.9])
def test_no_parsed_page_stays_in_memory_behind_its_item(
    relevance: RelevancePipeline, relevance_of_page: float
) -> None:
    """The traceback of a DropItem is part of a cycle: what its frames hold is freed only by a search for garbage."""
    reading = Reader(ByShare()).read("http://a.cn/1", f"<title>基金</title><p>{TEXT}".encode())
    page = ReadItem(url="http://a.cn/1", title="基金", text=TEXT, relevance=relevance_of_page)
    page.reading, page.last_modified, page.wishes = reading, "", NO_WISHES
    frames = []
    try:
        relevance.process_item(page)
    except DropItem as dropped:
        frames = [frame.f_locals for frame, _ in traceback.walk_tb(dropped.__traceback__)][1:]
    assert (len(frames) > 0, page.reading) == (relevance_of_page < 0.5, None)
    assert not any(isinstance(value, Reading) for values in frames for value in values.values())


def test_an_answer_about_a_page_decides_alone(relevance: RelevancePipeline) -> None:
    relevance.filter.answers = {"http://a.cn/1": False, "http://a.cn/2": True}
    with pytest.raises(DropItem, match="off topic"):
        relevance.process_item(item("http://a.cn/1", relevance=0.9))
    kept = item("http://a.cn/2", OFF, relevance=0.1)
    assert relevance.process_item(kept).relevance == 0.95


def test_a_page_that_nobody_has_classified_is_classified_here_once(relevance: RelevancePipeline) -> None:
    kept = item("http://a.cn/1", relevance=UNCLASSIFIED)
    assert relevance.process_item(kept).relevance == 0.8
    with pytest.raises(DropItem, match="off topic"):
        relevance.process_item(item("http://a.cn/2", OFF, relevance=UNCLASSIFIED))
    assert [text[:2] for text in classified(relevance)] == ["基金", "周末"]


def test_a_page_before_the_day_that_is_wanted_is_dropped_and_counted(stats: StatsCollector) -> None:
    restrictions = Restrictions(since=date(2024, 1, 1))
    pipeline = RelevancePipeline(PageFilter.of(ByShare(), restrictions), lambda: PLAIN, stats)
    old, new = item("http://a.cn/1"), item("http://a.cn/2")
    old.published, new.published = "2023-12-31", "2024-01-01"
    with pytest.raises(DropItem, match="older"):
        pipeline.process_item(old)
    assert pipeline.process_item(new) is new
    assert stats.get_value("topic/skipped/older") == 1


def test_a_page_in_another_language_is_dropped_and_counted(stats: StatsCollector) -> None:
    pipeline = RelevancePipeline(
        PageFilter.of(ByShare(), Restrictions(languages=("zh-Hans", "ja"))), lambda: PLAIN, stats
    )
    as_read, traditional, of_another_spider = (item(f"http://a.cn/{number}") for number in range(3))
    as_read.language, traditional.language = "ja", "zh-Hant"
    assert pipeline.process_item(as_read) is as_read
    with pytest.raises(DropItem, match="in another language"):
        pipeline.process_item(traditional)
    assert pipeline.process_item(of_another_spider) is of_another_spider
    with pytest.raises(DropItem, match="in another language"):
        pipeline.process_item(
            item("http://a.cn/4", "基金 " + "The fund has fallen again, and the market with it. ")
        )
    assert stats.get_value("topic/skipped/language") == 2


def test_a_sample_of_the_pages_off_topic_is_kept_apart(tmp_path: Path, stats: StatsCollector) -> None:
    files = JobFiles(tmp_path / "job", discarded=2)
    kept = PageFilter.of(ByShare(), Restrictions())
    relevance = RelevancePipeline(kept, lambda: PLAIN, stats, discarded=lambda: files.discarded)
    for number in range(5):
        with pytest.raises(DropItem):
            relevance.process_item(item(f"http://a.cn/{number}", relevance=0.2))
    found = list(files.discarded.records())
    files.close()
    assert [(record.stored, record.text, record.relevance) for record in found] == [(False, TEXT, 0.2)] * 2
    with closing(open_pages(files.folder)) as pages:
        assert list(pages.records()) == []


def test_without_a_topic_there_is_no_pipeline_and_with_one_it_needs_no_spider_of_ours() -> None:
    with pytest.raises(NotConfigured):
        RelevancePipeline.from_crawler(get_crawler())
    made = RelevancePipeline.from_crawler(get_crawler(settings_dict={"TOPIC": "finance"}))
    page = {"url": "http://a.cn/1", "title": "基金定投怎么做", "text": "基金定投是长期投资基金的方法。" * 9}
    assert made.process_item(page) is page
    assert 0.5 <= page["relevance"] <= 1.0  # type: ignore[operator]
    with pytest.raises(DropItem, match="off topic"):
        made.process_item({"url": "http://a.cn/2", "title": "天气", "text": OFF * 9})


def test_a_text_met_before_becomes_an_alias_or_is_dropped(files: JobFiles, stats: StatsCollector) -> None:
    first, again = item("http://a.cn/1"), item("http://b.cn/1")
    alias = NearDuplicatePipeline(files, stats)
    assert alias.process_item(first) is first
    found = alias.process_item(again)
    assert (found.text, found.alias_of) == ("", "http://a.cn/1")
    with pytest.raises(DropItem, match=r"copy of http://a\.cn/1"):
        NearDuplicatePipeline(files, stats, choice="drop").process_item(again)
    assert stats.get_value("topic/duplicates/alias") == stats.get_value("topic/duplicates/drop") == 1


def test_a_copy_of_a_page_that_is_refused_is_off_topic(files: JobFiles, stats: StatsCollector) -> None:
    aliases, first = NearDuplicatePipeline(files, stats), item("http://a.cn/1")
    StoragePipeline(files).process_item(aliases.process_item(first))
    row = files.store.best()[0]
    files.store.judge([Judgement(row, 0.1, False, True, "finance", "")], 5.0)
    with pytest.raises(DropItem, match=r"^off topic$"):
        aliases.process_item(item("http://a.cn/2"))


REPORT = "".join(
    f"{year}年基金市场的收益率比上一年多了{year % 7}个百分点，{name}因此更看重风险与费用，证券公司的佣金收入随之上升。"
    for year, name in enumerate(("投资者", "保险公司", "银行", "分析师", "基金经理", "监管部门", "储户", "专家", "散户", "机构", "股东", "媒体", "学者"), 2010)
)  # fmt: skip


@pytest.mark.parametrize(
    ("url", "title", "text", "kind", "is_copy"),
    [
        ("http://a.cn/2", "证券公司佣金上升", REPORT[12:] + "（来源：本报记者）", "article", True),
        ("http://a.cn/2", "证券公司佣金上升", REPORT.replace("上一年", "前一年"), "article", True),
        ("http://a.cn/2", "证券公司佣金上升", REPORT, "list", False),  # equal lists of two tags
        ("http://a.cn/2", "证券公司佣金上升", REPORT.replace("百分点", "成").replace("佣金收入", "利润"), "article", False),
        ("http://a.cn/2", "证券公司佣金上升", REPORT[:490], "article", False),
        ("http://a.cn/2", "基金市场收益率", REPORT[:490], "article", True),
        ("http://b.cn/2", "证券公司佣金上升", REPORT.replace("百分点", "成").replace("佣金收入", "利润"), "article", True),
    ],
)  # fmt: skip
def test_one_sites_report_under_two_headlines_is_a_copy_if_its_text_agrees(
    files: JobFiles, stats: StatsCollector, url: str, title: str, text: str, kind: str, *, is_copy: bool
) -> None:
    duplicates, storage = NearDuplicatePipeline(files, stats), StoragePipeline(files)
    first, again = item("http://a.cn/1", REPORT), item(url, text)
    first.title, first.kind, again.title, again.kind = "基金市场收益率", "article", title, kind
    storage.process_item(duplicates.process_item(first))
    assert duplicates.process_item(again).alias_of == ("http://a.cn/1" if is_copy else "")


def test_pages_without_text_are_nobodys_copies(files: JobFiles, stats: StatsCollector) -> None:
    duplicates = NearDuplicatePipeline(files, stats)
    for page in (item("http://a.cn/1", ""), item("http://b.cn/1", "")):
        assert duplicates.process_item(page) is page
    assert duplicates.process_item({"own": 1}) == {"own": 1}


def test_a_page_is_stored_and_no_file_is_made_before(files: JobFiles, tmp_path: Path) -> None:
    storage = StoragePipeline(files)
    storage.process_item({"own": 1})
    assert list(tmp_path.iterdir()) == []
    storage.process_item(item("http://a.cn/1"))
    files.commit()
    [stored] = files.store.records()
    assert (stored.url, stored.text, stored.anchor, stored.status) == ("http://a.cn/1", TEXT, "基金", 200)
    assert '"url": "http://a.cn/x.png"' in stored.media


def test_a_wrong_choice_is_refused_and_keep_needs_no_pipeline() -> None:
    with pytest.raises(ArgumentError, match="TOPIC_DUPLICATES"):
        NearDuplicatePipeline.from_crawler(get_crawler(settings_dict={"TOPIC_DUPLICATES": "hide"}))
    with pytest.raises(NotConfigured):
        NearDuplicatePipeline.from_crawler(get_crawler(settings_dict={"TOPIC_DUPLICATES": "keep"}))


@attrs.define
class AttrsPage:
    url: str
    title: str
    text: str
    price: float = 0.0


@dataclass
class DataclassPage:
    url: str
    title: str
    text: str
    relevance: float = UNCLASSIFIED
    alias_of: str = ""
    copy: str = "of an advertisement"  # a field, no method


class ItemPage(Item):
    url, title, text = Field(), Field(), Field()


def as_dict(**fields: Any) -> dict[str, Any]:
    return {**asdict(item("", relevance=UNCLASSIFIED)), **fields, "price": 3}


MAKERS = pytest.mark.parametrize("make", [as_dict, AttrsPage, DataclassPage, ItemPage])


@MAKERS
def test_pages_of_any_item_type_are_filtered_compared_and_stored(
    make: Callable[..., Any], files: JobFiles, stats: StatsCollector, relevance: RelevancePipeline
) -> None:
    with pytest.raises(DropItem):
        relevance.process_item(make(url="http://a.cn/0", title="题", text=OFF))
    kept = relevance.process_item(make(url="http://a.cn/9", title="题", text=TEXT))
    assert ItemAdapter(kept).get("relevance", 0.8) == 0.8
    assert len(classified(relevance)) == 2
    aliases, storage = NearDuplicatePipeline(files, stats), StoragePipeline(files)
    aliases.process_item(item("http://a.cn/1"))
    again = make(url="http://b.cn/1", title="题", text=TEXT)
    copied = aliases.process_item(again)
    assert type(copied) is type(again)
    assert ItemAdapter(copied)["text"] == ""
    assert ItemAdapter(again)["text"] == TEXT
    storage.process_item(again)
    kept = files.store.get("http://b.cn/1")
    assert kept.text == TEXT


@pytest.mark.parametrize("other", [{"url": "http://a.cn/"}, {}, "text", DataclassPage, 7])
def test_what_is_no_page_passes_every_pipeline_as_it_is(
    other: Any, files: JobFiles, stats: StatsCollector, relevance: RelevancePipeline
) -> None:
    for pipeline in (relevance, NearDuplicatePipeline(files, stats), StoragePipeline(files)):
        assert pipeline.process_item(other) is other
