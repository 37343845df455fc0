"""Which pages a crawl keeps: the relevance of a page, with that of the page that links it, compared with the page threshold; and counts of them.

Live crawls and comparisons both call `verdict_of`, so that a comparison measures what a crawl keeps.

The similarity of each page read stays in memory for the pages it links (relevance.base), 17 bytes a page. A job that goes on reads it from its
crawl log. Pages read by another process of a shared crawl, seeds, feeds and sitemaps are not known as linking pages and change nothing.
Strategies are not notified of what is kept, only of the words of each page: one that was notified found as much on one web and less on
another (docs/lab/page-classifiers.md).

Counted for reports: pages fetched, relevant and kept, of which formats, and the harvest rate, of all pages and of the latest.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.gate import OF_SITE
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.site_listings import LISTING
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Notes
from topiccrawler.frontier.url_index import UrlIndex
from topiccrawler.model import Page, Via, Visit
from topiccrawler.pages.read import PageClassifier, PageWords
from topiccrawler.relevance.base import relevance_of, similarity_of, with_linking_page
from topiccrawler.relevance.vsm import VsmClassifier

NOTE = "linking_pages"  # since when pages were judged for the present topic


def linking_page_weight(recipe: Recipe, page_classifier: PageClassifier) -> float:
    """0..1 in a crawl of this recipe. The scale is that of vsm; of several topics the linking page may be about another, and a page is not
    about a user's own words because the page before it is."""
    return recipe.linking_page if isinstance(page_classifier, VsmClassifier) else 0.0


class LinkingPages:
    """Of one crawl. `weight`: 0..1; `threshold`: the similarity of even odds. `visits`: of earlier runs; those before the note's time, in
    seconds since the epoch, were for another topic. `probability_since`: as Recipe.relevance_since."""

    def __init__(
        self,
        weight: float,
        threshold: float,
        notes: Notes,
        visits: Iterable[Visit] = (),
        probability_since: float | None = 0.0,
    ) -> None:
        self.weight, self.threshold = weight, threshold
        self._urls = UrlIndex()
        self._similarities = array("f")
        for visit in of_topic(visits, notes):
            if visit.gate != OF_SITE:
                self._put(visit.url, visit_similarity(visit, threshold, probability_since))

    def read(self, page: Page) -> None:
        """A page was read; a listing of a site does not count."""
        if page.via is None or page.via.link.kind != LISTING:
            self._put(page.url, page.similarity)

    def relevance(self, similarity: float, via: Via | None) -> float:
        """0..1: what is held against the page threshold, of a page of that similarity by its words that was reached so."""
        source = "" if via is None else via.link.source_url
        number = self._urls.find(source) if source else None
        if number is not None:
            similarity = with_linking_page(similarity, self._similarities[number], self.weight)
        return relevance_of(similarity, self.threshold)

    def _put(self, url: str, similarity: float) -> None:
        number, new = self._urls.find_or_add(url)
        if new is None:
            self._similarities[number] = similarity
        else:
            self._similarities.append(similarity)


def linking_pages_of(
    recipe: Recipe, page_classifier: PageClassifier, notes: Notes, visits: Iterable[Visit]
) -> LinkingPages | None:
    """Those of a crawl of this recipe; None where they do not count."""
    weight = linking_page_weight(recipe, page_classifier)
    if weight <= 0:
        return None
    return LinkingPages(weight, page_classifier.similarity_threshold, notes, visits, recipe.relevance_since)


def visit_similarity(visit: Visit, threshold: float, probability_since: float | None) -> float:
    """The similarity of a page that was fetched, as the crawl log has it; `threshold`: of similarity."""
    if probability_since is None or visit.time < probability_since:
        return visit.relevance
    return similarity_of(visit.relevance, threshold)


def judged_since(notes: Notes) -> float:
    """When the job's first page was judged for its present topic, in seconds since the epoch."""
    try:
        return float(notes.get(NOTE) or 0.0)
    except ValueError:
        return 0.0


def of_topic(visits: Iterable[Visit], notes: Notes) -> Iterator[Visit]:
    """Those since the crawl has its present topic."""
    since = judged_since(notes)
    return (visit for visit in visits if _is_whole(visit) and visit.time >= since)


def _is_whole(visit: Visit) -> bool:
    """A line of a log that somebody wrote into may be JSON of other types; relevances out of range are cut (relevance.base)."""
    return isinstance(visit.url, str) and all(
        isinstance(one, int | float) for one in (visit.time, visit.relevance)
    )


def begin_anew(notes: Notes, now: float) -> None:
    """The topic has changed: what was read before says nothing of it, to a job that goes on later either."""
    notes.put(NOTE, repr(now))


class Verdict(NamedTuple):
    """Of one page."""

    relevance: float  # 0..1, by the topic as it was taught, with that of the page that links it
    is_kept: bool


def verdict_of(
    page: Page, words: PageWords | None, parts: Parts, linking_pages: LinkingPages | None, threshold: float
) -> Verdict:
    """`words`: of the page; None = it was read by the topic as it was taught. `threshold`: 0..1."""
    classifier = parts.page_classifier
    taught = words if parts.strategy_classifier is not classifier else None
    if linking_pages is not None:
        similarity = page.similarity if taught is None else classifier.similarity(taught)
        relevance = linking_pages.relevance(similarity, page.via)
    else:
        relevance = page.relevance if taught is None else classifier.relevance(taught)
    return Verdict(relevance, relevance >= threshold)


RECENT_PAGES = 200


class HarvestCounter:
    """Counts pages over a whole job; its note in the frontier lets a resumed job count on.

    `begun_with`: pages of earlier runs. `formats`: pages kept, by format; `copies`: those kept without text.
    """

    NOTE = "harvest"

    def __init__(self, note: str | None = None) -> None:
        try:
            kept = json.loads(note) if note else {}
            self.pages, self.relevant, self.kept, self.copies = (
                int(kept.get(name, 0)) for name in ("pages", "relevant", "kept", "copies")
            )
            self.formats: Counter[str] = Counter(kept.get("formats", {}))
        except (ValueError, TypeError, AttributeError) as error:
            raise StateError(
                "the job's page counts", f"are damaged ({error})", "choose another JOBDIR"
            ) from None
        self.begun_with = self.pages
        self._recent: deque[bool] = deque(maxlen=RECENT_PAGES)

    def add(self, *, kept: bool, relevant: bool = False, format: str = "", copy: bool = False) -> None:  # noqa: A002
        """Count one page that was fetched and read; `format` and `copy` of one that was kept."""
        self.pages += 1
        self.relevant += relevant
        self.kept += kept
        self.copies += copy
        if kept and format:
            self.formats[format] += 1
        self._recent.append(kept)

    @property
    def harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, over the whole job."""
        return self.kept / self.pages if self.pages else 0.0

    @property
    def recent_pages(self) -> int:
        """How many pages `recent_harvest_rate` is of: the last of this run, 200 at most."""
        return len(self._recent)

    @property
    def recent_harvest_rate(self) -> float:
        """Kept pages / fetched pages, 0..1, of these."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def note(self) -> str:
        """What a resumed job needs to count on."""
        counts = {name: getattr(self, name) for name in ("pages", "relevant", "kept", "copies", "formats")}
        return json.dumps(counts)
