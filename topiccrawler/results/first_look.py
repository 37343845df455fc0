"""Whether a crawl has understood its topic, at a glance: its most relevant pages, and those at the border of what is kept.

Pages that were not kept are those of the job's sample (store.sample), which has titles and is what `scrapy topics teach` asks about; a crawl
that finds more pages off topic than the sample holds shows those of the sample that are nearest. Copies are left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from topiccrawler.crawling.assemble import kept_from, page_classifier_of
from topiccrawler.crawling.job_files import DISCARDED, VISITS, read_recipe
from topiccrawler.crawling.page_stores import has_pages, open_pages
from topiccrawler.crawling.recipe import Recipe
from topiccrawler.crawling.topic_names import topic_display_name
from topiccrawler.errors import CrawlerError
from topiccrawler.relevance.base import VSM
from topiccrawler.store.base import Pages
from topiccrawler.store.pages import PageRecord, PageStore
from topiccrawler.text.printable import one_line
from topiccrawler.topics.several import parts_of
from topiccrawler.urls.readable import readable

SHOWN = 5
LONGEST_TITLE, LONGEST_URL = 60, 200


@dataclass(frozen=True, slots=True)
class Judged:
    """A page that was judged by its relevance, 0..1."""

    url: str
    title: str
    relevance: float
    kept: bool


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Of one job."""

    best: Sequence[Judged] = ()  # the most relevant first
    border: Sequence[Judged] = ()  # the nearest to the threshold, the most relevant first
    threshold: float | None = None  # of relevance; None: not known
    answer: str = ""  # what to type when the crawler is wrong; empty where nothing can be

    def lines(self) -> list[str]:
        """All for a person."""
        best = [f"  {_line(page)}" for page in self.best]
        return [*(["the most relevant pages kept:", *best] if best else []), *self.border_lines()]

    def border_lines(self) -> list[str]:
        """The border, and how to answer."""
        lines = [f"  {_line(page, mark=True)}" for page in self.border]
        if lines:
            lines.insert(0, f"at the border (pages are kept from relevance {self.threshold:.3f}):")
        return [*lines, *([self.answer] if self.answer else [])]

    def border_as_json(self) -> list[dict[str, Any]]:
        """The border, a value a page."""
        return [
            {**asdict(page), "relevance": round(page.relevance, 4), "threshold": self.threshold}
            for page in self.border
        ]


def first_look(folder: Path, threshold: float | None = None, count: int = SHOWN) -> FirstLook:
    """`threshold`: from which relevance the crawl keeps pages now; None = as its files say. `count`: pages of each kind. StateError for files
    that cannot be read."""
    recipe = read_recipe(folder)
    if threshold is None and recipe is not None:
        threshold = page_threshold(recipe)
    best, kept, not_kept = list[Judged](), list[Judged](), list[Judged]()
    if has_pages(folder):
        with closing(open_pages(folder)) as pages:
            best = _judged(pages, pages.nearest(1.0, count))
            if threshold is not None:
                kept = _judged(pages, pages.nearest(threshold, 2 * count))
                not_kept = _not_kept(folder, threshold, 2 * count, pages)
    elif threshold is not None:
        not_kept = _not_kept(folder, threshold, count, None)
    kept = [page for page in kept if page not in best]
    border = border_of(kept, not_kept, threshold, count) if threshold is not None else []
    answer = _answer(folder, recipe) if recipe is not None and (best or border) else ""
    return FirstLook(best, border, None if threshold is None else round(threshold, 4), answer)


def border_of(
    kept: Sequence[Judged], not_kept: Sequence[Judged], threshold: float, count: int
) -> list[Judged]:
    """So many pages, the nearest to the threshold: as many of each kind, and one more of the kind that is nearer; where there are too few
    of one kind, of the other. The most relevant first."""

    def distance(page: Judged) -> tuple[float, str]:
        return abs(page.relevance - threshold), page.url

    sides = [sorted(side, key=distance) for side in (kept, not_kept)]
    half = count // 2
    chosen = [page for side in sides for page in side[:half]]
    rest = sorted((page for side in sides for page in side[half:]), key=distance)
    chosen += rest[: count - len(chosen)]
    return sorted(chosen, key=lambda page: (-page.relevance, not page.kept, page.url))


def page_threshold(recipe: Recipe) -> float | None:
    """From which relevance a job keeps pages. None where its topic or a model went."""
    try:
        return kept_from(recipe, page_classifier_of(recipe))
    except CrawlerError:
        return None


def _answer(folder: Path, recipe: Recipe) -> str:
    """Only words of one topic can be taught, with a job that is on this machine."""
    if recipe.page_classifier != VSM or len(parts_of(recipe.topic)) > 1 or not (folder / VISITS).is_file():
        return ""
    name = one_line(topic_display_name(recipe), LONGEST_TITLE)
    return f"is that {name}? answer about some pages: scrapy topics teach {shlex.quote(str(folder))}"


def _not_kept(folder: Path, threshold: float, count: int, kept: Pages | None) -> list[Judged]:
    """Of the sample, less those that a later look has kept."""
    if not (folder / DISCARDED).is_file():
        return []
    with closing(PageStore(folder / DISCARDED, create=False)) as sample:
        found = _judged(sample, sample.nearest(threshold, count, stored=False))
    return [page for page in found if kept is None or kept.get(page.url) is None]


def _judged(pages: Pages, rows: Sequence[int]) -> list[Judged]:
    records = [record for row in rows if (record := pages.at(row)) is not None]
    return [_of(record) for record in records]


def _of(record: PageRecord) -> Judged:
    return Judged(record.url, record.title, record.relevance, record.stored)


def _line(page: Judged, *, mark: bool = False) -> str:
    kept = f"{'kept' if page.kept else 'not kept':<10}" if mark else ""
    title = one_line(page.title, LONGEST_TITLE) or "(no title)"
    return f"{page.relevance:.3f}  {kept}{title}  {one_line(readable(page.url), LONGEST_URL)}"
