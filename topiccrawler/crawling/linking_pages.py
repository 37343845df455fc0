"""What decides whether a crawl keeps a page: its relevance with that of the page that links it (relevance.linking_page).

The similarity of each page read is kept in memory, 17 bytes a page. A job that goes on takes it from its crawl log; what another process
of a shared crawl read is not known here, and such a page changes nothing. Neither do seeds, feeds and sitemaps as linking pages.
What is fetched next does not hang on it: strategies go on by the words of each page. One that was told of what is kept found as much on one
web and less on another (docs/lab/page-classifiers.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from topiccrawler.crawling.gate import OF_SITE
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.frontier.base import Notes
from topiccrawler.frontier.url_index import UrlIndex
from topiccrawler.model import Page, Via, Visit
from topiccrawler.pages.classifier import PageClassifier
from topiccrawler.relevance.base import relevance_of, similarity_of
from topiccrawler.relevance.linking_page import with_linking_page
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
        since = _since(notes)
        for visit in visits:
            if _is_whole(visit) and visit.time >= since and visit.gate != OF_SITE:
                self._put(visit.url, visit_similarity(visit, threshold, probability_since))

    def read(self, page: Page) -> None:
        """A page was read."""
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


def _since(notes: Notes) -> float:
    try:
        return float(notes.get(NOTE) or 0.0)
    except ValueError:
        return 0.0


def _is_whole(visit: Visit) -> bool:
    """A line of a log that somebody wrote into may be JSON of other types; relevances out of range are cut (relevance.linking_page)."""
    return isinstance(visit.url, str) and all(
        isinstance(one, int | float) for one in (visit.time, visit.relevance)
    )


def begin_anew(notes: Notes, now: float) -> None:
    """The topic has changed: what was read before says nothing of it, to a job that goes on later either."""
    notes.put(NOTE, repr(now))
