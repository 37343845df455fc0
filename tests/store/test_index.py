"""What is found in which pages, and in which order."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from topiccrawler.store import index as store_index
from topiccrawler.store.index import PageIndex
from topiccrawler.store.pages import ALL, Found, PageRecord, QueryTerm, Selection
from topiccrawler.text.segmenter import PLAIN

PAGE = PageRecord(
    url="http://a.cn/1", title="市场", text="基金 定投 收益", topic="finance", relevance=0.5, fetched=1_714_700_000.0, published="2024-05-01",
)  # fmt: skip


@pytest.fixture
def index(tmp_path: Path) -> Iterator[PageIndex]:
    made = PageIndex(tmp_path / "job.sqlite")
    yield made
    made.close()


def add(index: PageIndex, row: int, record: PageRecord) -> None:
    index.add(row, record, PLAIN)


def hits(index: PageIndex, word: str, selection: Selection = ALL, limit: int = 10) -> list[Found]:
    return index.find((QueryTerm(((word,),), is_phrase=False, is_excluded=False),), selection, limit)


def found(index: PageIndex, word: str, selection: Selection = ALL, limit: int = 10) -> list[int]:
    return [hit.page for hit in hits(index, word, selection, limit)]


def test_pages_are_found_by_their_words_however_these_are_written(index: PageIndex) -> None:
    add(index, 1, PAGE)
    add(index, 2, replace(PAGE, url="b", text="貸款 Ｂａｎｋｓ c++"))
    assert found(index, "收益") == [1]
    assert found(index, "贷款") == found(index, "bank") == found(index, "c++") == [2]


def test_a_title_counts_more_than_a_text_and_relevance_decides_among_equals(index: PageIndex) -> None:
    add(index, 1, replace(PAGE, relevance=0.3))
    add(index, 2, replace(PAGE, relevance=0.9))
    add(index, 3, replace(PAGE, title="收益", text="市场 基金", relevance=0.5))
    assert found(index, "收益") == [3, 2, 1]
    assert found(index, "收益", limit=1) == [3]
    first, second = (hit.rank for hit in hits(index, "基金", limit=3)[::2])
    assert first / second == pytest.approx(0.9 / 0.3, rel=0.01)


def test_of_very_many_pages_the_most_relevant_are_ranked(
    index: PageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(index, 1, replace(PAGE, title="基金", relevance=0.2))
    add(index, 2, replace(PAGE, relevance=0.8))
    monkeypatch.setattr(store_index, "MOST_RANKED", 1)
    assert found(index, "基金") == [2]


def test_a_step_of_relevance_that_is_full_goes_on_in_the_next(
    index: PageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_index, "_RANGE", 2)
    for page in range(1, 6):
        add(index, page, PAGE)
    assert len(found(index, "收益")) == 5


def test_a_page_stored_anew_is_found_by_its_new_words_only(index: PageIndex) -> None:
    add(index, 1, PAGE)
    add(index, 1, replace(PAGE, text="债券", fetched=1_714_700_001.0))
    assert found(index, "收益") == []
    assert found(index, "债券") == [1]


def test_copies_and_pages_off_topic_are_noted_but_not_found(index: PageIndex) -> None:
    add(index, 1, replace(PAGE, text="", alias_of="http://a.cn/0"))
    add(index, 2, replace(PAGE, stored=False))
    assert found(index, "市场") == []


@pytest.mark.parametrize(
    ("selection", "pages"),
    [
        (ALL, [1, 2, 3]),
        (Selection(topic="sports"), [3]),
        (Selection(site="a.cn"), [1, 2]),
        (Selection(site="www.a.cn"), [2]),
        (Selection(since="2024-05-02"), [2, 3]),
        (Selection(topic="finance", site="a.cn", since="2024-05-02"), [2]),
    ],
)
def test_results_are_filtered_by_topic_site_and_day(
    index: PageIndex, selection: Selection, pages: list[int]
) -> None:
    add(index, 1, PAGE)
    add(index, 2, replace(PAGE, url="http://www.a.cn/", published=""))  # then the day it was fetched counts
    add(index, 3, replace(PAGE, url="http://ba.cn/", topic="sports", published="2024-05-02"))
    assert found(index, "收益", selection) == pages


def test_what_is_no_text_and_no_number_is_indexed_too(index: PageIndex) -> None:
    add(index, 1, replace(PAGE, title="\ud800\x00", text="基金\udfff收益\x00", relevance=float("nan")))
    add(index, 2, replace(PAGE, relevance=7.0))
    assert found(index, "收益") == [2, 1]


def test_a_word_that_all_pages_have_ranks_them_by_how_often_they_have_it(index: PageIndex) -> None:
    for row in range(1, 41):
        add(index, row, replace(PAGE, url=str(row), text="基金 " * row + "收益 " * (50 - row), title=""))
    ranks = [hit.rank for hit in hits(index, "基金", limit=40)]
    assert found(index, "基金", limit=3) == [40, 39, 38]
    assert ranks[0] > 2 * ranks[-1] > 0.01
    rare = PAGE.relevance * 10
    assert ranks[0] < rare


def test_ranks_of_rarer_words_are_those_of_bm25(index: PageIndex) -> None:
    for row in range(1, 11):
        add(index, row, replace(PAGE, url=str(row), text="贷款" if row == 3 else "基金", title=""))
    [one] = hits(index, "贷款", limit=9)
    assert 0.5 < one.rank < 3
