"""Starts a crawl from Python, in a process of its own.

The conflict: Twisted's reactor runs once in a process and wants the main thread, which in a notebook or a service belongs to another loop.
So the crawl is the very command `scrapy crawl topic`; what it finds is read from its files while it runs.

The pages of a job as they come, read beside the crawl that writes them.

Pages as a pandas DataFrame.

A job as Python sees it: its pages while they come and afterwards, and the crawl behind it, when one runs.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from topiccrawler.crawling.job_files import OUTPUT, PAGES, VISITS
from topiccrawler.crawling.launching import failure, job_line, start_scrapy
from topiccrawler.crawling.page_stores import open_pages, stored_in
from topiccrawler.crawling.recipe import parse_arguments
from topiccrawler.crawling.teaching import lessons_of
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import ArgumentError, CrawlerError, StateError, file_faults
from topiccrawler.files import user_path
from topiccrawler.model import Visit
from topiccrawler.results.corpus import WHOLE, Shape
from topiccrawler.results.exports import Wanted, export, format_of
from topiccrawler.results.job_pages import SHOWN, Judged, Reasons, first_look, job_pages, reasons_of
from topiccrawler.results.jobs import job_folder, selection_of
from topiccrawler.results.search import Hit, search
from topiccrawler.results.summary import Summary, summary_of
from topiccrawler.store.pages import PageRecord, PageStore
from topiccrawler.store.visits import read_visits
from topiccrawler.topics.catalogue import load_topics

BATCH = 100  # pages read at a time


def arrived(folder: Path, last: int) -> list[tuple[int, PageRecord]]:
    """Some of the pages kept behind a row, with theirs; none when there are no more, or the crawl has not begun to write. Each look opens
    the file anew: looks may come from several threads, one after the other. StateError for a file that cannot be read."""
    if not PageStore.is_begun(folder / PAGES) and stored_in(folder) is None:
        return []
    with closing(open_pages(folder)) as store:
        return store.after(last, BATCH)


TIMES = ("fetched",)  # seconds since the epoch


def frame_of(records: Sequence[PageRecord]) -> DataFrame:
    """One row a page, one column a field; `fetched` as a time in UTC."""
    import pandas as pd

    columns = [field.name for field in fields(PageRecord)]
    frame = pd.DataFrame([asdict(record) for record in records], columns=columns)
    for name in TIMES:
        frame[name] = pd.to_datetime(frame[name], unit="s", utc=True)
    return frame


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
        return self._ask("status")

    def pause(self) -> Mapping[str, Any]:
        """No request leaves from now on; the status."""
        return self._ask("pause", {})

    def resume(self) -> Mapping[str, Any]:
        """Go on; the status."""
        return self._ask("resume", {})

    def _ask(self, verb: str, body: Mapping[str, object] | None = None) -> Mapping[str, Any]:
        found: Mapping[str, Any] = ask(self.folder, verb, body=body)
        return found

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """End the crawl as after Ctrl-C, and wait for its end (seconds); nothing when none runs."""
        if not self.is_running:
            return
        try:
            ask(self.folder, "stop", body={})
        except CrawlerError:  # it has not begun to listen, or is about to end
            if self._process is not None:
                self._process.terminate()
        if not self._ends_in(timeout):
            fault = f"has not stopped in {timeout:g} s"
            raise StateError(f"job {self.folder}", fault, "wait, or kill its process")

    async def stop_async(self, timeout: float = STOP_SECONDS) -> None:  # noqa: ASYNC109 of the crawl, not of this call
        """The same for an event loop, which is not held up; a task that is cancelled as it waits here still stops the crawl."""
        await asyncio.shield(asyncio.to_thread(self.stop, timeout))

    def wait(self, timeout: float | None = None) -> Self:
        """Until the crawl ends (seconds; None = however long). CrawlerError when it failed, TimeoutError when it still runs."""
        if not self._ends_in(timeout):
            raise TimeoutError(f"job {self.folder} still runs after {timeout:g} s")
        self._check_end()
        return self

    def _ends_in(self, timeout: float | None) -> bool:
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        while self.is_running:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _check_end(self) -> None:
        if self._process is not None and self._process.returncode:
            raise failure(f"job {self.folder}", self._process.returncode, self.folder / OUTPUT)

    # Its pages

    def pages(self) -> Iterator[PageRecord]:
        """The pages kept, in the order they came; while the crawl runs, each as it comes, until it ends.

        CrawlerError behind the last one when the crawl failed.
        """
        last, is_last = 0, False
        while not is_last:
            is_last = not self.is_running  # asked before the look, which so sees what came in between
            while found := arrived(self.folder, last):
                for last, page in found:  # noqa: B007 where the next look begins
                    yield page
            if not is_last:
                time.sleep(POLL_SECONDS)
        self._check_end()

    async def pages_async(self) -> AsyncIterator[PageRecord]:
        """The same for an event loop, which is not held up."""
        last, is_last = 0, False
        while not is_last:
            is_last = not await asyncio.to_thread(lambda: self.is_running)
            while found := await asyncio.to_thread(arrived, self.folder, last):
                for last, page in found:  # noqa: B007
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

    def progress(self, seconds: float = 1.0) -> Iterator[Summary]:
        """The summary every so many seconds while the crawl runs, and once behind its end. CrawlerError behind that when it failed."""
        while self.is_running:
            yield self.summary()
            time.sleep(seconds)
        yield self.summary()
        self._check_end()

    def border(self, limit: int = SHOWN) -> list[Judged]:
        """The pages nearest to the page threshold, kept and not kept, the most relevant first: those worth an answer."""
        return [*first_look(self.folder, count=limit).border]

    def teach(self, answers: Mapping[str, bool]) -> list[str]:
        """Let the topic learn from answers by URL (True: the page is about it); the words that are new, gone or weigh something else. The
        next `crawl` of this job goes on with it. ArgumentError for URLs of which the job has no text; no crawl may be running."""
        lessons = lessons_of(self.folder)
        unknown = set(answers) - {record.url for record in lessons.records}
        if unknown or not answers:
            fault = f"{len(unknown)} are about pages the job has no text of" if unknown else "there are none"
            raise ArgumentError("answers", fault, "answer about pages of Job.border()")
        before = lessons.topic.keywords
        lessons.teach(answers)
        now = lessons.topic.keywords
        return [word for word in {**now, **before} if before.get(word) != now.get(word)]

    def export(
        self,
        place: str | os.PathLike[str],
        form: str | None = None,
        *,
        limit: int | None = None,
        with_text: bool = False,
        markdown: bool = False,
        links: bool = False,
        shape: Shape = WHOLE,
        **conditions: Any,
    ) -> list[str]:
        """Write the pages as `scrapy pages JOB export` does; its lines. `form`: of its formats, else as the file's name ends. `shape`: of a corpus.
        `conditions` as those of `best`."""
        wanted = Wanted(
            selection=selection_of(**conditions), limit=limit, with_text=with_text, markdown=markdown, links=links,
            shape=shape,
        )  # fmt: skip
        path = user_path(place)
        with job_pages(self.folder) as pages:
            return export(pages, format_of(form, str(path)), path, wanted)

    def dataframe(self) -> DataFrame:
        """The pages as a pandas DataFrame, the most relevant first. Needs pandas."""
        try:
            return frame_of(self.best())
        except ImportError:
            raise ArgumentError(
                "Job.dataframe()", "pandas is missing", "install it: pip install pandas"
            ) from None


STRATEGY = "adaptive"
# -> the parameter that says it
_OWN_SETTINGS = {"TOPIC_JOB": "name", "TOPIC_DATA_DIR": "data", "JOBDIR": "name"}
_REMEDY = "name another folder: data=FOLDER"

Value = str | int | float | bool | Iterable[str]


def crawl(
    topic: str = "",
    *,
    keywords: str | Iterable[str] = (),
    seeds: str | Iterable[str] = (),
    pages: int | None = None,
    targets: int | None = None,
    until: float | None = None,
    data: str | os.PathLike[str] = "data",
    name: str = "",
    settings: Mapping[str, object] | None = None,
    **arguments: Value,
) -> Job:
    """Start `scrapy crawl topic`, and return at once.

    `topic`: a name or a topic file; without one `keywords` make a topic. `seeds`: URLs or a file. `pages`, `targets`, `until`: when to stop.
    `arguments`: the command's other arguments (crawling.recipe), lists as lists. `settings`: what `-s` would give.
    `data`, `name`: the job's folder is data/name; a job of that name goes on. Without a name it gets topic and time.
    ArgumentError for arguments that cannot be meant, TopicError for a topic that there is none of; what only the crawl can find wrong is raised by `Job.wait` and `Job.pages`.
    """
    given: dict[str, object] = {"topic": topic, "keywords": keywords, "seeds": seeds, **arguments}
    given |= {"pages": pages, "targets": targets, "until": until}
    words = {key: _written(value) for key, value in given.items() if value not in (None, "", (), [])}
    params = parse_arguments(words, topic=None, strategy=STRATEGY)
    if params.topic:
        load_topics(params.topic)
    options = _checked(settings or {})
    folder = user_path(data) / (name or f"{Path(topic).stem or 'keywords'}-{datetime.now():%Y%m%d-%H%M%S-%f}")  # noqa: DTZ005 local time is what a person looks for
    if folder.name != (name or folder.name) or folder.name in {"", ".", ".."}:
        raise ArgumentError(
            f"name={name!r}", "is no plain folder name", "use letters, digits and dashes; data=FOLDER"
        )
    line = job_line(words, {key: _written(value) for key, value in options.items()}, folder)
    with file_faults(StateError, f"folder {folder}", "cannot be written", _REMEDY):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / OUTPUT).open("ab") as log:
            return Job(folder, start_scrapy(line, log, os.environ))


def _written(value: object) -> str:
    """A value as the command line has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return ",".join(str(part) for part in value)
    return str(value)


def _checked(settings: Mapping[str, object]) -> dict[str, object]:
    for setting, parameter in _OWN_SETTINGS.items():
        if setting in settings:
            raise ArgumentError(
                f"settings: {setting}", "is said by a parameter", f"give {parameter}= in its place"
            )
    return {"LOG_LEVEL": "INFO", **settings}
