"""A job's database: one transaction for all that is in it, one writer, any number of readers; faults are one line."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from message_facts import one_line
from page_records import PAGE

from topiccrawler import sqlite_files
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JOB_DATABASE, JobDatabase, JobTable, is_begun
from topiccrawler.model import Link, Score, Visit
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import PageStore, read_pages
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / JOB_DATABASE


@pytest.fixture
def database(path: Path) -> Iterator[JobDatabase]:
    database = JobDatabase(path)
    yield database
    database.close()


def urls(path: Path) -> list[str]:
    with closing(read_pages(path)) as pages:
        return [record.url for record in pages.records()]


def test_one_commit_makes_everything_durable_and_a_kill_nothing(path: Path) -> None:
    link = Link(PAGE.url, "a.cn")

    def end_a_page(database: JobDatabase) -> None:
        frontier = SqliteFrontier(database, acknowledgements_per_commit=9)
        frontier.push([(link, Score(link.url, 1.0))], now=0.0)
        leased = frontier.lease(0.0)
        assert leased is not None
        PageStore(database).put(PAGE)
        VisitLog(database).append(Visit(PAGE.url, 200, 1.0, 1.0, stored=True, time=0.0))
        frontier.notes.put("harvest", "1")
        frontier.end(link.url, State.COMPLETED, "", 0.0)

    killed = JobDatabase(path)
    end_a_page(killed)
    killed.abandon()
    with closing(JobDatabase(path)) as database:
        assert (VisitLog(database).last(), PageStore(database).is_empty) == (0, True)
        frontier = SqliteFrontier(database)
        assert (frontier.look().row(link.url), frontier.notes.get("harvest")) == (None, None)
    ended = JobDatabase(path)
    end_a_page(ended)
    ended.commit()
    ended.abandon()
    with closing(JobDatabase(path)) as database:
        assert (VisitLog(database).last(), PageStore(database).is_empty) == (1, False)
        row = SqliteFrontier(database).look().row(link.url)
        assert row.state is State.COMPLETED


def test_only_what_was_committed_is_seen_by_others_and_survives(path: Path) -> None:
    with closing(PageStore(path)) as writer:
        writer.put(PAGE)
        assert urls(path) == []
        writer.commit()
        writer.put(replace(PAGE, url="b"))
        assert urls(path) == [PAGE.url]
    assert urls(path) == [PAGE.url, "b"], "closing commits"
    writer.close()
    writer.commit()


def test_pages_and_samples_have_the_same_fields_and_do_not_mix(database: JobDatabase) -> None:
    pages, sample = PageStore(database), PageSample(database, 5)
    pages.put(PAGE)
    sample.add(replace(PAGE, url="http://off.cn/", stored=False))
    assert [record.url for record in pages.records()] == [PAGE.url]
    assert [record.url for record in sample.records()] == ["http://off.cn/"]


def test_what_is_read_piece_by_piece_may_grow_meanwhile(database: JobDatabase) -> None:
    def add(number: int) -> None:
        database.write("INSERT INTO notes VALUES (?, '')", (f"{number:06}",))

    for number in range(2500):
        add(number)
    walked = database.walk("SELECT name FROM notes WHERE name > ?", "")
    found = [next(walked)]
    add(2500)
    found += walked
    assert [name for (name,) in found] == [f"{number:06}" for number in range(2501)]


def test_a_killed_process_loses_nothing_it_committed(path: Path) -> None:
    program = f"""
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord
store = PageStore({str(path)!r})
for number in range(1000):
    store.put(PageRecord(url=str(number), text="x" * 5000))
    if number % 7 == 6:
        store.commit()
        print(number, flush=True)
"""
    root = Path(__file__).parents[1]
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        announced = [int(process.stdout.readline()) for _ in range(20)][-1]
        os.kill(process.pid, signal.SIGKILL)
    found = urls(path)
    assert announced == 139
    assert len(found) >= 140
    assert found == [str(number) for number in range(len(found))]
    JobDatabase(path).close()  # the lock has ended with the process


def test_two_crawls_cannot_write_to_one_database(path: Path, database: JobDatabase) -> None:
    with pytest.raises(StateError, match=one_line("another crawl is using it")):
        JobDatabase(path)
    database.close()
    JobDatabase(path).close()


def test_a_reader_makes_no_file_and_writes_nothing(tmp_path: Path, path: Path) -> None:
    with pytest.raises(StateError, match=r"job\.sqlite"):
        JobDatabase(path, read_only=True)
    with pytest.raises(StateError, match="no such database"):
        read_pages(path)
    assert list(tmp_path.iterdir()) == []
    PageStore(path).close()
    with (
        closing(PageStore(JobDatabase(path, read_only=True))) as reader,
        pytest.raises(StateError, match="readonly"),
    ):
        reader.put(PAGE)


def test_a_file_that_is_being_made_is_not_begun(path: Path) -> None:
    assert not is_begun(path)
    path.touch()
    assert not is_begun(path)
    JobDatabase(path).close()
    assert is_begun(path)


def test_a_database_that_cannot_be_written_now_says_so(
    path: Path, database: JobDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.check_writable()
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(sqlite_files, "WAIT_SECONDS", 0.0)
        with pytest.raises(StateError, match=r"job\.sqlite: .*locked"):
            database.check_writable()


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"gone/job\.sqlite: "):
        JobDatabase(tmp_path / "gone" / JOB_DATABASE)


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, no database\n" * 100)
    with pytest.raises(StateError, match=r"notes\.txt: "):
        JobDatabase(text)
    assert text.read_text().startswith("these ")

    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as other:
        other.execute("CREATE TABLE pages (url TEXT)")
    before = foreign.read_bytes()
    with pytest.raises(StateError, match=r"foreign\.sqlite: "):
        JobDatabase(foreign)
    assert foreign.read_bytes() == before


@pytest.mark.parametrize("version", [0, 2])
def test_a_database_of_another_version_is_refused(path: Path, version: int) -> None:
    JobDatabase(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(StateError, match=rf"\b{version}\b.*\b1\b"):
        JobDatabase(path)


def test_a_damaged_database_is_one_line_wherever_it_shows(path: Path) -> None:
    with closing(PageStore(path)) as store:
        for number in range(300):
            store.put(PageRecord(url=str(number), title="t" * 500))
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 :] = b"\xaa" * (len(damaged) - len(damaged) // 2)
    path.write_bytes(bytes(damaged))
    with closing(PageStore(path)) as store:
        with pytest.raises(StateError, match="malformed"):
            list(store.records())
        with pytest.raises(StateError, match=r"scrapy pages \S+ repair"):
            store.check_whole()


def test_text_that_is_not_utf_8_is_one_line(path: Path) -> None:
    with closing(PageStore(path)) as store:
        store.put(PAGE)
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE pages SET text = CAST(x'ff' AS TEXT)")
        other.commit()
    with closing(read_pages(path)) as store, pytest.raises(StateError, match=r"job\.sqlite"):
        store.get(PAGE.url)


def test_using_a_closed_database_is_a_fault_of_the_program_and_says_so(database: JobDatabase) -> None:
    store = PageStore(database)
    database.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store.put(PAGE)


def test_a_full_disk_is_told_with_what_to_do(database: JobDatabase) -> None:
    database.write("PRAGMA max_page_count = 80")  # as a full disk answers: SQLITE_FULL
    with pytest.raises(StateError, match=r"job\.sqlite.*full.*make room"):
        PageStore(database).put(PageRecord(url="http://a.example/", text="基金" * 400_000))
    database.abandon()


def test_a_table_opens_a_database_of_its_own_at_a_path(path: Path) -> None:
    with closing(JobTable(path)) as table:
        assert table.database.path == path
    with closing(JobDatabase(path)) as database:
        assert JobTable(database).database is database


def test_after_a_fault_nothing_more_is_read_or_written(path: Path, database: JobDatabase) -> None:
    store = PageStore(database)
    store.put(PAGE)
    store.commit()
    database.write("CREATE TRIGGER no BEFORE INSERT ON visits BEGIN SELECT RAISE(ROLLBACK, 'no more'); END")
    store.put(replace(PAGE, url="b"))
    again = [
        lambda: VisitLog(database).append(Visit(PAGE.url, 200, 1.0, 1.0, stored=True, time=0.0)),
        lambda: store.put(replace(PAGE, url="c")),
        lambda: store.get(PAGE.url),
        database.commit,
    ]
    for use in again:
        with pytest.raises(StateError, match="no more"):
            use()
    database.close()
    assert urls(path) == [PAGE.url]
