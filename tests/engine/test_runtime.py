"""What a crawl is put together from, by its arguments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from topiccrawler.crawling.recipe import parse_arguments
from topiccrawler.engine.opening import Crawl, open_crawl
from topiccrawler.lab.training.detail_model import save_detail
from topiccrawler.pages.read import Reader
from topiccrawler.relevance.detail import FILE, DetailReader, load_detail


def crawl(folder: Path, arguments: dict[str, str], **more: str) -> Crawl:
    settings = Settings({**more, "TOPIC_DATA_DIR": str(folder)})
    settings.setmodule("topiccrawler.settings", priority="default")
    configured = parse_arguments({"topic": "finance", **arguments}, topic=None, strategy="best_first")
    return open_crawl(configured, settings, "job")


@pytest.mark.parametrize("strategy", ["best_first", "anchor_text", "jlse"])
def test_pages_are_read_plainly_unless_the_strategy_asks_for_more(tmp_path: Path, strategy: str) -> None:
    assert type(crawl(tmp_path, {"strategy": strategy}).reader) is Reader


def test_a_strategy_that_asks_for_detail_pages_gets_them(tmp_path: Path) -> None:
    found = crawl(tmp_path, {"strategy": "jlse", "strategy_detail": "true"}).reader
    assert isinstance(found, DetailReader)
    assert found.svm.gamma == load_detail().gamma


def test_the_folder_of_page_classifiers_may_hold_an_svm_of_its_own(tmp_path: Path) -> None:
    place = tmp_path / FILE
    place.parent.mkdir(parents=True)
    save_detail(replace(load_detail(), gamma=9.5), place)
    arguments = {"strategy": "jlse", "strategy_detail": "true"}
    found = crawl(tmp_path, arguments, TOPIC_PAGE_CLASSIFIER_MODELS=str(tmp_path)).reader
    assert isinstance(found, DetailReader)
    assert found.svm.gamma == 9.5
