"""`scrapy frontier`: how the queue of a job stands, what comes next and why, why hosts wait.

The conflict: the one who asks why a crawl stands still must not disturb it, and must get an answer from a queue of
millions; so everything here only reads, in one look, while the crawl goes on.
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

TABLES = "tables"


class Command(ReportingCommand):
    """The command `scrapy frontier`: shows the queue, or with `tables` writes links and pages as a SQLite file."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        tables, folders = _parsed(args)
        if len(folders) > 1:
            self.refuse("give one JOBDIR")
        if tables and not opts.file:
            self.refuse("tables: name the file to write by --file FILE")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.page_stores import folder_named
        from topiccrawler.results.summary import report_in

        if opts.job:
            self._show(self._on_server(args, opts), opts)
            return
        tables, folders = _parsed(args)
        given = next(iter(folders), None) or self.setting("JOBDIR")
        if not given:
            raise ArgumentError("scrapy frontier", "no job is given", "name its folder, or give -s JOBDIR=…")
        folder = folder_named(given, self.data)
        if tables:
            self._write_tables(folder, opts)
        else:
            self._show(report_in(folder, opts.top), opts)

    def _on_server(self, args: list[str], opts: argparse.Namespace) -> dict[str, Any]:
        from topiccrawler.cluster.redis.server import RedisView
        from topiccrawler.crawling.recipe import Recipe
        from topiccrawler.crawling.servers import no_queue_server
        from topiccrawler.results.summary import parts_by, queue_report

        if (url := self.setting("REDIS_URL")) is None:
            raise no_queue_server(f"--job {opts.job}")
        if args:
            fault, remedy = "is not for a crawl on a server", "leave it out to see the overview"
            raise ArgumentError(" ".join(args), fault, remedy)
        with closing(RedisView(url, opts.job)) as view:
            recipe = Recipe.from_json(view.made_of, view.name)
            return queue_report(view, recipe, opts.top, time.time(), parts_by(recipe))

    def _show(self, report: dict[str, Any], opts: argparse.Namespace) -> None:
        self.report(opts, report, self.text("frontier", report))

    def _write_tables(self, folder: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.results.link_graph import write_tables

        links, results = write_tables(folder, user_path(opts.file))
        text = f"{opts.file}: LinkTable {links} rows, ResultTable {results} rows"
        self.report(opts, {"links": links, "results": results}, text)


def _parsed(args: list[str]) -> tuple[bool, list[str]]:
    """Whether tables are asked for, and the folders in the arguments."""
    return (True, args[1:]) if args[:1] == [TABLES] else (False, args)
