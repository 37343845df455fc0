"""`scrapy pages JOB …`: the pages a crawl has kept: listed, read, and taken away as a file."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from topiccrawler.crawling.judging import JudgedAgain
    from topiccrawler.results.job_pages import JobPages, Reasons
    from topiccrawler.store.page_checks import Check
    from topiccrawler.store.pages import PageRecord

LIST, SHOW, UNCERTAIN, EXPORT, FOUND = "list", "show", "uncertain", "export", "found"
REPORT, LOG, REPAIR = "report", "log", "repair"
JUDGE, YES, NO = "judge", "yes", "no"
# verb -> number of arguments at most, job and verb included
VERBS = {LIST: 2, SHOW: 3, UNCERTAIN: 2, EXPORT: 2, FOUND: 2, REPORT: 2, LOG: 2, REPAIR: 2}
VERBS |= {JUDGE: 2, YES: 1000, NO: 1000}
CHANGES = ("refused", "restored", "found", "queued")  # counts of crawling.judging.JudgedAgain
LIMIT = 20


class Command(ReportingCommand):
    """The command `scrapy pages`."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        args = [opts.job, *args] if opts.job else args
        verb = args[1] if len(args) > 1 else LIST
        if verb == SHOW and len(args) != VERBS[SHOW]:
            self.refuse("give the URL of one page")
        if verb in {YES, NO} and len(args) < 3:
            self.refuse("give the URLs of pages")
        if opts.job and (verb in {YES, NO} or (verb == JUDGE and opts.topic)):
            self.refuse("what a job is taught is kept in its folder: give JOB, not --job")
        if not args or len(args) > VERBS.get(verb, 0):
            self.refuse("give one JOB and what to do with it")
        if (verb == FOUND) != bool(opts.other):
            self.refuse("name the other crawls of the topic: scrapy pages JOB found --other JOB …")
        if verb == REPORT and not opts.out:
            self.refuse("say where the report goes: --out FILE.html")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.results.job_pages import job_pages
        from topiccrawler.results.jobs import looked_at

        args = [opts.job, *args] if opts.job else args
        verb = args[1] if len(args) > 1 else LIST
        with looked_at(args[0], self.data, self.setting("STORE_URL"), stored=bool(opts.job)) as folder:
            if verb in (LOG, REPAIR):
                (self._log if verb == LOG else self._repair)(folder)
                return
            if verb == JUDGE:
                self._judge(folder, opts)
                return
            if verb in {YES, NO}:
                self._answer(folder, opts, dict.fromkeys(args[2:], verb == YES))
                return
            with job_pages(folder) as pages:
                self.verbs[verb](self, pages, opts, *args[2:])

    def _list(self, pages: JobPages, opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.page_stores import has_pages
        from topiccrawler.results.job_pages import first_look, snippet_of
        from topiccrawler.results.jobs import selection_by
        from topiccrawler.store.pages import ALL

        selection, limit = selection_by(opts), opts.limit or LIMIT
        rows = ((record, pages.check(record.url)) for record in pages.best(selection, limit))
        if opts.json:
            for record, check in rows:
                self.say(json.dumps(_brief(record, check), ensure_ascii=False))
            return
        known: dict[str, Any] = {"rows": rows, "kept_nothing": not has_pages(pages.folder)}
        known |= {"job": shlex.quote(str(pages.folder)), "snippet": snippet_of, "refused": selection.refused}
        known["uncertain"] = first_look(pages.folder).uncertain_lines() if selection == ALL else []
        self.say(self.text("pages", known))

    def _uncertain(self, pages: JobPages, opts: argparse.Namespace) -> None:
        from topiccrawler.results.job_pages import SHOWN, first_look

        look = first_look(pages.folder, count=opts.limit or SHOWN)
        if opts.json:
            for page in look.uncertain_as_json():
                self.say(json.dumps(page, ensure_ascii=False))
        else:
            self.say("\n".join(look.uncertain_lines()) or "no such page")

    def _export(self, pages: JobPages, opts: argparse.Namespace) -> None:
        from topiccrawler.results.corpus import SHARD_BYTES, Shape, size_of
        from topiccrawler.results.exports import CORPUS, Wanted, export, format_of
        from topiccrawler.results.jobs import selection_by

        form = format_of(opts.format, opts.out)
        if form != CORPUS and (opts.shard_size or opts.compress or opts.no_copies or opts.markdown):
            self.refuse("--markdown, --no-copies, --shard-size and --compress are of --format corpus")
        shape = Shape(
            shard_bytes=size_of(opts.shard_size) if opts.shard_size else SHARD_BYTES,
            compress=opts.compress or "gz",
            no_copies=opts.no_copies,
        )
        wanted = Wanted(
            selection=selection_by(opts), limit=opts.limit, with_text=opts.with_text, markdown=opts.markdown,
            links=opts.links, shape=shape, redact=opts.redact,
        )  # fmt: skip
        place = user_path(opts.out) if opts.out else None
        if place is not None:
            self.say("\n".join(export(pages, form, place, wanted)))
            return
        with self.output():
            for line in export(pages, form, None, wanted):
                print(line, file=sys.stderr)

    def _found(self, pages: JobPages, opts: argparse.Namespace) -> None:
        from topiccrawler.errors import ArgumentError
        from topiccrawler.results.job_pages import job_pages
        from topiccrawler.results.jobs import looked_at, selection_by
        from topiccrawler.results.share_found import share_found

        selection = selection_by(opts)
        crawls = {str(pages.folder): {record.url for record in pages.best(selection)}}
        for job in opts.other:
            with looked_at(job, self.data, self.setting("STORE_URL")) as folder, job_pages(folder) as others:
                if str(folder) in crawls:
                    raise ArgumentError(f"--other {job}", "is named twice", "name another crawl of the topic")
                crawls[str(folder)] = {record.url for record in others.best(selection)}
        found = share_found(list(crawls.values()))
        low, high = found.interval
        known: dict[str, Any] = {
            "jobs": [
                {"job": name, "pages": count, "share": round(found.share_of(at), 4)}
                for at, (name, count) in enumerate(zip(crawls, found.pages, strict=True))
            ],
            "found": found.found,
            "common": found.common,
            "apart": found.apart,
            "all_pages": round(found.all_pages),
            "all_pages_low": round(found.low),
            "all_pages_high": round(found.high),
            "share": round(found.share, 4),
            "share_low": round(low, 4),
            "share_high": round(high, 4),
        }
        self.report(opts, known, self.text("found", known))

    def _log(self, folder: Path) -> None:
        from topiccrawler.crawling.page_stores import visits_of
        from topiccrawler.store.visits import as_json

        with self.output():
            for visit in visits_of(folder):
                print(as_json(visit))

    def _repair(self, folder: Path) -> None:
        from topiccrawler.crawling.assemble import topic_of
        from topiccrawler.crawling.page_stores import visits_of
        from topiccrawler.job_database import JOB_DATABASE
        from topiccrawler.results.job_pages import known_of
        from topiccrawler.store.repair import DAMAGED, repair
        from topiccrawler.text.segmenter import PLAIN

        segmenter = known_of(folder, lambda recipe: topic_of(recipe).segmenter)
        saved = repair(folder / JOB_DATABASE, segmenter or PLAIN)
        kept = {visit.url for visit in visits_of(folder) if visit.stored}
        lost = f"; {len(kept) - saved} of the crawl log are lost" if len(kept) > saved else ""
        self.say(f"{saved} pages saved{lost}; the damaged file is {folder / JOB_DATABASE}{DAMAGED}")

    def _judge(self, folder: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.teaching import judge_job
        from topiccrawler.engine.control.client import running_in

        def progress(done: int) -> None:
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} pages judged")

        self._judged(opts, judge_job(folder, opts.topic or "", running_in(folder), progress))

    def _answer(self, folder: Path, opts: argparse.Namespace, answers: dict[str, bool]) -> None:
        from topiccrawler.crawling.teaching import known_answers, lessons_of
        from topiccrawler.engine.control.client import running_in

        lessons = lessons_of(folder)
        lessons.teach(known_answers(lessons, answers), running_in(folder))
        self._judged(opts, lessons.judged)

    def _judged(self, opts: argparse.Namespace, judged: JudgedAgain) -> None:
        found = {name: getattr(judged, name) for name in ("pages", "kept", "kept_before", *CHANGES)}
        self.report(opts, found, self.text("judged", found))

    def _report(self, pages: JobPages, opts: argparse.Namespace) -> None:
        from topiccrawler.files import replace_file
        from topiccrawler.results.report import report

        place = user_path(opts.out)
        replace_file(place, report(pages))
        self.say(f"report written to {place}")

    def _show(self, pages: JobPages, opts: argparse.Namespace, url: str) -> None:
        from topiccrawler.crawling.job_topic import displayed
        from topiccrawler.results.job_pages import reasons_of

        record = pages.get(url)
        reasons = reasons_of(pages.folder, record)
        check = pages.check(record.url)
        if opts.json:
            self.say(json.dumps({**_whole(record, reasons), **_looks(check)}, ensure_ascii=False))
        else:
            topic = displayed(record.topic, reasons.names)
            known: dict[str, Any] = {"page": record, "check": check, "topic": topic}
            known |= {"threshold": reasons.threshold, "words": reasons.words, "path": reasons.path}
            self.say(self.text("page", known))

    # verb -> what does it with the pages of a job
    verbs: ClassVar[dict[str, Callable[..., None]]] = {
        LIST: _list,
        SHOW: _show,
        UNCERTAIN: _uncertain,
        EXPORT: _export,
        FOUND: _found,
        REPORT: _report,
    }


def _looks(check: Check | None) -> dict[str, Any]:
    """The results of revisits of a page: number of revisits, number of changes, and when it was found gone."""
    from topiccrawler.results.templating import moment

    if check is None:
        return {"looks": 0, "changes": 0, "gone": ""}
    return {"looks": check.looks, "changes": check.changes, "gone": moment(check.gone)}


def _brief(record: PageRecord, check: Check | None) -> dict[str, Any]:
    from topiccrawler.results.job_pages import snippet_of

    return {
        "url": record.url,
        "title": record.title,
        "topic": record.topic,
        "relevance": round(record.relevance, 4),
        "date": record.day,
        "date_of": "published" if record.published else "fetched",
        "format": record.format,
        "kind": record.kind,
        "alias_of": record.alias_of,
        "snippet": snippet_of(record),
        "refused": record.refused,
        "refusal": record.refusal,
        "judged": record.judged,
        **_looks(check),
    }


def _whole(record: PageRecord, reasons: Reasons) -> dict[str, Any]:
    path = [
        {"url": step.link.url, "anchor": step.link.anchor, "score": step.score, "state": step.state}
        for step in reasons.path
    ]
    words = [[word, round(part, 4)] for word, part in reasons.words]
    media = json.loads(record.media or "[]")
    known = {name: value for name, value in asdict(record).items() if name != "evidence"}
    return {**known, "media": media, "threshold": reasons.threshold, "words": words, "path": path}
