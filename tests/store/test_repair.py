"""A damaged database: what can be read is saved, and nothing is touched where nothing can."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Link, Score, Visit
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import ALL, PageRecord, QueryTerm
from topiccrawler.store.repair import repair
from topiccrawler.store.visits import VisitLog
from topiccrawler.text.segmenter import PLAIN

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A job of 200 pages, each of some 6 kB, with a queue and a log."""
    with closing(JobDatabase(tmp_path / "job.sqlite")) as database:
        store, log = PageStore(database), VisitLog(database)
        frontier = SqliteFrontier(database)
        for number in range(200):
            url = f"http://a.example/{number}"
            frontier.push([(Link(url, "a.example"), Score(url, 1.0))], now=0.0)
            store.put(PageRecord(url=url, title="基金", text=chr(0x4E00 + number) * 2000))
            log.append(Visit(url, 200, 1.0, 1.0, stored=True, time=float(number)))
    return tmp_path / "job.sqlite"


def root_of(path: Path, table: str) -> int:
    """The number of the first database page of a table, from 0."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(database.execute(query, (table,)).fetchone()[0]) - 1


def damage(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek(page * PAGE)
        file.write(b"\xff" * PAGE)


def test_pages_on_broken_ground_are_left_out_and_all_others_are_as_they_were(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:  # the database pages that only texts of pages have
        query = "SELECT pageno FROM dbstat WHERE name = 'pages' AND pagetype = 'leaf' ORDER BY pageno LIMIT 5"
        try:
            leaves = [number for (number,) in database.execute(query)]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite has no dbstat")
    for page in leaves[1:4]:
        damage(path, page - 1)
    with (
        closing(PageStore(path)) as store,
        pytest.raises(StateError, match=r"scrapy pages \S+ repair"),
    ):
        store.check_whole()
    saved = repair(path, PLAIN)
    with closing(JobDatabase(path)) as database:
        database.check_whole()
        store, log, frontier = PageStore(database), VisitLog(database), SqliteFrontier(database)
        found = list(store.records())
        assert frontier.look().waiting() == log.last() == 200
        term = QueryTerm((("基金",),), is_phrase=False, is_excluded=False)
        assert len(store.find((term,), ALL, 999)) == saved
    assert 150 <= saved == len(found) < 200
    assert all(one.text == chr(0x4E00 + int(one.url.rpartition("/")[2])) * 2000 for one in found)


def test_where_no_page_can_be_read_all_stays_as_it_was(path: Path) -> None:
    damage(path, root_of(path, "pages"))
    before = path.read_bytes()
    with pytest.raises(StateError, match=path.name):
        repair(path, PLAIN)
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["job.sqlite", "job.sqlite.lock"]


def test_a_queue_with_a_hole_is_left_out_whole(path: Path) -> None:
    damage(path, root_of(path, "links"))
    assert repair(path, PLAIN) == 200
    with closing(SqliteFrontier(path)) as frontier:
        assert frontier.look().counts()[State.WAITING] == 0
    assert path.with_name("job.sqlite.damaged").exists()


def test_a_damaged_row_number_does_not_make_the_walk_endless(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE pages SET rowid = ? WHERE url = 'http://a.example/7'", (2**62,))
        database.commit()
    assert repair(path, PLAIN) == 199
