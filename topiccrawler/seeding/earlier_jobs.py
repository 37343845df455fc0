"""Finds candidates for seeds in the user's earlier jobs: pages that are about the topic, and pages whose links led to such pages.

The jobs may have been for any topic, because the stored texts are classified again. A page that links to many relevant ones is often not
relevant itself, and was not kept. It is known as the source of other pages, and the crawl log says whether it could be fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.page_stores import open_pages, visits_of
from topiccrawler.errors import ArgumentError, file_faults
from topiccrawler.job_database import JOB_DATABASE, is_begun
from topiccrawler.pages.read import PageClassifier
from topiccrawler.seeding.candidates import Candidate, merged
from topiccrawler.text.segmenter import Segmenter

_REMEDY = "name the folder of a job, or one that holds folders of jobs"


@dataclass(slots=True)
class _Job:
    """What the files of one job say about its URLs."""

    titles: dict[str, str] = field(default_factory=dict)
    relevance: dict[str, float] = field(default_factory=dict)  # pages with a text only
    fetched: dict[str, set[str]] = field(default_factory=dict)  # source -> pages fetched through its links
    failed: set[str] = field(default_factory=set)

    def add_fetch(self, url: str, source: str) -> None:
        """Record that a page was fetched through a link of another page."""
        if source and source != url:
            self.fetched.setdefault(source, set()).add(url)


def job_folders(given: Sequence[Path]) -> list[Path]:
    """The folders that have a job, and the subfolders with jobs of the others, sorted by name; ArgumentError for a folder with neither."""
    found: list[Path] = []
    for folder in given:
        with file_faults(ArgumentError, f"folder {folder}", "cannot be read", _REMEDY):
            inside = [folder] if _is_job(folder) else sorted(filter(_is_job, folder.iterdir()))
        if not inside:
            raise ArgumentError(
                f"folder {folder}",
                f"holds no job: no {JOB_DATABASE}",
                _REMEDY,
            )
        found += inside
    return list(dict.fromkeys(found))


def has_jobs(folder: Path) -> bool:
    """Whether the folder has subfolders with jobs."""
    return folder.is_dir() and any(map(_is_job, folder.iterdir()))


def candidates_of_job(folder: Path, page_classifier: PageClassifier, segmenter: Segmenter) -> list[Candidate]:
    """The relevant pages of a job, and the pages that led to them, the best first. StateError if the log or store cannot be read."""
    job = _read(folder, page_classifier, segmenter)
    threshold = page_classifier.threshold
    relevant = {url for url, relevance in job.relevance.items() if relevance >= threshold}
    hubs = {source for source, urls in job.fetched.items() if not relevant.isdisjoint(urls)}
    return merged(
        Candidate(
            url,
            job.titles.get(url, ""),
            job.relevance.get(url, 0.0),
            len(relevant & job.fetched.get(url, set())),
            len(job.fetched.get(url, ())),
        )
        for url in (relevant | hubs) - job.failed
    )


def _read(folder: Path, page_classifier: PageClassifier, segmenter: Segmenter) -> _Job:
    job = _Job()
    for visit in visits_of(folder):
        if visit.is_page:
            job.failed.discard(visit.url)
            job.add_fetch(visit.url, visit.source_url)
            job.titles[visit.url] = visit.anchor
        else:
            job.failed.add(visit.url)
    in_segments = page_classifier.reads_segments
    with closing(open_pages(folder)) as store:
        for record in store.records():
            job.add_fetch(record.url, record.source_url)
            job.titles[record.url] = record.title or record.anchor
            if not record.alias_of:  # a copy has no text of its own
                words = words_of_record(record, segmenter, in_segments=in_segments)
                job.relevance[record.url] = page_classifier.relevance(words)
    return job


def _is_job(folder: Path) -> bool:
    return is_begun(folder / JOB_DATABASE)
