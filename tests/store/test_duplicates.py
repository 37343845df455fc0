"""Copies of pages, by digest and by fingerprint, kept on disk."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from page_records import OTHER, SOME, off

from topiccrawler.errors import StateError
from topiccrawler.pages.site_repeats import BITS, Fingerprint
from topiccrawler.store.duplicates import DuplicateIndex, NearIndex

BYTES = BITS // 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "job.sqlite"


def test_what_was_committed_outlives_the_process_and_what_was_not_is_met_anew(path: Path) -> None:
    first = DuplicateIndex(path)
    first.first_of("http://a.test/1", SOME)
    first.commit()
    first.first_of("http://a.test/2", OTHER)
    first.abandon()  # as a killed process leaves it
    with closing(DuplicateIndex(path)) as index:
        assert len(index._near) == 1
        assert index.first_of("http://b.test/1", off(SOME, 10)) == "http://a.test/1"
        assert index.first_of("http://b.test/2", OTHER) is None
        assert index.first_of("http://c.test/\ud800", OTHER) == "http://b.test/2"


def test_many_rows_are_all_found_and_random_ones_are_not() -> None:
    dice = random.Random(4)
    index = NearIndex()
    prints = [Fingerprint(0, dice.randbytes(BYTES)) for _ in range(3000)]
    for row, print_ in enumerate(prints):
        index.put(row, print_.bits)
    for row in range(0, 3000, 97):
        assert index.near(off(prints[row], 25).bits) == [row]
        assert index.near(off(prints[row], 25).bits, before=row) == []
    assert all(index.near(dice.randbytes(BYTES)) == [] for _ in range(100))
    assert index.near(b"") == []


def test_an_empty_row_matches_nothing_even_a_fingerprint_of_zeros() -> None:
    index = NearIndex()
    index.put(0, b"")
    index.put(1, bytes(BYTES))
    assert index.near(bytes(BYTES)) == [1]


@pytest.mark.parametrize("damage", ["text", "other program", "missing row"])
def test_a_file_that_is_no_index_is_refused_in_one_line(path: Path, damage: str) -> None:
    if damage == "text":
        path.write_text("no database at all, " * 100)
    else:
        with closing(DuplicateIndex(path)) as index:
            index.first_of("http://a.test/1", SOME)
            index.first_of("http://a.test/2", OTHER)
        with closing(sqlite3.connect(path)) as database:
            database.execute(
                "PRAGMA user_version = 9"
                if damage == "other program"
                else "DELETE FROM fingerprints WHERE row = 0"
            )
            database.commit()
    with pytest.raises(StateError, match=r"job\.sqlite"):
        DuplicateIndex(path)


def test_no_page_is_a_copy_of_the_former_text_of_a_page_that_became_a_copy(path: Path) -> None:
    with closing(DuplicateIndex(path)) as index:
        assert index.first_of("http://a.test/1", SOME) is None
        assert index.first_of("http://a.test/2", OTHER) is None
        assert index.first_of("http://a.test/2", off(SOME, 5)) == "http://a.test/1"  # looked at again
        assert index.first_of("http://a.test/3", OTHER) is None
        assert index.first_of("http://a.test/4", off(OTHER, 5)) == "http://a.test/3"
    with closing(DuplicateIndex(path)) as index:
        assert index.first_of("http://a.test/5", OTHER) == "http://a.test/3"
        assert index.first_of("http://a.test/2", OTHER) is None  # and back: it is the earlier one
