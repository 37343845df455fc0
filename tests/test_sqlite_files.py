"""A file that another program has locked is waited for; after that the message says so. The other program is a real process."""

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from topiccrawler import sqlite_files
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import State
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Link, Score
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord

HOLDER = """
import sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
held.execute("COMMIT")
"""
PAGE = PageRecord(url="http://a.cn/基金", title="基金定投", text="长期坚持的人收益如何")


class Holder:
    """A process that holds a lock until `release`."""

    def __init__(self, path: Path) -> None:
        words = [sys.executable, "-c", HOLDER, str(path)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "held\n"

    def release(self) -> None:
        if self._process.poll() is None:
            self._process.communicate("\n")


class ReleasesWhenWaitedFor(logging.Handler):
    """Releases the lock when the log says that it is waited for: a wait that is not reported never ends."""

    def __init__(self, holder: Holder) -> None:
        super().__init__()
        self.holder, self.messages = holder, list[str]()

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        if "waiting" in self.messages[-1]:
            self.holder.release()


@contextmanager
def held(path: Path) -> Iterator[list[str]]:
    """Lock a file until it is waited for; yields the messages about it."""
    handler = ReleasesWhenWaitedFor(Holder(path))
    sqlite_files.logger.addHandler(handler)
    try:
        yield handler.messages
    finally:
        sqlite_files.logger.removeHandler(handler)
        handler.holder.release()


def frontier(path: Path) -> SqliteFrontier:
    found = SqliteFrontier(path)
    link = Link("http://a.cn/基金", "a.cn", "基金")
    found.push([(link, Score(link.url, 1.0))], now=0.0)
    found.commit()
    assert [row.link for row in found.look().best(1)] == [link]  # a transaction that reads is open
    return found


def end(one: SqliteFrontier) -> None:
    leased = one.lease(1.0)
    one.end(leased.link.url, State.COMPLETED, "", 1.0)


def put(store: PageStore) -> None:
    store.put(PAGE)
    store.commit()


WRITERS: dict[str, tuple[Callable[[Path], Any], Callable[[Any], object]]] = {
    "pages": (PageStore, put),
    "queue": (frontier, end),
}


@pytest.fixture(autouse=True)
def attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_files, "ATTEMPT_SECONDS", 0.05)


@pytest.mark.parametrize("name", WRITERS)
def test_a_lock_is_waited_for_and_nothing_is_lost(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.sqlite"
    opened, write = WRITERS[name]
    with closing(opened(path)) as store:
        with held(path) as messages:
            write(store)
        assert [message.split(" is ")[0] for message in messages] == [str(path)] * 2
        assert messages[0].endswith("is locked by another program; waiting for 120 s at most")
        assert "is free after" in messages[1]
    with closing(JobDatabase(path)) as again:
        if name == "pages":
            assert PageStore(again).get(PAGE.url) is not None
        else:
            assert SqliteFrontier(again).look().counts()[State.COMPLETED] == 1


@pytest.mark.parametrize("name", WRITERS)
def test_a_lock_that_stays_is_named_with_the_remedy(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{name}.sqlite"
    opened, write = WRITERS[name]
    store = opened(path)
    monkeypatch.setattr(sqlite_files, "WAIT_SECONDS", 0.3)
    holder = Holder(path)
    try:
        with pytest.raises(StateError) as fault:
            write(store)
        assert str(fault.value) == (
            f"{path}: locked by another program for more than 0 s; close what has it open (a backup, an SQL browser),"
            " then give the same command again: the job goes on"
        )
    finally:
        holder.release()
        store.close()


def test_a_queue_that_is_locked_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    with closing(frontier(path)) as first:
        assert first.lease(1.0) is not None
        first.commit()
    with held(path) as messages, closing(SqliteFrontier(path)) as again:
        assert again.look().counts()[State.WAITING] == 1
    assert len(messages) == 2
