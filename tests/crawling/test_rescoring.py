from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from topiccrawler.crawling.rescoring import Rescoring
from topiccrawler.frontier.base import Frontier, State
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link, Score

URLS = [f"http://a.cn/{number}" for number in range(10)]


@pytest.fixture(params=["memory", "sqlite"])
def frontier(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Frontier]:
    made: Frontier = MemoryFrontier() if request.param == "memory" else SqliteFrontier(tmp_path / "f.sqlite")
    made.push([(Link(url, "a.cn"), Score(url, -float(n))) for n, url in enumerate(URLS)], now=0.0)
    yield made
    made.close()


def turned(queued: Iterable[Link]) -> Iterator[Score]:
    """The last shall be first."""
    return (Score(link.url, float(URLS.index(link.url))) for link in queued)


def scores(frontier: Frontier) -> list[float]:
    return [row.score for row in frontier.look().rows()]


def drain(frontier: Frontier) -> list[int]:
    order = []
    while (leased := frontier.lease(0.0)) is not None:
        order.append(URLS.index(leased.link.url))
        frontier.end(leased.link.url, State.COMPLETED, "", 0.0)
    return order


def test_each_step_scores_a_slice_of_the_queue_and_applies_it_at_once(frontier: Frontier) -> None:
    rescoring = Rescoring(frontier, slice_urls=4)
    rescoring.begin(turned)
    assert [rescoring.step(), rescoring.running] == [4, True]
    assert scores(frontier) == [0, 1, 2, 3, -4, -5, -6, -7, -8, -9]
    assert rescoring.place == URLS[3]
    assert [rescoring.step(), rescoring.step(), rescoring.running] == [4, 2, False]
    assert rescoring.place is None
    assert rescoring.step() == 0
    assert (rescoring.slices, rescoring.changed) == (3, 9)
    assert drain(frontier) == list(range(9, -1, -1))


def test_it_goes_on_behind_the_url_it_had_reached_though_that_one_is_fetched_by_now(
    frontier: Frontier,
) -> None:
    first = Rescoring(frontier, slice_urls=4)
    first.begin(turned)
    first.step()
    place = first.place
    assert place == URLS[3]
    leased = frontier.lease(0.0)
    assert leased is not None
    assert leased.link.url == URLS[3]
    seen: list[str] = []

    def spy(queued: Iterable[Link]) -> Iterator[Score]:
        for link in queued:
            seen.append(link.url)
            yield Score(link.url, 50.0)

    second = Rescoring(frontier, slice_urls=100)
    second.begin(spy, place)
    assert second.step() == 6
    assert seen == URLS[4:]


def test_links_the_strategy_leaves_out_do_not_matter_and_another_order_is_counted(frontier: Frontier) -> None:
    rescoring = Rescoring(frontier, slice_urls=2)
    rescoring.begin(lambda queued: (Score(link.url, 1.0) for link in queued if link.url[-1] in "1357"))
    rescoring.step()
    assert rescoring.place == URLS[3]

    def backwards(queued: Iterable[Link]) -> Iterator[Score]:
        return (Score(link.url, 1.0) for link in sorted(queued, key=lambda link: -int(link.url[-1])))

    rescoring.begin(backwards)
    rescoring.step()
    assert rescoring.place == "#2"
    resumed = Rescoring(frontier, slice_urls=100)
    resumed.begin(backwards, "#2")
    assert resumed.step() == len(URLS) - 2
