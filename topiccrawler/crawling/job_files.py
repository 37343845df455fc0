"""Opens, commits and closes the files of one job, and stores the recipe it was made from.

job.sqlite          the queue, the pages with their fingerprints and words, the crawl log, samples, notes (job_database)
pages.warc.gz       the HTML of the pages kept, for exports with their structure
job.json            the recipe (crawling.recipe), so that the job can be explained later
topic.toml          a topic that is not in the catalogue, as a file for `-a topic=`
stats.json          the stats of the last run, when it has ended

Pages and fingerprints may be in a database of a server instead: STORE_URL, crawling.servers.
"""

from __future__ import annotations

import json
import logging
import shlex
from functools import cached_property
from math import inf
from pathlib import Path

from topiccrawler.crawling.job_topic import TOPIC, as_toml, topic_argument
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.resuming import another_topic, changes
from topiccrawler.errors import StateError, file_faults
from topiccrawler.files import replace_file
from topiccrawler.job_database import JOB_DATABASE, JobDatabase
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.store.duplicates import DuplicateIndex
from topiccrawler.store.html import HtmlFile
from topiccrawler.store.kept_repeats import KeptRepeats
from topiccrawler.store.outlinks import OutlinkStore
from topiccrawler.store.page_checks import PageChecks
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.page_store import PageStore
from topiccrawler.store.pages import PageRecord, Pages, SharedPages
from topiccrawler.store.refused import RefusedLinks
from topiccrawler.store.visits import VisitLog
from topiccrawler.text.segmenter import PLAIN, Segmenter
from topiccrawler.topics.topic import make_topic

NOTE = "waits"


def noted_waits(text: str | None) -> list[tuple[str, str, float]]:
    """The waiting hosts in a note, as (host, reason, end of the wait; inf = for good); an empty list if the note is damaged."""
    try:
        rows = json.loads(text or "[]")
        return [(str(host), str(why), inf if until is None else float(until)) for host, why, until in rows]
    except (ValueError, TypeError):
        return []


logger = logging.getLogger(__name__)

JOB = "job.json"
STATS = "stats.json"  # stats of Scrapy and of this package, of the last run
OUTPUT = "output.log"  # output of a crawl that another program has started
LINKS = "links.jsonl"  # output of `scrapy crawl links`
REMEDY = "make room or name another folder, then give the command again"


OF_JOBDIR = "jobdir"  # a note of queues that belong to a JOBDIR
_OF_A_RUN = ("urls", "links", "raises", "hosts", "sources", "notes", "site_repeats")


class JobFiles:
    """The files of one job, in a folder that is made on first access.

    `shared`: the folder may exist already, from an earlier run of the job; else it gets a name that no other job has. `discarded`: the number of pages to sample of those that are not kept. `kept_in`: the
    database for the pages and their fingerprints; if there is one, they are sent to it and not to `keep`. `segmenter`: the segmenter of the
    crawl's topic, replaced when the crawl changes its topic.
    """

    def __init__(
        self,
        place: Path,
        recipe: Recipe | None = None,
        *,
        shared: bool = True,
        discarded: int = 0,
        kept_in: SharedPages | None = None,
        segmenter: Segmenter = PLAIN,
    ) -> None:
        self.kept_in, self.segmenter = kept_in, segmenter
        self._place, self._shared, self._discarded = place, shared, discarded
        self._database: JobDatabase | None = None  # None until it is needed
        self._recipe = recipe  # None once it is written
        self._changes: list[str] = []  # changes of the recipe since an earlier run

    def check(self, *, queued: bool) -> None:
        """Raise StateError if the folder holds another crawl, or a file that cannot be written. `queued`: the queue is stored there."""
        if self.kept_in is not None:
            self.kept_in.check(self._another_topic)
        if not self.resumes:
            return
        kept = read_recipe(self.folder)
        if kept is not None and self._recipe is not None:
            self._changes = changes(kept, self._recipe, self.folder, queued=queued)
        if (self.folder / JOB_DATABASE).exists():
            self.database.check_whole()
            self.database.check_writable()

    @property
    def resumes(self) -> bool:
        """Whether the folder exists from an earlier run of the job."""
        return self._shared and self._place.exists()

    @cached_property
    def folder(self) -> Path:
        """The job's folder."""
        with file_faults(StateError, f"folder {self._place}", "cannot be made", REMEDY):
            if not self._shared:
                return new_folder(self._place)
            self._place.mkdir(parents=True, exist_ok=True)
        return self._place

    def begin(self) -> None:
        """Write the recipe when the crawl begins or is resumed, and log the changes in it; make the database."""
        if self._changes:
            logger.warning("Job %s goes on with changes: %s", self.folder, "; ".join(self._changes))
        if self._recipe is not None:
            self.keep_recipe(self._recipe)
            self._recipe = None
        self.database.commit()

    def begin_anew(self) -> None:
        """Drop the queue of an earlier run, and what its strategy and its pages taught. Pages and crawl log stay. StateError if URLs wait
        in a queue that was begun with a JOBDIR, to be gone on with."""
        (waiting,) = self.database.read("SELECT count(*) FROM urls WHERE state = 0")[0]
        if waiting:
            goes_on = f"-s JOBDIR={shlex.quote(str(self.folder))}"
            if self.database.read("SELECT 1 FROM notes WHERE name = ?", (OF_JOBDIR,)):
                self.abandon()
                fault = f"{waiting} URLs wait in its queue, which this command would drop"
                raise StateError(
                    f"job {self.folder}", fault, f"go on with {goes_on}, or choose another TOPIC_JOB"
                )
            logger.warning(
                "%s would go on with the %d URLs that wait in %s; they are dropped",
                goes_on,
                waiting,
                self.folder,
            )
        for table in _OF_A_RUN:
            self.database.write(f"DELETE FROM {table}")  # noqa: S608

    def keep_recipe(self, recipe: Recipe, topic: str = "") -> None:
        """Replace the stored recipe of the job; `topic`: the name of the topic, if it has changed."""
        if self.kept_in is not None:
            self.kept_in.begin(recipe.as_json(), topic)
        write_recipe(recipe, self.folder)

    @property
    def database(self) -> JobDatabase:
        """The job's database, opened for writing on first access."""
        if self._database is None:
            self._database = JobDatabase(self.folder / JOB_DATABASE)
        return self._database

    @property
    def store(self) -> Pages:
        """The store of the pages, in the folder or on a server."""
        return self._own_store if self.kept_in is None else self.kept_in.pages

    @cached_property
    def _own_store(self) -> PageStore:
        return PageStore(self.database)

    @cached_property
    def duplicates(self) -> DuplicateIndex:
        """The fingerprints of the pages."""
        return DuplicateIndex(self.database)

    @cached_property
    def outlinks(self) -> OutlinkStore:
        """The links between pages."""
        return OutlinkStore(self.database)

    @cached_property
    def discarded(self) -> PageSample:
        """A sample of the pages that were not kept."""
        return PageSample(self.database, self._discarded)

    @cached_property
    def refused(self) -> RefusedLinks:
        """A sample of the links that were not queued."""
        return RefusedLinks(self.database)

    @cached_property
    def checks(self) -> PageChecks:
        """The results of later checks of the pages."""
        return PageChecks(self.database)

    @cached_property
    def visits(self) -> VisitLog:
        """The crawl log."""
        return VisitLog(self.database)

    @cached_property
    def html(self) -> HtmlFile:
        """The HTML of the pages kept."""
        return HtmlFile(self.database)

    def repeats(self, *, durable: bool) -> SiteRepeats:
        """The texts that sites repeat on several pages; kept in the database if `durable`, else in memory only."""
        return SiteRepeats(KeptRepeats(lambda: self.database) if durable else None)

    def keep(self, record: PageRecord) -> None:
        """Store a page, and index it."""
        self._own_store.put(record, self.segmenter)

    def commit(self) -> None:
        """Make all that was written so far durable."""
        if self._database is not None:
            self._database.commit()

    def close(self) -> None:
        """Commit and close all files."""
        for opened in (self._database, self.kept_in):
            if opened is not None:
                opened.close()

    def abandon(self) -> None:
        """Close all files without a commit."""
        for opened in (self._database, self.kept_in):
            if opened is not None:
                opened.abandon()

    def _another_topic(self, kept: str, begun: str, topic: str) -> tuple[str, str]:
        """The fault and the remedy where the job in the database has another topic.

        `kept`: its recipe there; `begun`, `topic`: the name of its topic, and of the one requested now.
        """
        recipe = Recipe.from_json(json.loads(kept), f"job in {self._place}")
        now = self._recipe or Recipe(topic)
        argument = topic_argument(recipe, None) or "the topic it was begun with"
        return another_topic(recipe, begun, now, topic), f"go on with {argument}, or choose another TOPIC_JOB"


def new_folder(place: Path) -> Path:
    """Make a folder with this name, or with this name and a number if another job has it."""
    folder, number = place, 1
    while True:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
            folder = place.with_name(f"{place.name}-{number}")
        else:
            return folder


def write_recipe(recipe: Recipe, folder: Path) -> None:
    """Write the recipe of a job, and a topic of the user's own, to its folder."""
    text = json.dumps(recipe.as_json(), ensure_ascii=False, indent=1)
    with file_faults(StateError, folder / JOB, "cannot be written", REMEDY):
        replace_file(folder / JOB, text + "\n")
        if recipe.topic_fields is not None:
            topic = make_topic(recipe.topic_fields, f"topic {recipe.topic}")
            replace_file(folder / TOPIC, as_toml(topic))


def read_recipe(folder: Path) -> Recipe | None:
    """The recipe of a job; None if its folder has none. Raises StateError if it is damaged or has other fields."""
    path = folder / JOB
    if not path.is_file():
        return None
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StateError(str(path), f"is damaged ({error})", "use a copy") from None
    return Recipe.from_json(kept, str(path))
