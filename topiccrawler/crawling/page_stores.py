"""Opens the pages, the crawl log and the queue of a job: in its folder, or on the servers that its recipe names.

`open_pages` opens the page store. The recipe has the address of a database without a password. The password is that of this process's
STORE_URL for the same database, else that of PGPASSWORD or .pgpass. A STORE_URL on the command line overrides recipes.

`visits_of` reads the crawl log, also while the crawl runs. If the pages are in a database, the logs of all processes that ran in the same data folder are merged.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from heapq import merge
from operator import attrgetter
from pathlib import Path

from topiccrawler.crawling.job_files import read_recipe, write_recipe
from topiccrawler.crawling.job_topic import TOPIC, named_topic
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.servers import ServedPages, page_server, queue_view
from topiccrawler.errors import CrawlerError, StateError
from topiccrawler.files import user_path
from topiccrawler.frontier.stored_queue import QueueView, StoredQueue, is_made
from topiccrawler.job_database import JOB_DATABASE, MEMORY, JobDatabase, is_begun
from topiccrawler.model import Visit
from topiccrawler.settings import TOPIC_DATA_DIR
from topiccrawler.store.page_checks import PageChecks
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import PageStore, read_pages
from topiccrawler.store.refused import RefusedLink, RefusedLinks
from topiccrawler.store.visits import VisitLog

Stored = tuple[str, str]  # address of the database, job


def stored_in(folder: Path) -> Stored | None:
    """The database of a server that has the pages of a job, and the job's name there; None if they are in its folder, or it has no recipe
    that can be read."""
    recipe = _recipe_of(folder)
    return (recipe.store, recipe.store_job) if recipe is not None and recipe.store else None


def _recipe_of(folder: Path) -> Recipe | None:
    """The recipe of a job; None if it cannot be read."""
    try:
        return read_recipe(folder)
    except CrawlerError:
        return None


def open_queue(folder: Path) -> QueueView | None:
    """Open the queue of the job in that folder for reading; None if there is none. StateError if it cannot be read."""
    recipe, path = _recipe_of(folder), folder / JOB_DATABASE
    if recipe is not None and recipe.queue:
        return queue_view(recipe.queue, recipe.queue_job)
    return StoredQueue(path) if is_made(path) else None


def has_pages(folder: Path) -> bool:
    """Whether the job has kept pages, as far as is known without asking a server."""
    if stored_in(folder) is not None:
        return True
    if not is_begun(folder / JOB_DATABASE):
        return False
    with closing(read_pages(folder / JOB_DATABASE)) as pages:
        return not pages.is_empty


def open_pages(folder: Path) -> PageStore | ServedPages:
    """Open the pages of the job in that folder for reading. StateError if there is no job, or its pages cannot be read."""
    stored = stored_in(folder)
    return read_pages(folder / JOB_DATABASE) if stored is None else open_stored(*stored)


def open_sample(folder: Path) -> PageSample:
    """Open the sample of the pages that a job has not kept for reading; an empty one where there is no database."""
    return PageSample(database_of(folder))


def open_checks(folder: Path) -> PageChecks:
    """Open the results of later checks of a job's pages for reading; none where there is no database."""
    return PageChecks(database_of(folder))


def refused_in(folder: Path, limit: int = -1, skip: int = 0) -> list[RefusedLink]:
    """The sample of the links that were not queued: see store.refused.RefusedLinks.all."""
    with closing(database_of(folder)) as database:
        return RefusedLinks(database).all(limit, skip)


def database_of(folder: Path) -> JobDatabase:
    """The database of a job, opened for reading; an empty one in memory where there is none."""
    path = folder / JOB_DATABASE
    return JobDatabase(path, read_only=True) if is_begun(path) else JobDatabase(MEMORY)


def judged_again(folder: Path) -> dict[str, tuple[bool, float]]:
    """The URLs of the pages of a job that judging again has changed, each with whether it is kept now and its relevance."""
    if not has_pages(folder):
        return {}
    with closing(open_pages(folder)) as pages:
        return pages.judged_again()


def last_judged(folder: Path) -> float:
    """The time at which judging again last changed a page in the job's folder, in seconds since the epoch; 0 = never."""
    with closing(database_of(folder)) as database:
        return PageStore(database).last_judged()


def open_stored(address: str, job: str) -> ServedPages:
    """Open the pages of a job in a database for reading. StateError if there is no such job."""
    return page_server(address).open_pages(address, job)


@contextmanager
def folder_of_stored(address: str, job: str, data: Path) -> Iterator[Path]:
    """A folder through which commands can read a job in a database.

    It is the folder of one of the job's processes on this machine, else a temporary one with the recipe only.
    """
    page_server(address).remember(address, for_all=True)
    with closing(open_stored(address, job)) as pages:
        _, text = pages.recipe() or ("", "")
    for folder in folders_of(job, data)[:1]:
        yield folder
        return
    if not text:
        fault = "its crawl has not begun yet"
        raise StateError(pages.name, fault, "wait until it has")
    with tempfile.TemporaryDirectory(prefix="topiccrawler-") as place:
        folder = Path(place, job)
        folder.mkdir()
        kept = {**json.loads(text), "store": pages.address, "store_job": job}
        write_recipe(Recipe.from_json(kept, pages.name), folder)
        yield folder


JOBS = "jobs"


def homes_of(data: Path) -> list[Path]:
    """The folders that hold folders of jobs. `data`: TOPIC_DATA_DIR. Its default stands for itself and `jobs`, for JOBDIR=jobs/NAME; a
    folder that a user names, even by its absolute path, for itself alone."""
    return [data, Path(JOBS)] if data == Path(TOPIC_DATA_DIR) else [data]


def folder_named(name: str, data: Path) -> Path:
    """The folder with that path, else the folder of a job with that name; if there is neither, the path."""
    place = user_path(name)
    named = (home / name for home in homes_of(data))
    return next((folder for folder in (place, *named) if folder.is_dir()), place)


def folders_of(job: str, data: Path) -> list[Path]:
    """The folders in a data folder, sorted by name, of the processes of a job in a database: those whose recipes name the job."""
    if not data.is_dir():
        return []
    found = (folder for folder in sorted(data.iterdir()) if is_begun(folder / JOB_DATABASE))
    return [folder for folder in found if (stored := stored_in(folder)) is not None and stored[1] == job]


def logs_of(folder: Path) -> list[Path]:
    """The folders that have the crawl log of a job; several if its processes have a log each."""
    stored = stored_in(folder)
    folders = [folder] if stored is None else folders_of(stored[1], folder.absolute().parent)
    return [each for each in folders if is_begun(each / JOB_DATABASE)]


def visits_of(folder: Path) -> Iterator[Visit]:
    """The visits in the crawl log of a job, in the order in which they ended; none where there is no log."""
    return merge(*map(_visits_in, logs_of(folder)), key=attrgetter("time"))


def _visits_in(folder: Path) -> Iterator[Visit]:
    with closing(database_of(folder)) as database:
        yield from VisitLog(database).all()


def number_of_visits(folder: Path) -> int:
    """The number of visits in the crawl log of a folder."""
    with closing(database_of(folder)) as database:
        return VisitLog(database).last()


def latest_visits(folder: Path, count: int) -> list[Visit]:
    """The last visits in the crawl log of a job, at most `count`, in the order in which they ended."""
    found: list[Visit] = []
    for each in logs_of(folder):
        with closing(database_of(each)) as database:
            found += VisitLog(database).latest(count)
    return sorted(found, key=attrgetter("time"))[-count:]


def arguments_of(folder: Path) -> dict[str, str]:
    """The arguments that resume the job in a folder as it was begun: topic, strategy, page classifier, and the seeds that were fetched.

    Limits are not included. Empty if there is no job.
    """
    recipe = read_recipe(folder)
    if recipe is None:
        return {}
    seeds = _seeds_of(folder)
    plain = {
        **named_topic(recipe, folder / TOPIC),
        "strategy": recipe.strategy,
        "page_classifier": recipe.page_classifier,
        "sites": recipe.sites or "",
        "about": recipe.about,
        "since": recipe.since,
        "language": ",".join(recipe.language),
        "known": recipe.known,
        "seeds": ",".join(seeds),
    }
    if recipe.keywords and "keywords" not in plain:  # additional keywords for a named topic
        plain["keywords"] = ",".join(recipe.keywords)
    parameters = {f"strategy_{name}": value for name, value in recipe.parameters.items()}
    return {name: value for name, value in {**plain, **parameters}.items() if value}


def _seeds_of(folder: Path) -> list[str]:
    """The seeds of the job that were fetched; if all were redirected, the URL of the first."""
    first, seeds = "", dict[str, None]()
    for visit in visits_of(folder):
        first = first or visit.source_url or visit.url
        if not visit.source_url:
            seeds[visit.url] = None
    return [*seeds] or [first]
