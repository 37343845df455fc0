"""Finds the jobs of a data folder, their states and their files for the dashboard, and caches what is slow to read.

`breadth_first` reads the harvest rate of a breadth-first crawl of the same topic from a `result.json` that `scrapy compare` has written to
the data folder.

`Job` caches the results of reading one job's files; slow reads run in a thread pool while a page is served.

`Jobs` lists the jobs and keeps the latest ones in memory.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from os.path import isfile
from pathlib import Path
from subprocess import Popen
from threading import Lock
from typing import Any, TypeVar, cast

from topiccrawler.crawling.job_files import JOB, OUTPUT, STATS, read_recipe
from topiccrawler.crawling.page_stores import homes_of, refused_in
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.engine.control.client import FILE as CONTROL
from topiccrawler.engine.control.client import ask, is_listening
from topiccrawler.errors import ArgumentError, CrawlerError
from topiccrawler.frontier.stored_queue import Outcome, is_made
from topiccrawler.job_database import JOB_DATABASE
from topiccrawler.results.jobs import JobLog, begun, is_job
from topiccrawler.results.last_run import LastRun, last_run
from topiccrawler.results.summary import outcomes_of, parts_by, report_in

STRATEGY = "breadth_first"
_PLACES = ("*/result.json", "*/*/result.json")
_MOST_BYTES = 5_000_000


def breadth_first(data: Path, topic: str) -> list[tuple[int, float]]:
    """Pages fetched and harvest rate, 0..1, of breadth-first in the newest comparison of a topic; empty if there is none."""
    found: list[tuple[float, list[tuple[int, float]]]] = []
    for path in chain.from_iterable(data.glob(place) for place in _PLACES):
        try:
            about = path.stat()
            if about.st_size > _MOST_BYTES:
                continue
            result = json.loads(path.read_text(encoding="utf-8"))
            if result["topic"] != topic:
                continue
            rates = result["strategies"][STRATEGY]["harvest_rate"]
            found.append((about.st_mtime, sorted((int(pages), float(rate)) for pages, rate in rates.items())))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue  # a result.json of another program
    return max(found, default=(0.0, []))[1]


def rate_at(curve: list[tuple[int, float]], pages: int) -> tuple[int, float] | None:
    """The point of the curve nearest to `pages`: a count and its harvest rate. None for an empty curve."""
    return min(curve, key=lambda one: abs(one[0] - pages), default=None)


STARTING, RUNNING, PAUSED, CLOSING = "starting", "running", "paused", "closing"
ENDED, FAILED = "ended", "failed"
LIVE = frozenset({STARTING, RUNNING, PAUSED, CLOSING})
WAIT_SECONDS, NO_BEGIN = (
    0.01,
    -1.0,
)  # for values that can follow later; NO_BEGIN: do not even begin to read them
FIRST_LOOK_SECONDS = 0.06  # for a log that was not read yet; the next request resumes
STATUS_SECONDS = 2.0  # patience with a running crawl: one that reads a long page answers late
TOP = 50  # rows of the queue
MOST_JOBS = 16  # whose logs stay in memory
_OUTPUT_BYTES = 64_000  # read from the end of a crawl's output
_QUEUE_SECONDS = 5.0  # a queue that is written to is read again after this, or a hundred times its reading time if that is longer


T = TypeVar("T")


_POOL = ThreadPoolExecutor(8, "dashboard")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A cached value. `seen`: the state of its file when it was made; `until`: time before which it is valid even if the file changes."""

    seen: object
    until: float
    value: Any


@dataclass
class Job:
    """One job, with its log and cached values."""

    folder: Path
    log: JobLog
    process: Popen[bytes] | None = None  # the crawl, if the dashboard started it
    _last_status: dict[str, Any] | None = None  # of the running crawl
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _wanted: set[str] = field(default_factory=set)
    _making: dict[str, Future[Any]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    teaching: Lock = field(default_factory=Lock)  # held while the topic is taught by answers
    share: float = 1.0  # of its log that had been read at the last request

    @property
    def name(self) -> str:
        """The name of the job, which is that of its folder."""
        return self.folder.name

    def status(self) -> dict[str, Any]:
        """The status of the running crawl (the last one known if it is too busy), or only a state: starting, closing, ended, failed."""
        if (self.folder / CONTROL).is_file():
            try:
                self._last_status = ask(self.folder, "status", patience=STATUS_SECONDS)
            except CrawlerError:  # it is busy, has just ended, or was killed
                if is_listening(self.folder):
                    return self._last_status or {"state": STARTING}
            else:
                return self._last_status
        code = None if self.process is None else self.process.poll()
        if self.process is not None and code is None:
            return {"state": CLOSING if self._last_status else STARTING}
        return {"state": FAILED if code or self.fault or self.was_killed else ENDED}

    @property
    def last_run(self) -> LastRun | None:
        """How the latest run has ended; None if that is unknown."""
        recipe = mark(self.folder / JOB)  # a later run has written it
        return self.once(f"last run {recipe}", STATS, lambda: last_run(self.folder), None)

    @property
    def fault(self) -> str:
        """The error that ended the latest run; empty if there was none."""
        found = self.last_run
        return "" if found is None else found.fault

    @property
    def was_killed(self) -> bool:
        """Whether the latest run ended without its own doing: it left the address at which nobody answers."""
        return (self.folder / CONTROL).is_file() and not is_listening(self.folder)

    def advance(self, seconds: float = FIRST_LOOK_SECONDS) -> None:
        """Read new visits of the log for at most `seconds`."""
        self.share = self.log.advance(seconds)

    def output(self) -> list[str]:
        """The last lines of output of a crawl that the dashboard started; empty for other crawls."""
        path = self.folder / OUTPUT
        if not path.is_file():
            return []
        with path.open("rb") as file:
            cut = file.seek(max(0, path.stat().st_size - _OUTPUT_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
        return lines[1:] if cut else lines

    @property
    def last_words(self) -> str:
        """The last line of output that is not blank."""
        return next(filter(None, map(str.strip, reversed(self.output()))), "")

    def recipe(self) -> Recipe | None:
        """The job's recipe; None if it cannot be read."""
        return self.once("recipe", JOB, lambda: read_recipe(self.folder), None)

    @property
    def has_queue(self) -> bool:
        """Whether the job has a queue, in its folder or on a server."""
        recipe = self.recipe()
        return is_made(self.folder / JOB_DATABASE) or bool(recipe is not None and recipe.queue)

    def queue(self, wait: float | None = WAIT_SECONDS) -> dict[str, Any] | None:
        """The report of the job's queue with all its hosts; None without a queue, while it is still being read, or if it cannot be read.
        `wait`: as for `once`."""
        parts = self.once("parts", JOB, lambda: parts_by(self.recipe()), wait)
        if "parts" not in self._kept:  # apart, as making them takes longer than reading the queue
            self._wanted.add("queue")
            return None
        return self.once(
            "queue", JOB_DATABASE, lambda: report_in(self.folder, TOP, parts=parts, all_hosts=True), wait
        )

    def outcomes(self, wait: float = WAIT_SECONDS) -> list[Outcome] | None:
        """The reasons of failed and discarded URLs in the job's queue; None as for `queue`."""
        return self.once("outcomes", JOB_DATABASE, lambda: outcomes_of(self.folder), wait)

    def promised(self, status: Mapping[str, Any]) -> tuple[int | None, float | None]:
        """The estimated number of relevant pages in the queue, and the share of the next pages that will probably be kept, 0..1: as the
        crawl reports them, or reported them at its end."""
        if "pages" in status:
            return status.get("relevant_waiting"), status.get("promise")
        stats = self.once("stats", STATS, self._stats, None) or {}
        return stats.get("topic/relevant_waiting"), stats.get("topic/promise")

    def gate(self, status: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What the link gate was asked about requests of links in the last run: `asked`, `scored`, `refused`; None
        when that is unknown."""
        if (running := status.get("gate")) is not None:
            return cast("Mapping[str, Any]", running)
        stats = self.once("stats", STATS, self._stats, None) or {}
        if "topic/gate/asked" not in stats:
            return None
        return {
            "asked": stats["topic/gate/asked"],
            "scored": stats.get("topic/gate/scored", 0),
            "refused": stats.get("topic/gate/refused", 0),
        }

    def refused(self, wait: float = WAIT_SECONDS) -> int:
        """The number of links in the sample of those that were not queued."""
        return self.once("refused", JOB_DATABASE, lambda: len(refused_in(self.folder)), wait) or 0

    def once(
        self, name: str, file: str, make: Callable[[], T], wait: float | None = WAIT_SECONDS
    ) -> T | None:
        """The cached result of `make`, which is called again only when the file has changed, and not too often for a file that keeps
        changing. None for files that cannot be read. A call that takes longer than `wait` seconds continues in the thread pool
        (`pending`); until it ends, the previous result or None is returned. A negative `wait` starts no call."""
        with self._lock:
            seen = tuple(mark(self.folder / f"{file}{end}") for end in ("", "-wal")) if file else time.time()
            known = self._kept.get(name)
            if known is not None and (known.seen == seen or time.monotonic() < known.until):
                return cast("T", known.value)
            making = self._making.get(name)
            if making is None and wait is not None and wait < 0:
                self._wanted.add(name)
                return None if known is None else cast("T", known.value)
            if making is None:
                making = self._making[name] = _POOL.submit(self._make, name, seen, make)
        try:
            return cast("T", making.result(wait))
        except TimeoutError:
            return None if known is None else cast("T", known.value)

    @property
    def pending(self) -> bool:
        """Whether a value without a previous result is being made, or has been asked for."""
        return any(name not in self._kept for name in [*self._making, *self._wanted])

    def _make(self, name: str, seen: object, make: Callable[[], T]) -> T | None:
        begun, found = time.monotonic(), None
        try:
            with suppress(CrawlerError):
                found = make()
            took = time.monotonic() - begun
            self._kept[name] = _Kept(seen, begun + max(_QUEUE_SECONDS, 100 * took), found)
            return found
        finally:
            with self._lock:
                del self._making[name]

    def _stats(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / STATS).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        known = found.items() if isinstance(found, dict) else ()
        return {name: value for name, value in known if isinstance(value, int | float)}


class Jobs:
    """The jobs of a data folder. Safe for several threads."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._known: OrderedDict[str, Job] = OrderedDict()
        # of the list of jobs, by name: the state of the files when they were read, and the figures
        self.figures: dict[str, tuple[object, dict[str, Any]]] = {}
        self.said = ""  # what became of the last answers, until a page has shown it
        self._lock = Lock()

    def news(self) -> str:
        """What became of the last answers, once."""
        said, self.said = self.said, ""
        return said

    def names(self) -> list[str]:
        """The names of all jobs, the latest first."""
        found: dict[str, float] = {}
        for home in filter(Path.is_dir, homes_of(self.data)):
            for folder in home.iterdir():
                try:
                    if folder.is_dir() and self._is_one(folder):
                        found.setdefault(folder.name, begun(folder))
                except OSError:
                    continue  # it was deleted, or belongs to another user
        return sorted(found, key=lambda name: (found[name], name), reverse=True)

    def get(self, name: str) -> Job:
        """The job of that name; ArgumentError when there is none."""
        folder = self.folder(name)
        with self._lock:
            job = self._known.setdefault(name, Job(folder, JobLog(folder)))
            self._known.move_to_end(name)
            for other in list(self._known)[:-MOST_JOBS]:
                if self._known[other].process is None:
                    del self._known[other]
            return job

    def folder(self, name: str) -> Path:
        """The folder of the job of that name; ArgumentError when there is none."""
        if Path(name).name == name and name not in {"", ".", ".."} and "\0" not in name:
            for home in homes_of(self.data):
                if self._is_one(home / name):
                    return home / name
        raise ArgumentError(f"job {name!r}", f"there is none in {self.data}", "see the list of jobs")

    def started(self, name: str, process: Popen[bytes]) -> Job:
        """Register a crawl of this name that has just been started."""
        folder = self.data / name
        with suppress(ArgumentError):  # a resumed one may be in another folder of jobs
            folder = self.folder(name)
        job = Job(folder, JobLog(folder), process)
        with self._lock:
            self._known[name] = job
        return job

    def _is_one(self, folder: Path) -> bool:
        return is_job(folder) or any(isfile(folder / name) for name in (CONTROL, OUTPUT))


def mark(path: Path) -> tuple[int, int]:
    """The size and the modification time of a file, which change with it; 0 and 0 for a missing file."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
