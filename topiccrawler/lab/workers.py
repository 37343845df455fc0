"""Runs tasks in parallel processes that share nothing; with one job, in the calling process.

Forked processes inherit locks and open files, and a killed parent must not leave working children behind. So each worker is
spawned, receives and returns plain values, and ends when its parent does.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Self, TypeVar

from topiccrawler.errors import CrawlerError
from topiccrawler.text.engines import choice
from topiccrawler.text.segmenter import choose_engine

Task = TypeVar("Task")
Result = TypeVar("Result")


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """A pool of worker processes: `with Workers(2) as workers: for result in workers.run(function, tasks): …`"""

    def __init__(self, jobs: int) -> None:
        fresh = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(jobs, fresh, _begin, (choice(),)) if jobs > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *failure: object) -> None:
        if self._pool is None:
            return
        if kind is not None:
            for process in multiprocessing.active_children():
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
        """The result of each task, in order. `function` must be a module-level function."""
        try:
            yield from map(function, tasks) if self._pool is None else self._pool.map(function, tasks)
        except BrokenProcessPool:
            fault = "was killed, perhaps for want of memory"
            raise CrawlerError("a worker process", fault, "try again with --jobs 1") from None


def _begin(engine: str) -> None:
    """Use the parent's segmentation engine, and end when the parent does."""
    choose_engine(engine)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
