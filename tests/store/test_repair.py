"""A damaged page store: what can be read is saved, and nothing is touched where nothing can."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from topiccrawler.errors import StateError
from topiccrawler.store.pages import PageRecord, PageStore
from topiccrawler.store.repair import repair

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of 200 pages, each of some 6 kB."""
    with closing(PageStore(tmp_path / "pages.sqlite")) as store:
        for number in range(200):
            store.put(PageRecord(url=f"http://a.example/{number}", text=chr(0x4E00 + number) * 2000))
    return tmp_path / "pages.sqlite"


def damage(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek(page * PAGE)
        file.write(b"\xff" * PAGE)


def test_pages_on_broken_ground_are_left_out_and_all_others_are_as_they_were(path: Path) -> None:
    for page in (40, 41, 300):
        damage(path, page)
    with (
        closing(PageStore(path)) as store,
        pytest.raises(StateError, match=r"scrapy pages \S+ repair"),
    ):
        store.check_whole()
    saved = repair(path, most=200)
    with closing(PageStore(path)) as store:
        store.check_whole()
        found = list(store.records())
    assert 190 <= saved == len(found) < 200
    assert all(one.text == chr(0x4E00 + int(one.url.rpartition("/")[2])) * 2000 for one in found)


def test_where_no_page_can_be_read_all_stays_as_it_was(path: Path) -> None:
    damage(path, 1)  # the root of the table
    before = path.read_bytes()
    with pytest.raises(StateError, match=path.name):
        repair(path, most=200)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["pages.sqlite"]


def test_a_damaged_row_number_does_not_make_the_walk_endless(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE pages SET rowid = ? WHERE url = 'http://a.example/7'", (2**62,))
        database.commit()
    assert repair(path, most=200) == 199
