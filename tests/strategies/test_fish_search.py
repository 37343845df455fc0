"""Fish search: what makes a school die."""

from topiccrawler.model import Link, Page, Via
from topiccrawler.strategies.shark_search import FishSearch

LINKS = [Link(f"http://{n}.example/", f"{n}.example") for n in range(5)]


def page(*, target: bool, depth_left: float, seconds: float = 0.0) -> Page:
    came = Via(Link("http://p.example/", "p.example"), carry=depth_left)
    return Page("http://p.example/", 1, is_target=target, seconds=seconds, via=came)


def scored(strategy: FishSearch, read: Page) -> list[tuple[float, float]]:
    return [(score.value, score.carry) for score in strategy.visit(read, LINKS)]


def test_a_relevant_page_feeds_a_times_width_links_to_the_full_depth() -> None:
    assert (
        scored(FishSearch(width=2, depth=3), page(target=True, depth_left=1)) == [(2, 3)] * 3 + [(0, 3)] * 2
    )


def test_another_page_feeds_width_links_less_deep_and_its_last_depth_none() -> None:
    assert scored(FishSearch(width=2), page(target=False, depth_left=3)) == [(0.5, 2)] * 2 + [(0, 2)] * 3
    assert scored(FishSearch(width=2), page(target=False, depth_left=1)) == []


def test_a_slow_server_is_polluted_water() -> None:
    strategy = FishSearch(slow_seconds=10.0)
    assert scored(strategy, page(target=True, depth_left=3, seconds=10.5)) == []
    assert len(scored(strategy, page(target=True, depth_left=3, seconds=10.0))) == 5
