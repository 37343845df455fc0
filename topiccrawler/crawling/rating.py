"""A blind sample of a job's pages for raters, and what their ratings say of the crawl.

Drawn by lot, the same for all raters of one seed: a share of the kept pages, and as many of the discarded ones of which a text was kept. They are
mixed, so that nothing tells a rater what the program thinks; each rater gets another order.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from topiccrawler.crawling.annotation import Question
from topiccrawler.crawling.crawl_logs import logs_of, visits_of
from topiccrawler.crawling.job_files import DISCARDED, VISITS
from topiccrawler.crawling.page_stores import has_pages, open_pages
from topiccrawler.errors import ArgumentError, StateError
from topiccrawler.store.base import Pages
from topiccrawler.store.pages import PageRecord, PageStore

PARTS = 10  # of the crawl, for the curve
REMEDY = "name the folder of a job that has kept pages"


@dataclass(frozen=True, slots=True)
class Sample:
    """The pages drawn."""

    kept: Sequence[PageRecord]
    discarded: Sequence[PageRecord]

    def questions(self, rater: int, seed: int) -> list[Question]:
        """For one rater, in an order of their own; without what the program thinks."""
        asked = [Question.of(record) for record in (*self.kept, *self.discarded)]
        random.Random(f"{seed}:{rater}").shuffle(asked)
        return asked


def draw(folder: Path, share: float, seed: int = 0) -> Sample:
    """At least one page of each kind that there is."""
    kept = _records(open_pages(folder)) if has_pages(folder) else []
    sample = folder / DISCARDED
    discarded = _records(PageStore(sample, create=False)) if sample.is_file() else []
    if not kept and not discarded:
        raise ArgumentError(f"job {folder}", "has no page to rate", REMEDY)
    count = max(1, round(share * len(kept))) if kept else len(discarded)
    lot = random.Random(seed)
    drawn = [lot.sample(records, min(count, len(records))) for records in (kept, discarded)]
    return Sample(*drawn)


def harvest_curve(folder: Path, sample: Sample, ratings: Mapping[str, bool]) -> list[tuple[int, float]]:
    """Pages fetched and the harvest rate up to there as rated, at each tenth of the crawl.

    Each part's rate is its share of kept pages times the share of the rated kept ones that are about the topic, and the same of the discarded
    ones; where nothing of a part was rated, the share of the whole crawl stands for it.
    """
    if not logs_of(folder):
        raise StateError(str(folder / VISITS), "cannot be read: there is none", REMEDY)
    visits = [visit for visit in visits_of(folder) if 200 <= visit.status < 300]
    if not visits:
        return []
    kinds = [{record.url for record in records} for records in (sample.discarded, sample.kept)]
    overall = [_rate([ratings[url] for url in sorted(urls) if url in ratings], 0.0) for urls in kinds]
    size = -(-len(visits) // PARTS)
    found, relevant = [], 0.0
    for start in range(0, len(visits), size):
        part = visits[start : start + size]
        for stored in (False, True):
            of_kind = [visit for visit in part if visit.stored is stored]
            rated = [
                ratings[visit.url] for visit in of_kind if visit.url in ratings and visit.url in kinds[stored]
            ]
            relevant += len(of_kind) * _rate(rated, overall[stored])
        done = start + len(part)
        found.append((done, relevant / done))
    return found


def _rate(answers: Sequence[bool], otherwise: float) -> float:
    return sum(answers) / len(answers) if answers else otherwise


def _records(store: Pages) -> list[PageRecord]:
    try:
        return sorted(
            (record for record in store.records() if not record.alias_of), key=lambda record: record.url
        )
    finally:
        store.close()
