"""Opens the pages and the crawl log of a job: in its folder, or in the database that its recipe names (STORE_URL).

`open_pages` opens the page store. The recipe has the address of a database without a password. The password is that of this process's
STORE_URL for the same database, else that of PGPASSWORD or .pgpass. A STORE_URL on the command line overrides recipes.

`visits_of` reads the crawl log. If the pages are in a database, the logs of all processes that ran in the same data folder are merged.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from heapq import merge
from operator import attrgetter
from pathlib import Path

from topiccrawler.crawling.job_files import PAGES, VISITS, read_recipe, write_recipe
from topiccrawler.crawling.job_topic import TOPIC, named_topic
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.servers import ServedPages, page_server
from topiccrawler.errors import CrawlerError, StateError
from topiccrawler.files import user_path
from topiccrawler.model import Visit
from topiccrawler.settings import TOPIC_DATA_DIR
from topiccrawler.store.pages import PageStore
from topiccrawler.store.visits import has_log, read_latest, read_visits

Stored = tuple[str, str]  # address of the database, job


def stored_in(folder: Path) -> Stored | None:
    """The database that has the pages of a job, and the job's name there; None if they are in its folder, or the recipe names none."""
    if (folder / PAGES).is_file():
        return None
    try:
        recipe = read_recipe(folder)
    except CrawlerError:
        return None
    return (recipe.store, recipe.store_job) if recipe is not None and recipe.store else None


def has_pages(folder: Path) -> bool:
    """Whether the job has a page store to open."""
    return (folder / PAGES).is_file() or stored_in(folder) is not None


def kept_nothing(folder: Path) -> bool:
    """Whether a crawl has run in the folder without keeping a page, by its log; so there is no store, rather than a lost one."""
    log = folder / VISITS
    return has_log(log) and not has_pages(folder) and not any(visit.stored for visit in read_visits(log))


def open_pages(folder: Path) -> PageStore | ServedPages:
    """Open the pages of the job in that folder for reading; an empty store for a job that has kept no page.

    StateError if there is no job, or its pages cannot be read.
    """
    stored = stored_in(folder)
    if stored is None and kept_nothing(folder):
        return PageStore(":memory:")
    return PageStore(folder / PAGES, create=False) if stored is None else open_stored(*stored)


def judged_again(folder: Path) -> dict[str, tuple[bool, float]]:
    """The URLs of the pages of a job that judging again has changed, each with whether it is kept now and its relevance."""
    if not has_pages(folder):
        return {}
    with closing(open_pages(folder)) as pages:
        return pages.judged_again()


def last_judged(folder: Path) -> float:
    """The time at which judging again last changed a page in the job's folder, in seconds since the epoch; 0 = never."""
    if not (folder / PAGES).is_file():
        return 0.0
    with closing(open_pages(folder)) as pages:
        return pages.last_judged()


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
    found = (folder for folder in sorted(data.iterdir()) if folder.is_dir() and has_log(folder / VISITS))
    return [folder for folder in found if (stored := stored_in(folder)) is not None and stored[1] == job]


def logs_of(folder: Path) -> list[Path]:
    """The existing files of the crawl log of a job; several if its processes have a log each."""
    stored = stored_in(folder)
    folders = [folder] if stored is None else folders_of(stored[1], folder.absolute().parent)
    return [log for each in folders if has_log(log := each / VISITS)]


def visits_of(folder: Path) -> Iterator[Visit]:
    """The visits in the crawl log of a job, in the order in which they ended."""
    logs = logs_of(folder)
    return read_visits(logs[0]) if len(logs) == 1 else merge(*map(read_visits, logs), key=attrgetter("time"))


def latest_visits(folder: Path, count: int) -> list[Visit]:
    """The last visits in the crawl log of a job, at most `count`, in the order in which they ended."""
    tails = (read_latest(log, count) for log in logs_of(folder))
    return list(merge(*tails, key=attrgetter("time")))[-count:]


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
