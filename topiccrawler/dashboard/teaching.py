"""Asks a person about a job's most relevant and its uncertain pages, and teaches the topic by the answers, as `scrapy topics teach` does.

A running crawl uses the corrected topic at once; the answers are stored with the job. Only one set of answers is processed at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

from aiohttp import web

from topiccrawler.crawling.page_stores import has_pages
from topiccrawler.crawling.teaching import answered, lessons_of
from topiccrawler.dashboard.jobs import Job
from topiccrawler.dashboard.texts import Texts
from topiccrawler.dashboard.views import Context, Values, back_to, context_of, job_of, shown
from topiccrawler.engine.control.client import running_in
from topiccrawler.errors import CrawlerError
from topiccrawler.relevance.evidence import EvidenceClassifier
from topiccrawler.results.job_pages import SHOWN, Judged, classifier_of, first_look, job_pages, judged_page
from topiccrawler.results.page_groups import MOST_PAGES, kinds_of, sure_of_groups
from topiccrawler.store.pages import ALL

YES, NO = "yes", "no"
URL, ANSWER, JOB = "url-", "answer-", "job-"  # names of fields, before a question's number
MOST_ANSWERED = 500  # answered pages that are skipped to find further questions


async def form(request: web.Request) -> web.Response:
    """`/jobs/JOB/teach`: the questions as a page, or as a panel alone for a request by htmx."""
    return await _answer(request, "", "")


async def answer(request: web.Request) -> web.Response:
    """`POST /answers`: teach by the answers in a list of pages, whose jobs are in the form, and redirect back to the list."""
    here = context_of(request)
    given = {name: str(value) for name, value in (await request.post()).items()}
    t, said = here.views.texts(request), list[str]()
    for name, answers in _by_job(given).items():
        try:
            job = await asyncio.to_thread(here.jobs.get, name)
            said.append(await asyncio.to_thread(_learn, job, answers, t))
        except CrawlerError as error:
            said.append(str(error))
    here.jobs.said = " ".join(said) or t("said_no_answers")
    raise back_to(given.get("back", "/"))


def _by_job(given: Mapping[str, str]) -> dict[str, dict[str, bool]]:
    """The answers of a form by the job of each page."""
    found: dict[str, dict[str, bool]] = {}
    for name, url in given.items():
        number = name.removeprefix(URL)
        said = given.get(f"{ANSWER}{number}") if name.startswith(URL) else None
        if said in (YES, NO):
            found.setdefault(given.get(f"{JOB}{number}", ""), {})[url] = said == YES
    return found


async def teach(request: web.Request) -> web.Response:
    """`POST /jobs/JOB/teach`: teach the topic by the answers, or undo the last ones; then serve the next questions."""
    here, job = context_of(request), await job_of(request)
    given = {name: str(value) for name, value in (await request.post()).items()}
    said = fault = ""
    try:
        answers, undo = answers_in(given), "undo" in given
        said = await asyncio.to_thread(_learn, job, answers, here.views.texts(request), undo=undo)
    except CrawlerError as error:
        fault = str(error)
    return await _answer(request, said, fault)


def answers_in(given: Mapping[str, str]) -> dict[str, bool]:
    """The answers of a form, by URL; questions without an answer are left out."""
    found = {}
    for name, url in given.items():
        answer = given.get(f"{ANSWER}{name.removeprefix(URL)}") if name.startswith(URL) else None
        if answer in (YES, NO):
            found[url] = answer == YES
    return found


def _learn(job: Job, answers: dict[str, bool], t: Texts, *, undo: bool = False) -> str:
    with job.teaching:
        if not answers and not undo:
            return t("said_no_answers")
        lessons = lessons_of(job.folder)
        before, running = lessons.topic.keywords, running_in(job.folder)
        answers, _ = lessons.known(answers)
        if not answers and not undo:
            return t("said_no_answers")
        scores = lessons.undo(running) if undo else lessons.teach(answers, running)
        now = lessons.topic.keywords
        words = sum(now.get(word) != before.get(word) for word in {*now, *before})
        judged = lessons.judged
        text = t("said_judged", kept=judged.kept, before=judged.kept_before, refused=judged.refused)
        if undo:
            return f"{t('said_undone', words=words, scores=scores)} {text}"
        yes = sum(answers.values())
        return f"{t('said_taught', answers=len(answers), yes=yes, words=words, scores=scores)} {text}"


async def _answer(request: web.Request, said: str, fault: str) -> web.Response:
    def read(_: Context, job: Job, __: web.Request) -> Values:
        found = _questions(job.folder)
        return {**found, "said": said, "fault": fault or found["fault"]}

    return await shown(request, "panel_teach" if "HX-Request" in request.headers else "teach", read)


def _questions(folder: Path) -> Values:
    """The best and the uncertain pages that have no answer yet; empty if the job cannot be taught."""
    found: Values = {"best": [], "uncertain": [], "answered": 0, "kinds": None, "fault": ""}
    try:
        known = answered(folder)
        found["kinds"] = kinds_of(folder)
        look = first_look(folder, count=SHOWN + min(MOST_ANSWERED, len(known)))
    except CrawlerError as error:
        return found | {"fault": str(error)}
    if not look.answer:
        return found
    best = [page for page in look.best if page.url not in known]
    best = [*_of_groups(folder, known), *best]
    best = list({page.url: page for page in best}.values())[:SHOWN]
    uncertain = [page for page in look.uncertain if page.url not in known and page not in best]
    return found | {
        "best": best,
        "uncertain": _nearest(uncertain, look.threshold or 0.0),
        "answered": len(known),
    }


def _of_groups(folder: Path, known: Container[str]) -> list[Judged]:
    """A sure page of each group of kept pages; none if they are one group."""
    found = classifier_of(folder)
    if found is None or not isinstance(found[0], EvidenceClassifier) or not has_pages(folder):
        return []
    with job_pages(folder) as pages:
        kept = list(pages.best(ALL, MOST_PAGES))
    urls = sure_of_groups(kept, found[0].words, found[1], known)
    return [judged_page(one) for one in kept if one.url in urls]


def _nearest(pages: Sequence[Judged], threshold: float) -> list[Judged]:
    near = sorted(pages, key=lambda page: (abs(page.relevance - threshold), page.url))[:SHOWN]
    return sorted(near, key=lambda page: -page.relevance)
