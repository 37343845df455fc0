import pytest

from topiccrawler.crawling.fetch import Fetch
from topiccrawler.engine.leases import Lease, Leases
from topiccrawler.frontier.base import Leased, State
from topiccrawler.model import Link

LEASED = Leased(Link("http://a.example/", "a.example"), 0.5, 0.0, 0, b"", 600.0)


class Ends(list[tuple[int, State, str]]):
    """The ends in the order they came."""

    def __call__(self, lease: Lease, state: State, reason: str) -> None:
        self.append((lease.number, state, reason))


@pytest.fixture
def ends() -> Ends:
    return Ends()


def test_a_lease_ends_only_when_the_callback_is_done_and_every_item_is_settled(ends: Ends) -> None:
    leases = Leases(ends)
    lease = leases.begin(Fetch(LEASED))
    lease.items = 2
    leases.item_settled(lease, kept=True)
    leases.iterated(lease)
    assert ends == []
    leases.item_settled(lease, drop_reason="off topic")
    assert ends == [(1, State.COMPLETED, "kept")]
    assert len(leases) == 0


@pytest.mark.parametrize(
    ("kept", "drop_reason", "error", "end"),
    [
        (True, "", "", (1, State.COMPLETED, "kept")),
        (False, "off topic", "", (1, State.DISCARDED, "off topic")),
        (False, "", "pipeline: OSError", (1, State.ERROR, "pipeline: OSError")),
    ],
)
def test_the_item_decides_how_it_ends(
    ends: Ends, kept: bool, drop_reason: str, error: str, end: tuple[int, State, str]
) -> None:
    leases = Leases(ends)
    lease = leases.begin(Fetch(LEASED))
    lease.items = 1
    leases.iterated(lease)
    leases.item_settled(lease, kept=kept, drop_reason=drop_reason, error=error)
    assert ends == [end]


def test_a_callback_that_raises_after_an_item_is_an_error_once_the_item_is_settled(ends: Ends) -> None:
    leases = Leases(ends)
    lease = leases.begin(Fetch(LEASED))
    lease.items = 1
    leases.broke(lease, "callback: ValueError")
    assert ends == []
    leases.item_settled(lease, kept=True)
    leases.broke(lease, "callback: ValueError")
    assert ends == [(1, State.ERROR, "callback: ValueError")]


def test_the_sweep_ends_what_the_engine_misses_twice_and_long_enough(ends: Ends) -> None:
    leases = Leases(ends)
    known, lost = leases.begin(Fetch(LEASED)), leases.begin(Fetch(LEASED))
    assert leases.sweep([known.number], now=100.0, patience_seconds=10.0) == 0
    assert leases.sweep([known.number], now=105.0, patience_seconds=10.0) == 0
    assert leases.sweep([known.number, lost.number], now=108.0, patience_seconds=10.0) == 0
    assert leases.sweep([known.number], now=110.0, patience_seconds=10.0) == 0
    assert leases.sweep([known.number], now=120.0, patience_seconds=10.0) == 1
    assert [ended[:2] for ended in ends] == [(2, State.DISCARDED)]


def test_what_is_open_at_the_end_is_given_back_and_ends_no_more(ends: Ends) -> None:
    leases = Leases(ends)
    lease = leases.begin(Fetch(LEASED))
    assert leases.drop_all() == [lease]
    leases.iterated(lease)
    assert (ends, leases.get(1), leases.get("1")) == ([], None, None)


def test_a_postponed_lease_returns_to_the_queue_and_does_not_end(ends: Ends) -> None:
    returned: list[int] = []
    leases = Leases(ends, lambda lease: returned.append(lease.number))
    lease = leases.begin(Fetch(LEASED))
    leases.postpone(lease)
    leases.postpone(lease)
    leases.iterated(lease)
    assert (returned, ends, len(leases)) == ([1], [], 0)
