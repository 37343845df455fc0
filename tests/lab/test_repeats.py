"""How often each strategy of a comparison runs."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from topiccrawler.crawling.recipe import Recipe
from topiccrawler.lab.runner import Crawled, Run, run_repeats

FAIR = Run(Recipe("tea", prune=False), "fair", (0,), 5, Path("parsed-pages"))
LUCKY = Run(Recipe("tea", prune=False), "lucky", (0,), 5, Path("parsed-pages"))


class Log:
    """`lucky` depends on its seed."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int]] = []
        self.bars: list[tuple[str, int, int]] = []

    def do(self, runs: Sequence[Run]) -> Iterator[Crawled]:
        for run in runs:
            self.done.append((run.spec, run.seed))
            yield Crawled([run.seed if run.spec == "lucky" else 7])

    @contextlib.contextmanager
    def bar(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        steps: list[int] = []
        yield steps.append
        self.bars.append((what, total, sum(steps)))


def orders(found: list[list[Crawled]]) -> list[list[list[int]]]:
    return [[crawled.order for crawled in crawls] for crawls in found]


def test_a_strategy_that_crawls_the_same_with_another_seed_is_done() -> None:
    log = Log()
    found = run_repeats([FAIR, LUCKY], 4, log.do, log.bar, always=False)
    assert orders(found) == [[[7]], [[0], [1], [2], [3]]]
    assert log.done.count(("fair", 2)) == 0
    assert log.bars == [("crawling", 2, 2), ("crawling", 2, 2), ("crawling", 2, 2)]


def test_live_crawls_are_always_repeated() -> None:
    log = Log()
    assert orders(run_repeats([FAIR], 3, log.do, log.bar, always=True)) == [[[7], [7], [7]]]
