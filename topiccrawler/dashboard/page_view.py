"""Serves the kept pages of a job, one page with the reasons why it was kept, and the search in all jobs."""

from __future__ import annotations

import asyncio
from contextlib import closing
from itertools import islice

from aiohttp import web

from topiccrawler.crawling.job_files import JOB
from topiccrawler.crawling.job_topic import displayed
from topiccrawler.crawling.judging import words_of_record
from topiccrawler.crawling.page_stores import database_of
from topiccrawler.dashboard.jobs import Job
from topiccrawler.dashboard.lists import FILTERS, filters_of, number_of, turned
from topiccrawler.dashboard.views import Context, Values, about_job, context_of, query
from topiccrawler.errors import CrawlerError
from topiccrawler.pages.formats.registry import READ
from topiccrawler.pages.kinds import KINDS
from topiccrawler.relevance.evidence import words_that_lead
from topiccrawler.results.job_pages import (
    classifier_of,
    job_pages,
    names_of,
    words_that_count,
)
from topiccrawler.results.jobs import selection_of
from topiccrawler.results.search import search
from topiccrawler.results.summary import path_to
from topiccrawler.results.templating import moment
from topiccrawler.store.pages import PageRecord
from topiccrawler.store.visits import VisitLog
from topiccrawler.text.printable import printable

ROWS, HITS = 25, 20
MOST_COPIES = 50
MOST_TEXT = 60_000  # characters of a stored text that are shown
MOST_LINE = 4_000
_FACTS = ("published", "modified", "author", "language", "encoding", "format", "kind", "status", "depth", "topic", "usage", "licence", "personal_data", "canonical_url", "keywords", "description", "summary")  # fmt: skip


@about_job("pages")
def kept(here: Context, job: Job, request: web.Request) -> Values:
    """`/jobs/JOB/pages`: the kept pages of a job, the most relevant first."""
    skip, fault, found = number_of(request, "skip"), "", list[PageRecord]()
    try:
        selection = selection_of(**filters_of(request))
        with job_pages(job.folder) as pages:
            found = list(islice(pages.best(selection, skip + ROWS + 1, skip), ROWS + 1))
    except CrawlerError as error:
        fault = str(error)
    asked = {name: request.query.get(name, "") for name in FILTERS}
    return {
        "said": here.jobs.news(),
        "fault": fault,
        "pages": found[:ROWS],
        "first": skip + 1,
        "filters": asked,
        "asked": query(**asked),
        "file_types": sorted(READ),
        "kinds": KINDS,
        **turned(skip, ROWS, more=len(found) > ROWS, **asked),
    }


@about_job("page")
def page(_: Context, job: Job, request: web.Request) -> Values:
    """`/jobs/JOB/page?url=`: the stored text of a page, why it was kept, and its near copies."""
    with job_pages(job.folder) as pages:
        record = pages.get(request.query.get("url", ""))
        copies = pages.copies(record, MOST_COPIES)
    with closing(database_of(job.folder)) as database:
        way = path_to(VisitLog(database), record.url, record.source_url, record.anchor, record.score)
    job.advance()
    why = _why(job, record)
    text = record.text[:MOST_TEXT]
    facts = {
        "fetched": moment(record.fetched),
        "judged": moment(record.judged),
        **{name: getattr(record, name) for name in _FACTS},
    }
    facts["topic"] = displayed(record.topic, names_of(job.folder))
    return {
        **why,
        "pending": job.share < 1,
        "page": record,
        "text": [printable(line[:MOST_LINE]) for line in text.splitlines() if line.strip()],
        "cut": len(record.text) - len(text),
        "copies": copies,
        "heaviest": max((abs(weight) for _, weight in why["words"]), default=1.0) or 1.0,
        "way": way,
        "facts": {name: value for name, value in facts.items() if value not in ("", None)},
    }


def _why(job: Job, record: PageRecord) -> Values:
    """Why a page was kept; empty values if the job's page classifier cannot be loaded."""
    found: Values = {"words": (), "threshold": None, "similarity": None, "leading": []}
    of_job = job.once("classifier", JOB, lambda: classifier_of(job.folder), None)
    if of_job is None:
        return found
    classifier, segmenter = of_job
    found["words"] = words_that_count(classifier, record, segmenter)
    found["threshold"] = classifier.threshold
    if record.alias_of:  # a copy has no text of its own
        return found
    words = words_of_record(record, segmenter)
    return found | {"similarity": classifier.similarity(words), "leading": words_that_lead(classifier, words)}


async def searching(request: web.Request) -> web.Response:
    """`/search`: the search in one job or all jobs."""
    here = context_of(request)
    found = await asyncio.to_thread(_search, here, request)
    return here.views.page(request, "search", found)


def _search(here: Context, request: web.Request) -> Values:
    asked = {name: request.query.get(name, "") for name in ("q", "job", *FILTERS)}
    names = here.jobs.names()
    found: Values = {
        "names": names,
        "filters": asked,
        "file_types": sorted(READ),
        "kinds": KINDS,
        "hits": None,
        "said": here.jobs.news(),
        "fault": "",
    }
    try:
        if text := asked["q"].strip():
            folders = [here.jobs.folder(name) for name in ([asked["job"]] if asked["job"] else names)]
            found["hits"] = search(folders, text, selection_of(**filters_of(request)), HITS)
    except CrawlerError as error:
        found["fault"] = str(error)
    return found
