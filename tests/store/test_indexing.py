"""A job's index follows its store, whatever happened to either, and never costs the crawl a page."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from topiccrawler.crawling.job_files import INDEX, JobFiles
from topiccrawler.store.index import BATCH, MOST_AT_ONCE, Indexing, PageIndex, catch_up, missing
from topiccrawler.store.pages import ALL, PageRecord
from topiccrawler.text.segmenter import PLAIN, Segmenter


def record(number: int, text: str = "基金收益", fetched: float = 0.0) -> PageRecord:
    return PageRecord(url=f"http://a.cn/{number}", text=text, relevance=0.5, fetched=fetched or float(number))


def pages(folder: Path, word: str = "收益") -> int:
    index = PageIndex(folder / INDEX)
    found = len(index.find(word, ALL, 10_000))
    index.close()
    return found


def test_pages_kept_are_indexed_in_batches_and_all_of_them_at_the_end(tmp_path: Path) -> None:
    files = JobFiles(tmp_path, indexed=True)
    for number in range(1, BATCH + 2):
        files.keep(record(number))
        files.commit()
    assert pages(tmp_path) == BATCH
    files.close()
    assert pages(tmp_path) == BATCH + 1


def test_odd_values_of_a_page_are_indexed_as_they_are_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = JobFiles(tmp_path, indexed=True)
    whole = {"text": "基金收益", "relevance": 0.5}
    files.keep(
        PageRecord(url="http://a.cn/\ud800", topic="\ud800", format="\udfff", published="\ud801", **whole)
    )
    files.keep(PageRecord(url="http://a.cn/2", fetched=float("nan"), **whole))
    files.keep(record(3))
    files.close()
    assert pages(tmp_path) == 3
    assert not caplog.records
    files, index = JobFiles(tmp_path), PageIndex(tmp_path / INDEX)
    assert missing(files.store, index) == []
    index.close()
    files.close()


def test_pages_are_indexed_by_the_segmenter_of_their_crawl(tmp_path: Path) -> None:
    files = JobFiles(tmp_path, indexed=True, segmenter=Segmenter(["纯电动"]))
    files.keep(record(1, "纯电动车去换电站"))
    files.commit()
    files.segmenter = PLAIN  # the crawl goes on for another topic
    files.keep(record(2, "纯电动车去换电站"))
    files.close()
    assert [pages(tmp_path, word) for word in ("纯电动", "电动车", "电站")] == [1, 1, 2]


def test_without_the_setting_nothing_is_indexed_until_it_is_searched(tmp_path: Path) -> None:
    files = JobFiles(tmp_path)
    files.keep(record(1))
    files.commit()
    assert not (tmp_path / INDEX).exists()
    index = PageIndex(tmp_path / INDEX)
    reported: list[tuple[int, int]] = []
    assert catch_up(files.store, index, lambda done, of: reported.append((done, of))) == 1
    assert catch_up(files.store, index) == 0
    index.close()
    files.close()
    assert pages(tmp_path) == 1


def test_a_page_stored_again_while_the_index_was_off_is_indexed_again(tmp_path: Path) -> None:
    files = JobFiles(tmp_path, indexed=True)
    for number in (1, 2, 3):
        files.keep(record(number))
    files.close()
    without = JobFiles(tmp_path)
    without.keep(record(2, "债券", fetched=9.0))
    without.commit()
    index = PageIndex(tmp_path / INDEX)
    assert missing(without.store, index) == [2]
    catch_up(without.store, index)
    index.close()
    without.close()
    assert (pages(tmp_path), pages(tmp_path, "债券")) == (2, 1)


def test_a_killed_crawl_that_goes_on_indexes_what_was_lost(tmp_path: Path) -> None:
    killed = JobFiles(tmp_path, indexed=True)
    for number in range(1, 6):
        killed.keep(record(number))
        killed.commit()
    killed.abandon()
    assert pages(tmp_path) == 0
    resumed = JobFiles(tmp_path, indexed=True)
    resumed.keep(record(6))
    resumed.close()
    assert pages(tmp_path) == 6


def test_an_index_far_behind_is_left_to_the_first_search(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    without = JobFiles(tmp_path)
    for number in range(1, MOST_AT_ONCE + 2):
        without.keep(record(number, text=""))
    without.close()
    resumed = JobFiles(tmp_path, indexed=True)
    with caplog.at_level(logging.INFO):
        resumed.keep(record(MOST_AT_ONCE + 2))
    resumed.close()
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert pages(tmp_path) == 0


def test_a_fault_of_the_index_is_told_once_and_the_pages_are_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / INDEX).write_bytes(b"no database" * 100)
    files = JobFiles(tmp_path, indexed=True)
    for number in (1, 2):
        files.keep(record(number))
        files.commit()
    assert sum(1 for _ in files.store.records()) == 2
    assert [entry.levelname for entry in caplog.records] == ["WARNING"]
    assert "index.sqlite" in caplog.text
    Indexing(files.store, tmp_path / "none").close()  # never begun: nothing to let go of
    files.close()
