"""What is dropped, what becomes an alias, and what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import attrs
import pytest
from itemadapter import ItemAdapter
from scrapy import Field, Item
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.engine.pipelines import NearDuplicatePipeline, RelevancePipeline, StoragePipeline
from topiccrawler.errors import ArgumentError
from topiccrawler.items import Medium, PageItem

TEXT = "基金净值今日上涨,市场成交活跃,投资者信心增强。"


@pytest.fixture
def files(tmp_path: Path) -> Iterator[JobFiles]:
    made = JobFiles(tmp_path / "job")
    yield made
    made.close()


@pytest.fixture
def stats() -> StatsCollector:
    return StatsCollector(get_crawler())


def item(url: str, text: str = TEXT, *, is_target: bool = True) -> PageItem:
    return PageItem(
        url=url,
        title="题",
        text=text,
        topic="finance",
        relevance=0.9,
        is_target=is_target,
        depth=1,
        source_url="http://a.cn/",
        anchor="基金",
        score=0.5,
        encoding="utf-8",
        fetched=7.0,
        media=[Medium("http://a.cn/x.png", "图", "", "")],
    )


def test_pages_off_topic_are_dropped_and_what_is_no_page_passes() -> None:
    relevance = RelevancePipeline()
    with pytest.raises(DropItem, match="off topic"):
        relevance.process_item(item("http://a.cn/1", is_target=False))
    assert relevance.process_item({"own": 1}) == {"own": 1}


def test_a_sample_of_the_pages_off_topic_is_kept_apart(tmp_path: Path) -> None:
    files = JobFiles(tmp_path / "job", discarded=2)
    relevance = RelevancePipeline(lambda: files.discarded)
    for number in range(5):
        with pytest.raises(DropItem):
            relevance.process_item(item(f"http://a.cn/{number}", is_target=False))
    found = list(files.discarded.records())
    files.close()
    assert [(record.stored, record.text) for record in found] == [(False, TEXT)] * 2
    assert sorted(path.name for path in files.folder.iterdir()) == ["discarded.sqlite"]


def test_a_text_met_before_becomes_an_alias_or_is_dropped(files: JobFiles, stats: StatsCollector) -> None:
    first, again = item("http://a.cn/1"), item("http://b.cn/1")
    alias = NearDuplicatePipeline(files, stats)
    assert alias.process_item(first) is first
    found = alias.process_item(again)
    assert (found.text, found.alias_of) == ("", "http://a.cn/1")
    with pytest.raises(DropItem, match=r"copy of http://a\.cn/1"):
        NearDuplicatePipeline(files, stats, choice="drop").process_item(again)
    assert stats.get_value("topic/duplicates/alias") == stats.get_value("topic/duplicates/drop") == 1


def test_pages_without_text_and_pages_off_topic_are_nobodys_copies(
    files: JobFiles, stats: StatsCollector
) -> None:
    duplicates = NearDuplicatePipeline(files, stats)
    for page in (
        item("http://a.cn/1", ""),
        item("http://b.cn/1", ""),
        item("http://c.cn/1", is_target=False),
    ):
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
    text: str
    is_target: bool
    price: float = 0.0


@dataclass
class DataclassPage:
    url: str
    text: str
    is_target: bool
    alias_of: str = ""
    copy: str = "of an advertisement"  # a field, no method


class ItemPage(Item):
    url, text, is_target = Field(), Field(), Field()


def as_dict(**given: Any) -> dict[str, Any]:
    return {**asdict(item("")), **given, "price": 3}


MAKERS = pytest.mark.parametrize("make", [as_dict, AttrsPage, DataclassPage, ItemPage])


@MAKERS
def test_pages_of_any_item_type_are_filtered_compared_and_stored(
    make: Callable[..., Any], files: JobFiles, stats: StatsCollector
) -> None:
    with pytest.raises(DropItem):
        RelevancePipeline().process_item(make(url="http://a.cn/0", text=TEXT, is_target=False))
    aliases, storage = NearDuplicatePipeline(files, stats), StoragePipeline(files)
    aliases.process_item(item("http://a.cn/1"))
    again = make(url="http://b.cn/1", text=TEXT, is_target=True)
    copied = aliases.process_item(again)
    assert type(copied) is type(again)
    assert ItemAdapter(copied)["text"] == ""
    assert ItemAdapter(again)["text"] == TEXT
    storage.process_item(again)
    kept = files.store.get("http://b.cn/1")
    assert kept is not None
    assert kept.text == TEXT


@pytest.mark.parametrize("other", [{"url": "http://a.cn/"}, {}, "text", DataclassPage, 7])
def test_what_is_no_page_passes_every_pipeline_as_it_is(
    other: Any, files: JobFiles, stats: StatsCollector
) -> None:
    for pipeline in (RelevancePipeline(), NearDuplicatePipeline(files, stats), StoragePipeline(files)):
        assert pipeline.process_item(other) is other
