"""`scrapy frontier`: how the queue of a job stands, what comes next and why, why hosts wait; and the queue as a file.

The conflict: the one who asks why a crawl stands still must not disturb it, and must get an answer from a queue of
millions; so everything here but `load` only reads, in one look, while the crawl goes on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path, whole_file

DUMP, LOAD, TABLES = "dump", "load", "tables"


class Command(ReportingCommand):
    """The command `scrapy frontier`: each verb is done by the method of its name."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        verb, folders = _parsed(args)
        if len(folders) > 1:
            self.refuse("give one JOBDIR")
        if verb == TABLES and not opts.file:
            self.refuse("tables: name the file to write by --file FILE")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.job_files import FRONTIER
        from topiccrawler.crawling.page_stores import folder_named

        if opts.job:
            self._on_server(args, opts)
            return
        verb, folders = _parsed(args)
        folder = next(iter(folders), None) or self.setting("JOBDIR")
        if not folder:
            remedy = "name the folder the crawl was given with -s JOBDIR=…"
            raise ArgumentError("scrapy frontier", "no JOBDIR is given", remedy)
        getattr(self, f"_{verb}")(folder_named(folder, self.data) / FRONTIER, opts)

    def _on_server(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.recipe import Recipe
        from topiccrawler.crawling.servers import no_queue_server, queue_address
        from topiccrawler.frontier.dump import dump
        from topiccrawler.results.summary import report_of

        queue = queue_address(self.setting)
        if queue is None:
            raise no_queue_server(f"--job {opts.job}")
        if args not in ([], [DUMP]):
            fault, remedy = "is not for a crawl on a server", "only the overview and dump are"
            raise ArgumentError(" ".join(args), fault, remedy)
        view = queue.server.open_view(queue.address, opts.job)
        try:
            if args:
                self._write(dump(view.notes_of(0), view.rows()), opts)
                return
            recipe = Recipe.from_json(view.made_of, view.name)
            report = report_of(view.overview(opts.top), recipe, opts.top, time.time())
            self.report(opts, report, self.text("frontier", report))
        finally:
            view.close()

    def _show(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.results.summary import queue_report

        report = queue_report(path.parent, opts.top, time.time())
        self.report(opts, report, self.text("frontier", report))

    def _dump(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.frontier.dump import dump
        from topiccrawler.frontier.stored_state import reading

        with reading(path) as rows:
            self._write(dump(rows.notes(), rows.listing()), opts)

    def _write(self, lines: Iterable[str], opts: argparse.Namespace) -> None:
        if opts.file:
            with whole_file(user_path(opts.file)) as out:
                out.writelines(line.encode() + b"\n" for line in lines)
        else:
            with self.output():
                for line in lines:
                    sys.stdout.buffer.write(line.encode() + b"\n")

    def _load(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.frontier.dump import load
        from topiccrawler.frontier.sqlite import SqliteFrontier

        file = user_path(opts.file) if opts.file else None
        if file is not None and not file.is_file():
            raise ArgumentError(f"--file {opts.file}", "there is no such file", "name a file written by dump")
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            SqliteFrontier(path, acknowledgements_per_commit=sys.maxsize) as frontier,
            nullcontext(sys.stdin.buffer) if file is None else file.open("rb") as lines,
        ):
            texts = (line.decode("utf-8", "replace") for line in lines)
            added, known = load(texts, frontier, opts.file or "standard input")
        text = f"{added} URLs added, {known} were known"
        self.report(opts, {"added": added, "known": known}, text)

    def _tables(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.results.link_graph import write_tables

        links, results = write_tables(path.parent, user_path(opts.file))
        text = f"{opts.file}: LinkTable {links} rows, ResultTable {results} rows"
        self.report(opts, {"links": links, "results": results}, text)


def _parsed(args: list[str]) -> tuple[str, list[str]]:
    """The verb, which names a method of the command, and the folders in the arguments."""
    return (args[0], args[1:]) if args and args[0] in {DUMP, LOAD, TABLES} else ("show", args)
