"""Every index of copies names the earliest page with a text, whoever has fetched it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from page_records import OTHER, SOME, off
from postgresql_server import PostgresqlServer

from topiccrawler.cluster.postgresql.session import Session
from topiccrawler.cluster.postgresql.stored_pages import PostgresPages
from topiccrawler.cluster.postgresql.writing import PostgresDuplicates
from topiccrawler.pages.site_repeats import MOST_DIFFERENT, Fingerprint
from topiccrawler.store.duplicates import DuplicateIndex


class PostgresCopies(PostgresDuplicates):
    """With the methods of a file."""

    def __len__(self) -> int:
        return len(self._near)

    def commit(self) -> None:
        """Each call has committed."""

    def close(self) -> None:
        self._session.close()


Copies = DuplicateIndex | PostgresCopies
Open = Callable[[], Copies]


@pytest.fixture(params=["sqlite", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the index of one job, as often as it is called: as so many processes do."""
    made: list[Copies] = []
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    job = uuid4().hex

    def open_() -> Copies:
        if request.param == "sqlite":
            made.append(DuplicateIndex(tmp_path / "job.sqlite"))
        else:
            made.append(PostgresCopies(PostgresPages(Session(server.url()), job)))
        return made[-1]

    yield open_
    for copies in made:
        copies.close()


@pytest.fixture
def index(opened: Open) -> Copies:
    return opened()


def test_a_copy_names_its_first_page_and_no_copy_is_remembered(index: Copies) -> None:
    assert index.first_of("http://a.test/1", SOME) is None
    assert index.first_of("http://a.test/2", OTHER) is None
    assert index.first_of("http://b.test/3", SOME) == "http://a.test/1"
    assert index.first_of("http://b.test/4", off(SOME, 30)) == "http://a.test/1"
    assert index.first_of("http://b.test/5", off(SOME, MOST_DIFFERENT + 20)) is None
    assert len(index) == 3


def test_short_texts_are_copies_by_digest_only(index: Copies) -> None:
    assert index.first_of("http://a.test/1", Fingerprint(7, b"")) is None
    assert index.first_of("http://a.test/2", Fingerprint(8, b"")) is None
    assert index.first_of("http://a.test/3", Fingerprint(-7, b"")) is None
    assert index.first_of("http://a.test/4", Fingerprint(8, b"")) == "http://a.test/2"


def test_within_a_site_copies_of_other_sites_do_not_count(index: Copies) -> None:
    assert index.first_of("http://a.test.cn/1", SOME) is None
    assert index.first_of("http://b.cn/1", SOME, across_sites=False) is None
    assert index.first_of("http://www.b.cn/2", SOME, across_sites=False) == "http://b.cn/1"
    assert index.first_of("http://c.cn/1", SOME) == "http://a.test.cn/1"


def test_an_address_without_a_domain_is_one_site_whatever_its_port(index: Copies) -> None:
    for host in ("127.0.0.1", "localhost"):
        assert index.first_of(f"http://{host}:8080/1", SOME, across_sites=False) is None
        first = index.first_of(f"http://{host}:8081/1", SOME, across_sites=False)
        assert first == f"http://{host}:8080/1"


def test_a_page_met_again_is_not_its_own_copy_nor_that_of_a_later_one(index: Copies) -> None:
    assert index.first_of("http://a.test/1", SOME) is None
    assert index.first_of("http://a.test/2", OTHER) is None
    assert index.first_of("http://a.test/1", SOME) is None
    assert index.first_of("http://a.test/1", OTHER) is None  # changed; it is still the earlier one
    assert index.first_of("http://a.test/3", OTHER) == "http://a.test/1"
    assert index.first_of("http://a.test/4", SOME) is None
    assert len(index) == 3


def test_what_was_committed_outlives_the_process_in_any_text(opened: Open) -> None:
    index = opened()
    index.first_of("http://a.test/1", SOME)
    index.first_of("http://c.test/\ud800\0", OTHER)
    index.commit()
    index.close()
    again = opened()
    assert again.first_of("http://b.test/1", off(SOME, 10)) == "http://a.test/1"
    assert str(again.first_of("http://b.test/2", OTHER)).startswith("http://c.test/?")
    assert len(again) == 2
