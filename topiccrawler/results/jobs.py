"""Which jobs a user means: a folder, its page store, or a job's name in the data folder."""

from __future__ import annotations

from pathlib import Path

from topiccrawler.crawling.job_files import PAGES, VISITS
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


def jobs_in(data: Path) -> list[Path]:
    """The jobs in a data folder, the latest last; ArgumentError when it cannot be read."""
    with file_faults(ArgumentError, f"folder {data}", "cannot be read", _REMEDY):
        return sorted(filter(is_job, data.iterdir()), key=lambda folder: (folder.stat().st_mtime, folder))


def is_job(folder: Path) -> bool:
    """A crawl has written there."""
    return (folder / PAGES).is_file() or (folder / VISITS).is_file()
