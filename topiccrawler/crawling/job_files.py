"""Opens, commits and closes the files of one job, and stores the recipe it was made from.

job.json            the recipe (crawling.recipe), so that the job can be explained later
topic.toml          a topic that is not in the catalogue, as a file for `-a topic=`
frontier.sqlite     the queue, if there is a JOBDIR; one of its notes says why hosts waited
pages.sqlite        the pages          duplicates.sqlite   their fingerprints          visits.jsonl   the crawl log
                    (pages and fingerprints may be in a database instead: STORE_URL, crawling.servers)
visits/             earlier parts of the crawl log, compressed (store.visits)
index.sqlite        the words of the pages, for search         outlinks.sqlite     their links, with TOPIC_LINK_GRAPH
checks.sqlite       results of later checks of the pages, with -a revisit=true
html.zst            the HTML of the pages kept, for exports with their structure
discarded.sqlite    a sample of the pages that were off topic (store.page_sample)
stats.json          the stats of the last run, when it has ended
refused.jsonl       a sample of the links that the gate kept out of the queue (store.refused)
"""

from __future__ import annotations

import json
import logging
from functools import cached_property
from math import inf
from pathlib import Path

from topiccrawler.crawling.job_topic import TOPIC, as_toml, topic_argument
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.resuming import another_topic, changes
from topiccrawler.errors import StateError, file_faults
from topiccrawler.files import replace_file
from topiccrawler.pages.site_repeats import SiteRepeats
from topiccrawler.store.database import Database
from topiccrawler.store.duplicates import DuplicateIndex
from topiccrawler.store.html import HtmlFile
from topiccrawler.store.index import Indexing
from topiccrawler.store.outlinks import OutlinkStore
from topiccrawler.store.page_checks import PageChecks
from topiccrawler.store.page_sample import PageSample
from topiccrawler.store.pages import PageRecord, Pages, PageStore, SharedPages
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
PAGES, DUPLICATES, VISITS = "pages.sqlite", "duplicates.sqlite", "visits.jsonl"
INDEX = "index.sqlite"  # the words of the pages; rebuilt if it is missing
OUTLINKS = "outlinks.sqlite"  # with TOPIC_LINK_GRAPH
HTML = "html.zst"
DISCARDED = "discarded.sqlite"
REFUSED = "refused.jsonl"
# with JOBDIR only: texts that sites repeat on several pages (pages.site_repeats)
SITE_REPEATS = "site_repeats.bin"
CHECKS = "checks.sqlite"  # of a job that was revisited
STATS = "stats.json"  # stats of Scrapy and of this package, of the last run
OUTPUT = "output.log"  # output of a crawl that another program has started
FRONTIER = "frontier.sqlite"  # with JOBDIR only
LINKS = "links.jsonl"  # output of `scrapy crawl links`
REMEDY = "make room or name another folder, then give the command again"


class JobFiles:
    """The files of one job, in a folder that is made on first access.

    `shared`: the folder may exist already, from an earlier run of the job; else it gets a name that no other job has.
    `indexed`: pages are indexed when they are stored. `discarded`: the number of pages to sample of those that are not kept. `kept_in`: the
    database for the pages and their fingerprints; if there is one, they are sent to it and not to `keep`. `segmenter`: the segmenter of the
    crawl's topic, replaced when the crawl changes its topic.
    """

    def __init__(
        self,
        place: Path,
        recipe: Recipe | None = None,
        *,
        shared: bool = True,
        indexed: bool = False,
        discarded: int = 0,
        kept_in: SharedPages | None = None,
        segmenter: Segmenter = PLAIN,
    ) -> None:
        self.kept_in, self.segmenter = kept_in, segmenter
        self._place, self._shared, self._indexed, self._discarded = place, shared, indexed, discarded
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
        for name, opened in (
            (PAGES, "_own_store"),
            (DUPLICATES, "duplicates"),
            (DISCARDED, "discarded"),
            (CHECKS, "checks"),
        ):
            if (name != PAGES or self.kept_in is None) and (self.folder / name).exists():
                database: Database = getattr(self, opened)
                database.check_whole()
                database.check_writable()
        self.visits.check()

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
        """Write the recipe when the crawl begins or is resumed, and log the changes in it."""
        if self._changes:
            logger.warning("Job %s goes on with changes: %s", self.folder, "; ".join(self._changes))
        if self._recipe is not None:
            self.keep_recipe(self._recipe)
            self._recipe = None

    def keep_recipe(self, recipe: Recipe, topic: str = "") -> None:
        """Replace the stored recipe of the job; `topic`: the name of the topic, if it has changed."""
        if self.kept_in is not None:
            self.kept_in.begin(recipe.as_json(), topic)
        write_recipe(recipe, self.folder)

    @property
    def store(self) -> Pages:
        """The store of the pages, in the folder or in a database."""
        return self._own_store if self.kept_in is None else self.kept_in.pages

    @property
    def has_pages(self) -> bool:
        """Whether a store of pages exists."""
        return self.kept_in is not None or (self.folder / PAGES).is_file()

    @cached_property
    def _own_store(self) -> PageStore:
        return PageStore(self.folder / PAGES)

    @cached_property
    def duplicates(self) -> DuplicateIndex:
        """The fingerprints of the pages."""
        return DuplicateIndex(self.folder / DUPLICATES)

    @cached_property
    def outlinks(self) -> OutlinkStore:
        """The links between pages."""
        return OutlinkStore(self.folder / OUTLINKS)

    @cached_property
    def discarded(self) -> PageSample:
        """A sample of the pages that were not kept."""
        return PageSample(self.folder / DISCARDED, self._discarded)

    @cached_property
    def refused(self) -> RefusedLinks:
        """A sample of the links that were not queued."""
        return RefusedLinks(self.folder / REFUSED)

    def repeats(self, *, durable: bool) -> SiteRepeats:
        """The texts that sites repeat on several pages; kept in the folder if `durable`, else in memory only."""
        return SiteRepeats(self._place / SITE_REPEATS if durable else None)

    @cached_property
    def checks(self) -> PageChecks:
        """The results of later checks of the pages."""
        return PageChecks(self.folder / CHECKS)

    @cached_property
    def visits(self) -> VisitLog:
        """The crawl log."""
        return VisitLog(self.folder / VISITS)

    @cached_property
    def html(self) -> HtmlFile:
        """The HTML of the pages kept."""
        return HtmlFile(self.folder / HTML)

    @cached_property
    def _indexing(self) -> Indexing:
        return Indexing(self._own_store, self.folder / INDEX)

    def keep(self, record: PageRecord) -> None:
        """Store a page, and index it."""
        if self._indexed:
            self._indexing.begin(self.segmenter)  # before the store has a page that the index lacks
        row = self._own_store.put(record)
        if self._indexed:
            self._indexing.add(row, record, self.segmenter)

    def commit(self) -> None:
        """Make the pages and visits so far durable; call it before the frontier acknowledges them."""
        for opened in self._opened():
            opened.commit()
        for log in ("visits", "refused", "html"):
            if log in self.__dict__:
                self.__dict__[log].commit()
        if "_indexing" in self.__dict__:
            self._indexing.commit()

    def close(self) -> None:
        """Commit and close all files."""
        self.commit()
        if "_indexing" in self.__dict__:
            self._indexing.close()
        if "html" in self.__dict__:
            self.html.close()
        for opened in self._opened():
            opened.close()
        if self.kept_in is not None:
            self.kept_in.close()

    def abandon(self) -> None:
        """Close all files without a commit."""
        if "_indexing" in self.__dict__:
            self._indexing.abandon()
        if "html" in self.__dict__:
            self.html.abandon()
        for opened in self._opened():
            opened.abandon()
        if self.kept_in is not None:
            self.kept_in.abandon()

    def _another_topic(self, kept: str, begun: str, topic: str) -> tuple[str, str]:
        """The fault and the remedy where the job in the database has another topic.

        `kept`: its recipe there; `begun`, `topic`: the name of its topic, and of the one requested now.
        """
        recipe = Recipe.from_json(json.loads(kept), f"job in {self._place}")
        now = self._recipe or Recipe(topic)
        argument = topic_argument(recipe, None) or "the topic it was begun with"
        return another_topic(recipe, begun, now, topic), f"go on with {argument}, or choose another TOPIC_JOB"

    def _opened(self) -> list[Database]:
        # `checks` is last, because it refers to what the others hold.
        names = ("duplicates", "_own_store", "outlinks", "discarded", "checks")
        return [self.__dict__[name] for name in names if name in self.__dict__]


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
