"""The Python API: starts a crawl in a process of its own, and gives access to the job it writes.

The conflict: Twisted's reactor runs once in a process and needs the main thread, which in a notebook or a service belongs to another event
loop. So a crawl is the command `scrapy crawl topic` in a subprocess; its results are read from its files while it runs.

`crawl` starts that command and returns a `Job` at once.

`Job` is the folder of one crawl: its pages, during the crawl and afterwards, and control of the crawl while it runs.

`arrived` reads the newly stored pages of a job while the crawl writes more of them.

`frame_of` converts pages to a pandas DataFrame.
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

from topiccrawler.crawling.job_files import OUTPUT
from topiccrawler.crawling.launching import failure, job_line, start_scrapy
from topiccrawler.crawling.page_stores import open_pages, stored_in, visits_of
from topiccrawler.crawling.recipe import parse_arguments
from topiccrawler.crawling.teaching import known_answers, lessons_of
from topiccrawler.engine.control.client import ask
from topiccrawler.errors import ArgumentError, CrawlerError, StateError, file_faults
from topiccrawler.files import user_path
from topiccrawler.job_database import JOB_DATABASE, is_begun
from topiccrawler.model import Visit
from topiccrawler.results.corpus import WHOLE, Shape
from topiccrawler.results.exports import Wanted, export, format_of
from topiccrawler.results.job_pages import SHOWN, Judged, Reasons, first_look, job_pages, reasons_of
from topiccrawler.results.jobs import job_folder, selection_of
from topiccrawler.results.search import Hit, MediaHit, search, search_media
from topiccrawler.results.summary import Summary, summary_of
from topiccrawler.store.pages import PageRecord
from topiccrawler.topics.catalogue import load_topics

BATCH = 100  # pages read at a time


def arrived(folder: Path, last: int) -> list[tuple[int, PageRecord]]:
    """The next pages kept after the row number `last`, each with its own row number: at most BATCH. Empty when there are no more yet, or
    the crawl has not begun to write. Each call opens the file anew, so calls may come from different threads, one at a time. StateError
    for a file that cannot be read."""
    if not is_begun(folder / JOB_DATABASE) and stored_in(folder) is None:
        return []
    with closing(open_pages(folder)) as store:
        return store.after(last, BATCH)


TIMES = ("fetched",)  # seconds since the epoch


def frame_of(records: Sequence[PageRecord]) -> DataFrame:
    """A DataFrame with one row per page and one column per field of PageRecord; `fetched` is a time in UTC."""
    import pandas as pd

    columns = [field.name for field in fields(PageRecord)]
    frame = pd.DataFrame([asdict(record) for record in records], columns=columns)
    for name in TIMES:
        frame[name] = pd.to_datetime(frame[name], unit="s", utc=True)
    return frame


if TYPE_CHECKING:
    from pandas import DataFrame

POLL_SECONDS = 0.2
STOP_SECONDS = 60.0  # time to read and store the pages under way


class Job:
    """The folder of one crawl. `Job("data/finance-…")` opens an existing one; `crawl` returns one whose crawl has just begun.

    As a context manager it stops a running crawl on exit.
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
        """Whether a crawl of this job runs: the subprocess that `crawl` started, or any process that answers control requests."""
        if self._process is not None:
            return self._process.poll() is None
        try:
            ask(self.folder, "status")
        except CrawlerError:
            return False
        return True

    def status(self) -> Mapping[str, Any]:
        """The status of the running crawl (docs/control.md). StateError when none runs, or it does not answer requests yet."""
        return self._ask("status")

    def pause(self) -> Mapping[str, Any]:
        """Stop sending requests until `resume`, and return the status."""
        return self._ask("pause", {})

    def resume(self) -> Mapping[str, Any]:
        """Resume a paused crawl, and return the status."""
        return self._ask("resume", {})

    def _ask(self, verb: str, body: Mapping[str, object] | None = None) -> Mapping[str, Any]:
        found: Mapping[str, Any] = ask(self.folder, verb, body=body)
        return found

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """End the crawl as Ctrl-C does, and wait up to `timeout` seconds for its end. No effect when none runs; StateError when it still
        runs after that time."""
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
        """Stop the crawl as `stop` does, without blocking the event loop. A task that is cancelled while it waits here still stops the
        crawl."""
        await asyncio.shield(asyncio.to_thread(self.stop, timeout))

    def wait(self, timeout: float | None = None) -> Self:
        """Wait up to `timeout` seconds (None = without limit) for the end of the crawl. CrawlerError when it failed, TimeoutError when it
        still runs."""
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
        """Yield the kept pages in the order they were stored. While the crawl runs, yield new pages as they are stored, until it ends.

        CrawlerError after the last page when the crawl failed.
        """
        last, is_last = 0, False
        while not is_last:
            is_last = not self.is_running  # before reading, so that pages stored in between are read too
            while found := arrived(self.folder, last):
                for last, page in found:  # noqa: B007 where the next look begins
                    yield page
            if not is_last:
                time.sleep(POLL_SECONDS)
        self._check_end()

    async def pages_async(self) -> AsyncIterator[PageRecord]:
        """Yield the kept pages as `pages` does, without blocking the event loop."""
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
        """The kept pages that meet the conditions, the most relevant first; at most `limit` of them (None = all).

        `conditions`: site, since (YYYY-MM-DD), min_relevance (0..1), file_type (html, pdf …), kind (article, list, stub; several separated
        by commas), language (zh, zh-Hant, ja …; several separated by commas), usage (train-ai … that a page must not refuse, train-ai=y that
        it must allow), topic.
        """
        with job_pages(self.folder) as pages:
            return list(pages.best(selection_of(**conditions), limit))

    def page(self, url: str) -> PageRecord:
        """The kept page at this URL; ArgumentError when there is none."""
        with job_pages(self.folder) as pages:
            return pages.get(url)

    def why(self, url: str) -> Reasons:
        """Why a page was kept: the words that decided, the page threshold, and the path of links from the seed."""
        return reasons_of(self.folder, self.page(url))

    def search(self, words: str, limit: int = 20, **conditions: Any) -> list[Hit]:
        """Search the full text of the kept pages, as `scrapy search` does. `conditions`: as for `best`."""
        return search([self.folder], words, selection_of(**conditions), limit)

    def search_media(self, words: str, limit: int = 20, **conditions: Any) -> list[MediaHit]:
        """Search the pictures and files to which kept pages link, by anchor, alt text and caption. `conditions`: as for `best`."""
        return search_media([self.folder], words, selection_of(**conditions), limit)

    def visits(self) -> Iterator[Visit]:
        """The crawl log: one record for each fetched URL, in the order of fetching."""
        return visits_of(self.folder)

    def summary(self) -> Summary:
        """A summary of the crawl: harvest curve, sites, and which pages were not kept and why."""
        return summary_of(self.folder)

    def progress(self, seconds: float = 1.0) -> Iterator[Summary]:
        """Yield the summary every `seconds` while the crawl runs, and once after its end. CrawlerError after that when the crawl failed."""
        while self.is_running:
            yield self.summary()
            time.sleep(seconds)
        yield self.summary()
        self._check_end()

    def uncertain(self, limit: int = SHOWN) -> list[Judged]:
        """The pages nearest to the page threshold, kept or discarded, the most relevant first. A person's answers about these pages teach
        the topic most."""
        return [*first_look(self.folder, count=limit).uncertain]

    def teach(self, answers: Mapping[str, bool]) -> list[str]:
        """Retrain the topic with a person's answers by URL (True: the page is on topic), and return the words that were added, removed or
        given another weight. The next `crawl` of this job uses the new topic. No crawl of the job may be running. ArgumentError for URLs
        whose text the job does not have."""
        lessons = lessons_of(self.folder)
        known, before = known_answers(lessons, answers), lessons.topic.keywords
        lessons.teach(known)
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
        redact: bool = False,
        shape: Shape = WHOLE,
        **conditions: Any,
    ) -> list[str]:
        """Write the kept pages to a file, as `scrapy pages JOB export` does, and return the lines that the command prints.

        `form`: one of the command's formats; None = by the file's extension. `redact`: personal data become placeholders. `shape`: shards and compression of a corpus. `conditions`: as
        for `best`; without a kind, a corpus has articles only, and without a usage none that refuse train-ai.
        """
        wanted = Wanted(
            selection=selection_of(**conditions), limit=limit, with_text=with_text, markdown=markdown, links=links,
            shape=shape, redact=redact,
        )  # fmt: skip
        path = user_path(place)
        with job_pages(self.folder) as pages:
            return export(pages, format_of(form, str(path)), path, wanted)

    def dataframe(self) -> DataFrame:
        """The kept pages as a pandas DataFrame, the most relevant first. ArgumentError when pandas is not installed."""
        try:
            return frame_of(self.best())
        except ImportError:
            raise ArgumentError(
                "Job.dataframe()", "pandas is missing", "install it: pip install pandas"
            ) from None


STRATEGY = "adaptive"
# setting -> the parameter of `crawl` that sets it
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
    """Start `scrapy crawl topic` in a process of its own, and return its job at once.

    `topic`: the name of a topic or a topic file; without one, a topic is made from `keywords`. `seeds`: URLs, or a file of URLs.
    `pages`, `targets`, `until`: when the crawl stops. `arguments`: the command's other arguments (crawling.recipe), lists as Python lists.
    `settings`: Scrapy settings, as with `-s`; None = the default.
    `data`, `name`: the job's folder is data/name; an existing job of that name is resumed. The default name is made of topic and time.

    ArgumentError for invalid arguments, TopicError for an unknown topic. Errors that only the crawl can find are raised by `Job.wait` and
    `Job.pages`.
    """
    given: dict[str, object] = {"topic": topic, "keywords": keywords, "seeds": seeds, **arguments}
    given |= {"pages": pages, "targets": targets, "until": until}
    words = {key: text for key, value in given.items() if value is not None and (text := _written(value))}
    params = parse_arguments(words, topic=None, strategy=STRATEGY)
    if params.topic:
        load_topics(params.topic)
    options = _checked(settings or {})
    folder = user_path(data) / (name or f"{Path(topic).stem or 'keywords'}-{datetime.now():%Y%m%d-%H%M%S-%f}")  # noqa: DTZ005 local time is what a person looks for
    if folder.name != (name or folder.name) or folder.name in {"", ".", ".."}:
        raise ArgumentError(
            f"name={name!r}", "is no plain folder name", "use letters, digits and dashes; data=FOLDER"
        )
    line = job_line(
        words, {key: _written(value) for key, value in options.items() if value is not None}, folder
    )
    with file_faults(StateError, f"folder {folder}", "cannot be written", _REMEDY):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / OUTPUT).open("ab") as log:
            return Job(folder, start_scrapy(line, log, os.environ))


def _written(value: object) -> str:
    """A value in the spelling of the command line."""
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
