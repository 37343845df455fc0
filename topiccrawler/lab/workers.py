"""Runs tasks in parallel processes that share nothing; with one job, in the calling process.

Forked processes inherit locks and open files, and a killed parent must not leave working children behind. So each worker is
spawned, receives and returns plain values, and ends when its parent does.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
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
    """A pool of worker processes: `with Workers(2) as workers: for number, result in workers.run(function, tasks): …`"""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.jobs > 1:
            fresh = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, fresh, initializer=_begin, initargs=(choice(),))
        return self

    def __exit__(self, kind: type[BaseException] | None, *failure: object) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        if kind is not None:
            for process in multiprocessing.active_children():
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[tuple[int, Result]]:
        """The number and the result of each task, in the order in which they end. `function` must be a module-level function."""
        if self._pool is None:
            for number, task in enumerate(tasks):
                yield number, function(task)
            return
        numbers = {self._pool.submit(function, task): number for number, task in enumerate(tasks)}
        try:
            for done in as_completed(numbers):
                yield numbers.pop(done), done.result()
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
