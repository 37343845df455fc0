"""A damaged or foreign frontier file is refused in one line."""

import re
import sqlite3
from pathlib import Path

import pytest
from message_facts import numbers

from topiccrawler.errors import StateError
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score

HOSTS = ("a", "b", "c")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.db"


def push(frontier: SqliteFrontier, count: int) -> None:
    """So many URLs of three hosts."""
    links = [Link(f"http://{HOSTS[n % 3]}/{n}", HOSTS[n % 3]) for n in range(count)]
    frontier.push([(link, Score(link.url, 1.0)) for link in links], now=0.0)


def written(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.executescript(statement)
    database.close()


def refused(path: Path) -> str:
    with pytest.raises(StateError) as raised:
        SqliteFrontier(path)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith(str(path))
    return raised.value.fault


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"GIF89a" + bytes(5000))
    assert refused(path).endswith("(file is not a database)")
    assert path.read_bytes().startswith(b"GIF89a")


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    written(path, "CREATE TABLE cats (name)")
    before = path.read_bytes()
    assert numbers(refused(path)) == []  # no version
    assert path.read_bytes() == before


def test_another_version_is_refused(path: Path) -> None:
    SqliteFrontier(path).close()
    written(path, "PRAGMA user_version = 99")
    assert numbers(refused(path)) == ["99", "1"]


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        ("DELETE FROM urls WHERE number = 3", "1 URLs "),
        ("UPDATE urls SET state = 9 WHERE number = 3", "state 9$"),
        ("UPDATE urls SET host = 77 WHERE number = 3", "host 77 "),
        ("UPDATE urls SET score = 'high' WHERE number = 3", "must be real number, not str"),
        ("UPDATE urls SET fingerprint = x'00' WHERE number = 3", "number"),
        ("DELETE FROM hosts WHERE id = 1", "host 1 "),
        (
            "INSERT INTO raises SELECT 1, 88, 1, x'', 1, 1, '', '', '', '', '', '', '', '', 1, 1, 1, 1",
            "URL number 88 ",
        ),
        ("DROP TABLE raises", r"\(.*raises\)"),
    ],
)
def test_a_damaged_frontier_is_refused_with_what_is_wrong(path: Path, damage: str, fault: str) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 10)
    written(path, damage)
    assert re.search(fault, refused(path))


def test_a_torn_file_is_refused(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 5000)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    assert "malformed" in refused(path) or "I/O" in refused(path)


def test_a_row_that_lost_its_link_ends_in_one_line(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 1)
    written(path, "DELETE FROM links")
    with SqliteFrontier(path) as frontier, pytest.raises(StateError, match="number 0"):
        frontier.lease(0.0)
