"""Which jobs a user means: a folder, its page store, or a job's name in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topiccrawler.crawling.job_files import PAGES, VISITS
from topiccrawler.crawling.page_stores import folder_of_stored
from topiccrawler.errors import ArgumentError, file_faults

_REMEDY = "name the folder of a job, its pages.sqlite, or a job's name in TOPIC_DATA_DIR"


def job_folder(given: str, data: Path) -> Path:
    """The folder of the job; `data`: TOPIC_DATA_DIR. ArgumentError when there is none of that name."""
    place = Path(given).expanduser()
    with file_faults(ArgumentError, f"job {given!r}", "cannot be read", _REMEDY):
        if place.name == PAGES and place.is_file():
            return place.parent
        for folder in (place, data / given):
            if is_job(folder):
                return folder
    near = ", ".join(folder.name for folder in jobs_in(data)[-5:]) if data.is_dir() else ""
    known = f"; the latest there: {near}" if near else ""
    raise ArgumentError(f"job {given!r}", f"there is no such job{known}", _REMEDY)


@contextmanager
def looked_at(given: str, data: Path, store_url: str | None, *, stored: bool = False) -> Iterator[Path]:
    """The folder of a job; of one in the database STORE_URL that has none of this name here, a folder by which it can be looked at.

    `stored`: it is a name in the database and nothing else.
    """
    if stored and not store_url:
        remedy = "give -s STORE_URL=postgresql://USER@HOST/DATABASE"
        raise ArgumentError(f"--job {given}", "names a job in a database, but there is no STORE_URL", remedy)
    if not stored:
        try:
            folder = job_folder(given, data)
        except ArgumentError:
            if not store_url:
                raise
        else:
            yield folder
            return
    with folder_of_stored(store_url or "", given, data) as folder:
        yield folder


def jobs_in(data: Path) -> list[Path]:
    """The jobs in a data folder, the latest last; ArgumentError when it cannot be read."""
    with file_faults(ArgumentError, f"folder {data}", "cannot be read", _REMEDY):
        return sorted(filter(is_job, data.iterdir()), key=lambda folder: (folder.stat().st_mtime, folder))


def is_job(folder: Path) -> bool:
    """A crawl has written there."""
    return (folder / PAGES).is_file() or (folder / VISITS).is_file()
