"""The kept pages of a job, one of them with why it was kept, and the search in all jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import islice
from typing import Any

from aiohttp import web

from topiccrawler.crawling.assemble import displayed, kept_from
from topiccrawler.crawling.explanation import linking_page
from topiccrawler.crawling.job_files import JOB, read_recipe
from topiccrawler.crawling.teaching import words_of_record
from topiccrawler.dashboard.context import Context, context_of, job_of
from topiccrawler.dashboard.jobs import FIRST_LOOK_SECONDS, Job
from topiccrawler.dashboard.lists import filters_of, number_of, turned
from topiccrawler.dashboard.views import query
from topiccrawler.errors import CrawlerError
from topiccrawler.pages.formats.registry import READ
from topiccrawler.relevance.evidence import words_that_lead
from topiccrawler.results.job_pages import (
    are_similarities,
    classifier_of,
    job_pages,
    names_of,
    words_that_count,
)
from topiccrawler.results.jobs import selection_of
from topiccrawler.results.search import Snippet, search
from topiccrawler.results.templating import moment
from topiccrawler.store.pages import PageRecord
from topiccrawler.text.normalise import printable
from topiccrawler.text.segmenter import PLAIN

ROWS, HITS = 25, 20
MOST_COPIES = 50
MOST_TEXT = 60_000  # characters of a stored text that are shown
MOST_LINE = 4_000
_FACTS = ("published", "author", "language", "encoding", "format", "status", "depth", "topic", "canonical_url", "keywords", "description", "summary")  # fmt: skip


async def kept(request: web.Request) -> web.Response:
    """`/jobs/JOB/pages`: the most relevant first."""
    here, job = context_of(request), await job_of(request)
    skip = number_of(request, "skip")

    def read() -> dict[str, Any]:
        fault, found = "", list[PageRecord]()
        try:
            selection = selection_of(**filters_of(request))
            with job_pages(job.folder) as pages:
                found = list(islice(pages.best(selection, skip + ROWS + 1, skip), ROWS + 1))
        except CrawlerError as error:
            fault = str(error)
        return {"fault": fault, "pages": found, "are_similarities": are_similarities(job.folder)}

    found = await asyncio.to_thread(read)
    asked = {
        name: request.query.get(name, "") for name in ("topic", "site", "since", "min_relevance", "kind")
    }
    more = len(found["pages"]) > ROWS
    return here.views.page(
        request,
        "pages",
        {
            **found,
            "pages": found["pages"][:ROWS],
            "first": skip + 1,
            "name": job.name,
            "filters": asked,
            "asked": query(**asked),
            "kinds": sorted(READ),
            **turned(skip, ROWS, more=more, **asked),
        },
    )


async def page(request: web.Request) -> web.Response:
    """`/jobs/JOB/page?url=`: its stored text, why it was kept, its near copies."""
    here, job = context_of(request), await job_of(request)
    found = await asyncio.to_thread(_page, job, request.query.get("url", ""))
    return here.views.page(request, "page", found)


def _page(job: Job, url: str) -> dict[str, Any]:
    with job_pages(job.folder) as pages:
        record = pages.get(url)
        copies = pages.copies(record, MOST_COPIES)
    share = job.log.advance(FIRST_LOOK_SECONDS)
    of_job = job.once("classifier", JOB, lambda: classifier_of(job.folder), None)
    page_classifier, segmenter = of_job or (None, PLAIN)
    words = words_that_count(page_classifier, record, segmenter)
    of_text = None if record.alias_of or page_classifier is None else words_of_record(record, segmenter)
    recipe = read_recipe(job.folder) if page_classifier is not None else None
    text = record.text[:MOST_TEXT]
    facts = {"fetched": moment(record.fetched), **{name: getattr(record, name) for name in _FACTS}}
    facts["topic"] = displayed(record.topic, names_of(job.folder))
    return {
        "name": job.name,
        "share": share,
        "pending": share < 1,
        "page": record,
        "text": [printable(line[:MOST_LINE]) for line in text.splitlines() if line.strip()],
        "cut": len(record.text) - len(text),
        "copies": copies,
        "threshold": None
        if recipe is None or page_classifier is None
        else kept_from(recipe, page_classifier),
        "words": words,
        "similarity": None
        if page_classifier is None or of_text is None
        else page_classifier.similarity(of_text),
        "leading": []
        if page_classifier is None or of_text is None
        else words_that_lead(page_classifier, of_text),
        "are_similarities": are_similarities(job.folder),
        "linking": None
        if recipe is None or page_classifier is None
        else linking_page(recipe, page_classifier, job.log.visit(record.source_url)),
        "heaviest": max((abs(weight) for _, weight in words), default=1.0) or 1.0,
        "way": job.log.path(record.url, record.source_url, record.anchor, record.score),
        "facts": {name: value for name, value in facts.items() if value not in ("", None)},
    }


async def searching(request: web.Request) -> web.Response:
    """`/search`."""
    here = context_of(request)
    found = await asyncio.to_thread(_search, here, request)
    names = await asyncio.to_thread(here.jobs.names)
    filters = {
        name: request.query.get(name, "")
        for name in ("q", "job", "topic", "site", "since", "min_relevance", "kind")
    }
    return here.views.page(
        request, "search", {**found, "names": names, "filters": filters, "kinds": sorted(READ)}
    )


def _search(here: Context, request: web.Request) -> dict[str, Any]:
    text, name = request.query.get("q", "").strip(), request.query.get("job", "")
    if not text:
        return {"hits": None, "fault": ""}
    try:
        names = [name] if name else here.jobs.names()
        folders = [here.jobs.folder(one) for one in names]
        hits = search(folders, text, selection_of(**filters_of(request)), HITS)
    except CrawlerError as error:
        return {"hits": None, "fault": str(error)}
    return {
        "fault": "",
        "hits": [
            {
                "url": hit.url,
                "title": list(_pieces(hit.title)),
                "snippet": list(_pieces(hit.snippet)),
                "rank": hit.rank,
                "relevance": hit.relevance,
                "day": hit.day,
                "job": hit.job.name,
            }
            for hit in hits
        ],
    }


def _pieces(found: Snippet) -> Iterator[tuple[str, bool]]:
    """The text in pieces, with whether each is marked; what steers is shown as an escape."""
    at = 0
    for start, stop in found.marks:
        yield printable(found.text[at:start]), False
        yield printable(found.text[start:stop]), True
        at = stop
    yield printable(found.text[at:]), False
