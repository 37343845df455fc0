"""One row a URL, whatever the text, and nothing lost that was committed."""

from __future__ import annotations

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
from page_records import PAGE

from topiccrawler import sqlite_files
from topiccrawler.errors import StateError
from topiccrawler.store.pages import PageRecord, PageStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[PageStore]:
    store = PageStore(tmp_path / "pages.sqlite")
    yield store
    store.close()


def test_only_what_was_committed_is_seen_by_others_and_survives(tmp_path: Path) -> None:
    writer = PageStore(tmp_path / "pages.sqlite")
    reader = PageStore(tmp_path / "pages.sqlite", create=False)
    writer.put(PAGE)
    assert list(reader.records()) == []
    writer.commit()
    writer.put(replace(PAGE, url="b"))
    assert [record.url for record in reader.records()] == [PAGE.url]
    writer.close()
    assert len(list(reader.records())) == 2, "closing commits"
    writer.close()
    reader.close()


def test_an_abandoned_store_is_as_the_last_commit_left_it(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "pages.sqlite")
    store.put(PAGE)
    store.commit()
    store.put(replace(PAGE, url="b"))
    store.abandon()
    store.close()
    with closing(PageStore(tmp_path / "pages.sqlite")) as again:
        assert [record.url for record in again.records()] == [PAGE.url]


def test_a_store_that_cannot_be_written_now_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pages.sqlite"
    with closing(PageStore(path)) as store:
        store.check_writable()
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            monkeypatch.setattr(sqlite_files, "WAIT_SECONDS", 0.0)
            with pytest.raises(StateError, match=r"pages\.sqlite: .*locked"):
                store.check_writable()


def test_a_store_that_is_read_only_says_so(tmp_path: Path) -> None:
    path = tmp_path / "pages.sqlite"
    with closing(PageStore(path)) as store:
        store._database.close()
        store._database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        with pytest.raises(StateError, match=r"pages\.sqlite: .*readonly"):
            store.check_writable()


def test_a_killed_process_loses_nothing_it_committed(tmp_path: Path) -> None:
    path = tmp_path / "pages.sqlite"
    program = f"""
from topiccrawler.store.pages import PageRecord, PageStore
store = PageStore({str(path)!r})
for number in range(1000):
    store.put(PageRecord(url=str(number), text="x" * 5000))
    if number % 7 == 6:
        store.commit()
        print(number, flush=True)
"""
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdout is not None
        announced = [int(process.stdout.readline()) for _ in range(20)][-1]
        os.kill(process.pid, signal.SIGKILL)
    store = PageStore(path)
    urls = [record.url for record in store.records()]
    store.close()
    assert announced == 139
    assert len(urls) >= 140
    assert urls == [str(number) for number in range(len(urls))]


def test_a_missing_store_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"pages\.sqlite"):
        PageStore(tmp_path / "pages.sqlite", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"gone/pages\.sqlite: "):
        PageStore(tmp_path / "gone" / "pages.sqlite")


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, no database\n" * 100)
    with pytest.raises(StateError, match=r"notes\.txt: "):
        PageStore(text)
    assert text.read_text().startswith("these ")

    foreign = tmp_path / "foreign.sqlite"
    database = sqlite3.connect(foreign)
    database.execute("CREATE TABLE pages (url TEXT)")
    database.close()
    before = foreign.read_bytes()
    with pytest.raises(StateError, match=r"foreign\.sqlite: "):
        PageStore(foreign)
    assert foreign.read_bytes() == before


@pytest.mark.parametrize("version", [PageStore.version - 1, PageStore.version + 1])
def test_a_store_of_another_version_is_refused(tmp_path: Path, version: int) -> None:
    path = tmp_path / "pages.sqlite"
    PageStore(path).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    message = rf"\b{version}\b.*\b{PageStore.version}\b"
    with pytest.raises(StateError, match=message):
        PageStore(path)


def test_a_damaged_store_is_one_line_wherever_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "pages.sqlite"
    store = PageStore(path)
    for number in range(300):
        store.put(PageRecord(url=str(number), title="t" * 500))
    store.close()
    damaged = bytearray(path.read_bytes())
    damaged[4096:] = b"\xaa" * (len(damaged) - 4096)
    path.write_bytes(bytes(damaged))
    store = PageStore(path)
    with pytest.raises(StateError, match="malformed"):
        list(store.records())
    store.close()


def test_text_that_is_not_utf_8_is_one_line(store: PageStore) -> None:
    store.put(PAGE)
    store.close()
    database = sqlite3.connect(store.path)
    database.execute("UPDATE pages SET text = CAST(x'ff' AS TEXT)")
    database.commit()
    database.close()
    again = PageStore(store.path)
    with pytest.raises(StateError, match=r"pages\.sqlite"):
        again.get(PAGE.url)
    again.close()


def test_using_a_closed_store_is_a_fault_of_the_program_and_says_so(store: PageStore) -> None:
    store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store.put(PAGE)


def test_a_full_disk_is_told_with_what_to_do(tmp_path: Path) -> None:
    store = PageStore(tmp_path / "pages.sqlite")
    store._database.execute("PRAGMA max_page_count = 40")  # as a full disk answers: SQLITE_FULL
    with pytest.raises(StateError, match=r"pages\.sqlite.*full"):
        store.put(PageRecord(url="http://a.example/", text="基金" * 200_000))
    store.abandon()
