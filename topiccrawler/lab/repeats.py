"""Runs each strategy of a comparison the configured number of times.

With more than one repeat, every strategy runs with a second random seed. A strategy that then crawls in the same order is deterministic
and is not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from topiccrawler.lab.replayed import Crawled, Run

Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
# executes runs in any order; yields the number and the result of each
Do = Callable[[Sequence[Run]], Iterable[tuple[int, Crawled]]]


def run_repeats(runs: Sequence[Run], repeat: int, do: Do, bar: Bar, *, always: bool) -> list[list[Crawled]]:
    """For each run its crawls with the random seeds 0, 1, …; `always`: repeat deterministic runs too (live crawls always differ)."""
    crawls = _repeat(runs, [0], do, bar)
    if repeat > 1:
        for first, second in zip(crawls, _repeat(runs, [1], do, bar), strict=True):
            if always or second[0].order != first[0].order:
                first.extend(second)
    if repeat > 2:
        again = [number for number, found in enumerate(crawls) if len(found) > 1]
        more = _repeat([runs[number] for number in again], range(2, repeat), do, bar)
        for number, found in zip(again, more, strict=True):
            crawls[number].extend(found)
    return crawls


def _repeat(runs: Sequence[Run], seeds: Sequence[int], do: Do, bar: Bar) -> list[list[Crawled]]:
    """For each run its crawls with these random seeds."""
    todo = [replace(run, seed=seed) for run in runs for seed in seeds]
    done: dict[int, Crawled] = {}
    with bar("crawling", len(todo)) as tick:
        for number, crawled in do(todo):
            done[number] = crawled
            tick(1)
    ordered = [done[number] for number in range(len(todo))]
    return [ordered[at : at + len(seeds)] for at in range(0, len(ordered), len(seeds))]
