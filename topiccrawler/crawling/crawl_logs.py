"""The crawl log of a job; of a crawl whose pages lie in a database those of all its processes that ran in the same data folder."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from operator import attrgetter
from pathlib import Path

from topiccrawler.crawling.job_files import VISITS
from topiccrawler.crawling.page_stores import folders_of, stored_in
from topiccrawler.model import Visit
from topiccrawler.store.visits import read_visits


def logs_of(folder: Path) -> list[Path]:
    """The files that there are."""
    stored = stored_in(folder)
    folders = [folder] if stored is None else folders_of(stored[1], folder.absolute().parent)
    return [log for each in folders if (log := each / VISITS).is_file()]


def visits_of(folder: Path) -> Iterator[Visit]:
    """The visits of the job, in the order they ended."""
    logs = logs_of(folder)
    return read_visits(logs[0]) if len(logs) == 1 else merge(*map(read_visits, logs), key=attrgetter("time"))
