"""Finds the job that a user names, the selection of its pages, and its crawl log while it grows.

`job_folder` accepts a folder, its database, or a name in the data folder.

`JobLog` reads a crawl log incrementally: reading a hundred thousand visits takes a second, so the log is read once, in pieces, and then
only what was appended. Memory holds the figures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import date
from math import inf
from os.path import isfile
from pathlib import Path
from threading import Lock

from topiccrawler.crawling.job_files import JOB
from topiccrawler.crawling.page_stores import (
    database_of,
    folder_of_stored,
    homes_of,
    judged_again,
)
from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.files import user_path
from topiccrawler.job_database import JOB_DATABASE, is_begun
from topiccrawler.pages.formats.registry import READ
from topiccrawler.pages.kinds import KINDS
from topiccrawler.pages.languages import wanted_languages
from topiccrawler.pages.usage import ALLOWED, ANY_USE, PURPOSES, TRAIN_AI
from topiccrawler.results.summary import Summary
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import Selection
from topiccrawler.store.visits import VisitLog
from topiccrawler.urls.canonical import canonical, host_of

_REMEDY = "name the folder of a job, its job.sqlite, or a job's name in TOPIC_DATA_DIR"
_FOLDER_REMEDY = "name a folder of jobs: --data DIR or -s TOPIC_DATA_DIR=DIR"
ALL_KINDS = "all"  # in a list of kinds of page


def job_folder(job: str, data: Path) -> Path:
    """The folder of a job. `data`: TOPIC_DATA_DIR. ArgumentError when there is no such job."""
    place = user_path(job)
    with file_faults(ArgumentError, f"job {job!r}", "cannot be read", _REMEDY):
        if place.name == JOB_DATABASE and place.is_file():
            return place.parent
        for folder in (place, *(home / job for home in homes_of(data))):
            if is_job(folder):
                return folder
    latest = jobs_in(data)[-5:] if any(map(Path.is_dir, homes_of(data))) else []
    known = f"; the latest there: {', '.join(folder.name for folder in latest)}" if latest else ""
    raise ArgumentError(f"job {job!r}", f"there is no such job{known}", _REMEDY)


@contextmanager
def looked_at(job: str, data: Path, store_url: str | None, *, stored: bool = False) -> Iterator[Path]:
    """The folder of a job; for a job that is only in the database STORE_URL, a folder that gives access to it.

    `stored`: `job` is a name in the database and nothing else.
    """
    if stored and not store_url:
        remedy = "give -s STORE_URL=postgresql://USER@HOST/DATABASE"
        raise ArgumentError(f"--job {job}", "names a job in a database, but there is no STORE_URL", remedy)
    if not stored:
        try:
            folder = job_folder(job, data)
        except ArgumentError:
            if not store_url:
                raise
        else:
            yield folder
            return
    with folder_of_stored(store_url or "", job, data) as folder:
        yield folder


def jobs_in(data: Path) -> list[Path]:
    """The jobs in a data folder (`homes_of`), the latest last. ArgumentError for a folder that cannot be read."""
    homes = [home for home in homes_of(data) if home.is_dir()] or [data]
    with file_faults(ArgumentError, f"folder {data}", "cannot be read", _FOLDER_REMEDY):
        found = [folder for home in homes for folder in home.iterdir() if is_job(folder)]
        return sorted(found, key=lambda folder: (begun(folder), folder))


def begun(folder: Path) -> float:
    """When the latest run of a job began, in seconds since the epoch: when its recipe was written; for a job without one, its folder. The
    folder of others changes when a database in it is read. OSError for a missing folder."""
    recipe = folder / JOB
    return (recipe if recipe.is_file() else folder).stat().st_mtime


def is_job(folder: Path) -> bool:
    """Whether a crawl has begun in the folder; False for a path that the file system does not allow."""
    return any(isfile(folder / name) for name in (JOB_DATABASE, JOB))


_LOOK_EVERY = 64  # visits between two checks of the clock


class JobLog:
    """Reads the crawl log of one job as it grows; safe for several threads."""

    def __init__(self, folder: Path) -> None:
        self.tally = Summary()
        self._judged = 0.0  # when pages were last judged again
        self._folder, self._path = folder, folder / JOB_DATABASE
        self._read = 0  # the number of the last visit that was read
        self._file = 0  # inode of the database
        self._lock = Lock()

    def advance(self, seconds: float = inf) -> float:
        """Read new visits for at most `seconds`; return the share of the log that has been read, 0..1. A damaged log has no more visits."""
        until = time.monotonic() + seconds
        with self._lock, suppress(StateError):
            if not is_begun(self._path):
                return 1.0
            with closing(database_of(self._folder)) as database:
                log, file = VisitLog(database), self._path.stat().st_ino
                last = log.last()
                judged = PageStore(database).last_judged()
                # another job in its place, or pages that count otherwise now
                if file != self._file or last < self._read or judged != self._judged:
                    self.tally = Summary(judged=judged_again(self._folder) if judged else {})
                    self._read, self._file, self._judged = 0, file, judged
                for number, visit in log.after(self._read) if last > self._read else ():
                    self._read = number
                    self.tally.add(visit)
                    if self._read % _LOOK_EVERY == 0 and time.monotonic() > until:
                        return self._read / max(self._read, last)
        return 1.0


def selection_of(
    *,
    topic: str | None = None,
    site: str | None = None,
    since: str | None = None,
    min_relevance: float | None = None,
    file_type: str | None = None,
    kind: str | None = None,
    language: str | None = None,
    usage: str | None = None,
    refused: bool = False,
) -> Selection:
    """The selection of pages by these filters. `kind`: kinds of page, separated by commas, or `all`. `language`: tags, separated by commas.
    `usage`: see `usage_named`. `refused`: only the pages that are not kept any more.

    ArgumentError for invalid values, and for a type of file that no reader produces.
    """
    if min_relevance is not None and not 0 <= min_relevance <= 1:
        raise ArgumentError(f"--min-relevance {min_relevance:g}", "is out of range", "give 0 to 1")
    if file_type and file_type not in READ:
        raise ArgumentError(
            f"--file-type {file_type}", "is not known", f"use one of {', '.join(sorted(READ))}"
        )
    languages = wanted_languages(language or "", "--language ")
    return Selection(
        topic or "",
        _host(site),
        _day(since),
        min_relevance or 0.0,
        file_type or "",
        _kinds(kind),
        languages,
        usage_named(usage),
        refused,
    )


def selection_by(opts: argparse.Namespace) -> Selection:
    """The selection of pages by a command's options."""
    names = ("topic", "site", "since", "min_relevance", "file_type", "kind", "language", "usage", "refused")
    return selection_of(**{name: getattr(opts, name) for name in names})


def usage_named(text: str | None) -> str:
    """The purpose of a filter by use: one of PURPOSES, which a page must not refuse, with `=y` behind it, which it must allow, or ANY_USE.
    ArgumentError for any other text."""
    wanted = (text or "").strip().lower()
    if wanted and wanted != ANY_USE and wanted.removesuffix(f"={ALLOWED}") not in PURPOSES:
        remedy = (
            f"use one of {', '.join(PURPOSES)}, or {ANY_USE}; {TRAIN_AI}={ALLOWED} for pages that allow it"
        )
        raise ArgumentError(f"--usage {text}", "is no use", remedy)
    return wanted


def _kinds(text: str | None) -> tuple[str, ...]:
    asked = [name.strip().lower() for name in (text or "").split(",") if name.strip()]
    for name in asked:
        if name not in (*KINDS, ALL_KINDS):
            remedy = f"use {', '.join(KINDS)} or {ALL_KINDS}; --file-type is for html, pdf …"
            raise ArgumentError(f"--kind {name}", "is no kind of page", remedy)
    return KINDS if ALL_KINDS in asked else tuple(dict.fromkeys(asked))


def _day(text: str | None) -> str:
    if not text:
        return ""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ArgumentError(f"--since {text}", "is no date", "write it as 2026-01-31") from None


def _host(text: str | None) -> str:
    if not text:
        return ""
    address = canonical(text if "://" in text else f"http://{text}")
    if address is None:
        raise ArgumentError(f"--site {text}", "is no host", "write it as example.com")
    return host_of(address)
