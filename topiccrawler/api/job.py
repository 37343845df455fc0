"""A job as Python sees it: its pages while they come and afterwards, and the crawl behind it, when one runs."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from topiccrawler.api.arrivals import Arrivals
from topiccrawler.crawling.job_files import OUTPUT, VISITS
from topiccrawler.crawling.process import failure
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import ArgumentError, CrawlerError, StateError
from topiccrawler.model import Visit
from topiccrawler.results.job_pages import Reasons, job_pages, reasons_of
from topiccrawler.results.jobs import job_folder
from topiccrawler.results.search import Hit, search
from topiccrawler.results.selection import selection_of
from topiccrawler.results.summary import Summary, summary_of
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import read_visits

if TYPE_CHECKING:
    from pandas import DataFrame

POLL_SECONDS = 0.2
STOP_SECONDS = 60.0  # for what is under way to be read and kept


class Job:
    """One crawl's folder. `Job("data/finance-…")` opens it; `crawl` gives one whose crawl has just begun.

    As a context manager it stops its crawl at the end.
    """

    def __init__(
        self, folder: str | os.PathLike[str], process: subprocess.Popen[bytes] | None = None
    ) -> None:
        self._process = process
        self.folder = Path(folder) if process is not None else job_folder(os.fspath(folder), Path("data"))

    def __repr__(self) -> str:
        return f"Job({str(self.folder)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # The crawl

    @property
    def is_running(self) -> bool:
        """Whether its crawl runs: ours, or another process's that answers."""
        if self._process is not None:
            return self._process.poll() is None
        try:
            ask(self.folder, "status")
        except CrawlerError:
            return False
        return True

    def status(self) -> Mapping[str, Any]:
        """How the running crawl stands (docs/control.md). StateError when none runs, or it has not begun yet."""
        return ask(self.folder, "status")

    def pause(self) -> Mapping[str, Any]:
        """No request leaves from now on; the status."""
        return ask(self.folder, "pause", body={})

    def resume(self) -> Mapping[str, Any]:
        """Go on; the status."""
        return ask(self.folder, "resume", body={})

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """End the crawl as after Ctrl-C, and wait for its end (seconds); nothing when none runs."""
        if not self.is_running:
            return
        try:
            ask(self.folder, "stop", body={})
        except CrawlerError:  # it has not begun to listen, or is about to end
            if self._process is not None:
                self._process.terminate()
        deadline = time.monotonic() + timeout
        while self.is_running:
            if time.monotonic() > deadline:
                raise StateError(
                    f"job {self.folder}", f"has not stopped in {timeout:g} s", "wait, or kill its process"
                )
            time.sleep(POLL_SECONDS)

    async def stop_async(self, timeout: float = STOP_SECONDS) -> None:  # noqa: ASYNC109 of the crawl, not of this call
        """The same for an event loop, which is not held up; a task that is cancelled as it waits here still stops the crawl."""
        await asyncio.shield(asyncio.to_thread(self.stop, timeout))

    def wait(self, timeout: float | None = None) -> Self:
        """Until the crawl ends (seconds; None = however long). CrawlerError when it failed, TimeoutError when it still runs."""
        if self._process is not None:
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise TimeoutError(f"job {self.folder} still runs after {timeout:g} s") from None
            self._check_end()
            return self
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        while self.is_running:
            if time.monotonic() > deadline:
                raise TimeoutError(f"job {self.folder} still runs after {timeout:g} s")
            time.sleep(POLL_SECONDS)
        return self

    def _check_end(self) -> None:
        if self._process is not None and self._process.returncode:
            raise failure(f"job {self.folder}", self._process.returncode, self.folder / OUTPUT)

    # Its pages

    def pages(self) -> Iterator[PageRecord]:
        """The pages kept, in the order they came; while the crawl runs, each as it comes, until it ends.

        CrawlerError behind the last one when the crawl failed.
        """
        arrivals, is_last = Arrivals(self.folder), False
        while not is_last:
            is_last = not self.is_running  # asked before the look, which so sees what came in between
            while found := arrivals.new():
                yield from found
            if not is_last:
                time.sleep(POLL_SECONDS)
        self._check_end()

    async def pages_async(self) -> AsyncIterator[PageRecord]:
        """The same for an event loop, which is not held up."""
        arrivals, is_last = Arrivals(self.folder), False
        while not is_last:
            is_last = not await asyncio.to_thread(lambda: self.is_running)
            while found := await asyncio.to_thread(arrivals.new):
                for page in found:
                    yield page
            if not is_last:
                await asyncio.sleep(POLL_SECONDS)
        self._check_end()

    def best(self, limit: int | None = None, **conditions: Any) -> list[PageRecord]:
        """The most relevant pages. `conditions`: site, since (YYYY-MM-DD), min_relevance (0..1), kind, topic."""
        with job_pages(self.folder) as pages:
            return list(pages.best(selection_of(**conditions), limit))

    def page(self, url: str) -> PageRecord:
        """The page kept of this address; ArgumentError when there is none."""
        with job_pages(self.folder) as pages:
            return pages.get(url)

    def why(self, url: str) -> Reasons:
        """Why a page was kept: its words, the threshold, the path from the seed."""
        return reasons_of(self.folder, self.page(url))

    def search(self, words: str, limit: int = 20, **conditions: Any) -> list[Hit]:
        """Full-text search, as `scrapy search`; `conditions` as those of `best`."""
        return search([self.folder], words, selection_of(**conditions), limit)

    def visits(self) -> Iterator[Visit]:
        """The crawl log: every URL that was fetched, in order."""
        log = self.folder / VISITS
        return iter(read_visits(log) if log.is_file() else ())

    def summary(self) -> Summary:
        """Harvest curve, sites, and what was not kept and why."""
        return summary_of(self.folder)

    def dataframe(self) -> DataFrame:
        """The pages as a pandas DataFrame, the most relevant first. Needs pandas."""
        try:
            from topiccrawler.api.frame import frame_of
        except ImportError:
            raise ArgumentError(
                "Job.dataframe()", "pandas is missing", "install it: pip install pandas"
            ) from None
        return frame_of(self.best())
