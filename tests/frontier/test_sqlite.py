"""What only the frontier on disk promises: reopening, transactions, foreign files."""

from pathlib import Path

import pytest

from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Pushed, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import JobDatabase
from topiccrawler.model import Link, Score

HOSTS = ("a", "b", "c")


def link(number: int, **fields: object) -> Link:
    host = HOSTS[number % 3]
    return Link(f"http://{host}/{number}", host, **fields)


def push(frontier: SqliteFrontier, *numbers: int, value: float | None = None, now: float = 0.0) -> None:
    """Push by number; the score is the number unless given."""
    frontier.push(
        [(link(n), Score(link(n).url, float(n) if value is None else value)) for n in numbers], now=now
    )


def numbers(frontier: SqliteFrontier) -> list[int]:
    """Lease and complete until nothing comes."""
    found = []
    while (leased := frontier.lease(0.0)) is not None:
        found.append(int(leased.link.url.rpartition("/")[2]))
        frontier.end(leased.link.url, State.COMPLETED, "", 0.0)
    return found


def on_disk(path: Path) -> dict[str, str]:
    """State by URL as another program sees it: what is committed."""
    with SqliteFrontier(JobDatabase(path, read_only=True)) as frontier:
        return {row.link.url: row.state.value for row in frontier.look().rows()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.db"


@pytest.mark.parametrize("memory_urls", [0, 40])
def test_reopening_gives_back_order_states_leases_and_notes(path: Path, memory_urls: int) -> None:
    with SqliteFrontier(path, memory_urls=memory_urls) as frontier:
        push(frontier, *range(300))
        push(frontier, *range(0, 300, 7), value=500.0)
        frontier.rescore(Score(link(n).url, -float(n)) for n in range(0, 300, 2))
        push(frontier, 2, 4, value=600.0)
        first = frontier.lease(0.0)
        assert first is not None
        assert first.link.url == link(2).url
        second = frontier.lease(0.0)
        assert second is not None
        assert second.link.url == link(4).url
        frontier.end(second.link.url, State.ERROR, "timeout", 5.0)
        frontier.notes.put("strategy", '{"词": 1}')
    scores = {n: -float(n) if n % 2 == 0 else 500.0 if n % 7 == 0 else float(n) for n in range(300)}
    scores[2] = 600.0
    del scores[4]
    with SqliteFrontier(path, memory_urls=memory_urls) as frontier:
        assert {state.value: count for state, count in frontier.look().counts().items() if count} == {
            "waiting": 299,
            "error": 1,
        }
        assert frontier.notes.get("strategy") == '{"词": 1}'
        row = frontier.look().row(link(4).url)
        assert row is not None
        assert (row.state, row.reason, row.score, row.changed) == (State.ERROR, "timeout", 600.0, 5.0)
        assert numbers(frontier) == sorted(scores, key=lambda n: (-scores[n], n))


def test_an_acknowledgement_makes_the_page_and_its_links_durable_together(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 0)
        frontier.commit()
        leased = frontier.lease(0.0)
        assert leased is not None
        push(frontier, 1, 2)
        assert on_disk(path) == {"http://a/0": "waiting"}
        frontier.end(leased.link.url, State.COMPLETED, "", 1.0)
        assert on_disk(path) == {"http://a/0": "completed", "http://b/1": "waiting", "http://c/2": "waiting"}


def test_a_commit_shows_leases_as_processing(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 0, 1)
        frontier.lease(0.0)
        frontier.commit()
        assert on_disk(path) == {"http://a/0": "waiting", "http://b/1": "processing"}
    assert on_disk(path) == {"http://a/0": "waiting", "http://b/1": "processing"}


def test_an_abandoned_frontier_is_as_the_last_commit_left_it(path: Path) -> None:
    frontier = SqliteFrontier(path)
    push(frontier, 0, 1)
    frontier.commit()
    push(frontier, *range(2, 6_000))
    frontier.lease(0.0)
    frontier.close(commit=False)
    assert on_disk(path) == {"http://a/0": "waiting", "http://b/1": "waiting"}
    SqliteFrontier(path).close()  # nobody holds the lock


def test_several_acknowledgements_may_share_a_transaction(path: Path) -> None:
    with SqliteFrontier(path, acknowledgements_per_commit=2) as frontier:
        push(frontier, 0, 1, 2)
        frontier.commit()
        for expected in ("waiting", "completed"):
            leased = frontier.lease(0.0)
            assert leased is not None
            frontier.end(leased.link.url, State.COMPLETED, "", 0.0)
            assert on_disk(path)["http://c/2"] == expected


def test_a_write_gathered_beyond_the_flush_limit_is_still_one_transaction(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, *range(12_000))
        assert on_disk(path) == {}
        frontier.commit()
        assert len(on_disk(path)) == 12_000


def test_raises_and_new_scores_in_any_order_end_as_the_last_one(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        for commit in (False, True):
            start = 100 * commit
            push(frontier, start, start + 1, value=0.0)
            for value in (1.0, 5.0, 9.0):
                push(frontier, start, value=value)
                if commit:
                    frontier.commit()
                frontier.rescore([Score(link(start).url, value - 0.5), Score(link(start + 1).url, -value)])
            push(frontier, start + 1, value=-1.0)
        expected = [(row.link.url, row.score) for row in frontier.look().rows()]
    assert [score for _, score in expected] == [8.5, -1.0, 8.5, -1.0]
    with SqliteFrontier(path) as frontier:
        assert [(row.link.url, row.score) for row in frontier.look().rows()] == expected
        assert numbers(frontier) == [0, 100, 1, 101]


def test_the_row_of_a_raised_url_names_the_raising_link(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        for value, text in ((1.0, "first"), (2.0, "second"), (3.0, "third")):
            offered = link(0, anchor=text, source_url=f"http://{text}/")
            frontier.push([(offered, Score(offered.url, value, carry=value))], now=0.0, tunnel=int(value))
    with SqliteFrontier(path) as frontier:
        row = frontier.look().row("http://a/0")
        assert row is not None
        assert (row.link, row.score, row.carry, row.tunnel) == (
            link(0, anchor="third", source_url="http://third/"), 3.0, 3.0, 3,
        )  # fmt: skip
        assert [waiting.anchor for waiting in frontier.look().queued()] == ["third"]


def test_urls_with_equal_fingerprints_are_different_urls(path: Path) -> None:
    def digest(url: str) -> tuple[int, int]:
        return -1, int(url.rpartition("/")[2])

    with SqliteFrontier(path, digest=digest) as frontier:
        push(frontier, 0, 1, 2)
        assert frontier.push([(link(1), Score(link(1).url, 9.0))], now=0.0)[Pushed.RAISED] == 1
    with SqliteFrontier(path, digest=digest) as frontier:
        assert numbers(frontier) == [1, 2, 0]


def test_two_crawls_cannot_write_to_one_frontier(path: Path) -> None:
    with SqliteFrontier(path), pytest.raises(StateError, match=path.name) as raised:
        SqliteFrontier(path)
    assert "\n" not in str(raised.value)
    with SqliteFrontier(path) as frontier:
        assert frontier.look().waiting() == 0


def test_a_reader_changes_nothing_and_sees_leases(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 0, 1)
        frontier.lease(0.0)
    with SqliteFrontier(JobDatabase(path, read_only=True)) as reader:
        assert reader.look().counts()[State.PROCESSING] == 1
        push(reader, 5)
        with pytest.raises(StateError, match="readonly"):
            reader.commit()
    assert on_disk(path) == {"http://a/0": "waiting", "http://b/1": "processing"}


def test_a_reader_keeps_the_moment_it_opened_while_the_crawl_goes_on(path: Path) -> None:
    with SqliteFrontier(path) as frontier:
        push(frontier, 0)
        frontier.commit()
        with SqliteFrontier(JobDatabase(path, read_only=True)) as reader:
            push(frontier, 1)
            push(frontier, 0, value=9.0)
            frontier.commit()
            assert [(row.link.url, row.score) for row in reader.look().rows()] == [("http://a/0", 0.0)]
        assert len(on_disk(path)) == 2


def test_a_reader_needs_a_file(path: Path) -> None:
    with pytest.raises(StateError, match=path.name):
        SqliteFrontier(JobDatabase(path, read_only=True))
    assert not path.exists()


def test_a_folder_that_is_missing_ends_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"missing/frontier\.db") as raised:
        SqliteFrontier(tmp_path / "missing" / "frontier.db")
    assert "\n" not in str(raised.value)


def test_an_unfinished_creation_is_begun_again(path: Path) -> None:
    path.touch()
    with SqliteFrontier(path, Hosts()) as frontier:
        push(frontier, 1)
        assert numbers(frontier) == [1]


def test_a_clock_that_was_set_back_a_year_between_two_runs_holds_nothing_up(path: Path) -> None:
    year = 365 * 86_400.0
    frontier = SqliteFrontier(path)
    push(frontier, *range(30), now=2 * year)
    killed = [frontier.lease(2 * year) for _ in range(3)]
    frontier.commit()
    frontier.close(commit=False)  # what a kill does
    with SqliteFrontier(path) as again:
        found = []
        while (leased := again.lease(year)) is not None:
            found.append(int(leased.link.url.rpartition("/")[2]))
            again.end(leased.link.url, State.COMPLETED, "", year)
        assert sorted(found) == list(range(30))
        assert found[:3] == [int(one.link.url.rpartition("/")[2]) for one in killed if one is not None]
