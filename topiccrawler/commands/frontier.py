"""`scrapy frontier`: how the queue of a job stands, what comes next and why, why hosts wait; and the queue as a file.

The conflict: the one who asks why a crawl stands still must not disturb it, and must get an answer from a queue of
millions; so everything here but `load` only reads, in one look, while the crawl goes on.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

USAGE = """[JOBDIR]
  scrapy frontier [dump] --job NAME
  scrapy frontier dump [JOBDIR] [--file FILE]
  scrapy frontier load [JOBDIR] [--file FILE]
  scrapy frontier tables [JOBDIR] --file FILE"""
DUMP, LOAD, TABLES = "dump", "load", "tables"


class Command(ReportingCommand):
    """The command's options and its steps."""

    usage = USAGE
    summary = "Show the queue of a job: counts, what comes next and why, why hosts wait; dump or load it"
    details = (
        "JOBDIR is the folder a crawl was given with -s JOBDIR=…; it may be running. `dump` writes every URL as a "
        "JSON line, `load` reads such lines into a job that does not run (a new one is made); `tables` writes the links and "
        "the pages kept as a SQLite file with JLSE's LinkTable and ResultTable."
    )

    def options(self, add: Callable[..., argparse.Action]) -> None:
        add("--top", type=int, default=10, metavar="N", help="URLs and hosts shown (default 10)")
        job = "a crawl of several processes, on the server that a setting names, instead of JOBDIR"
        add("--job", metavar="NAME", help=job)
        file = "for dump and load, instead of standard output and input; for tables, the file to write"
        add("--file", metavar="FILE", help=file)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        self.refuse_options(args)
        if len(_folders(args)) > 1 or opts.top < 0:
            self.refuse("give one JOBDIR, and --top from 0")
        if args and args[0] == TABLES and not opts.file:
            self.refuse("tables: name the file to write by --file FILE")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.job_files import FRONTIER
        from topiccrawler.crawling.page_stores import folder_named

        if opts.job:
            self._on_server(args, opts)
            return
        folder = next(iter(_folders(args)), None) or self.setting("JOBDIR")
        if not folder:
            remedy = "name the folder the crawl was given with -s JOBDIR=…"
            raise ArgumentError("scrapy frontier", "no JOBDIR is given", remedy)
        path = folder_named(folder, self.data) / FRONTIER
        if args and args[0] == DUMP:
            self._dump(path, opts)
        elif args and args[0] == LOAD:
            self._load(path, opts)
        elif args and args[0] == TABLES:
            self._tables(path.parent, opts)
        else:
            self._show(path, opts)

    def _on_server(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.recipe import Recipe
        from topiccrawler.crawling.servers import no_queue_server, queue_address
        from topiccrawler.frontier.dump import dump
        from topiccrawler.results.summary import report_of

        queue = queue_address(self.setting)
        if queue is None:
            raise no_queue_server(f"--job {opts.job}")
        if args not in ([], [DUMP]):
            raise ArgumentError(
                " ".join(args), "is not for a crawl on a server", "only the overview and dump are"
            )
        view = queue.server.open_view(queue.address, opts.job)
        try:
            if args:
                self._write(dump(view.notes_of(0), view.rows()), opts)
                return
            report = report_of(
                view.overview(opts.top), Recipe.from_json(view.made_of, view.name), opts.top, time.time()
            )
            self.report(opts, report, _page(report))
        finally:
            view.close()

    def _show(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.results.summary import queue_report

        report = queue_report(path.parent, opts.top, time.time())
        self.report(opts, report, _page(report))

    def _dump(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.frontier.dump import dump, reading

        with reading(path) as rows:
            self._write(dump(rows.notes(), rows.listing()), opts)

    def _write(self, lines: Iterable[str], opts: argparse.Namespace) -> None:
        if opts.file:
            with Path(opts.file).open("w", encoding="utf-8") as out:
                out.writelines(f"{line}\n" for line in lines)
        else:
            for line in lines:
                sys.stdout.buffer.write(line.encode() + b"\n")

    def _load(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.frontier.dump import load
        from topiccrawler.frontier.sqlite import SqliteFrontier

        if opts.file and not Path(opts.file).is_file():
            raise ArgumentError(f"--file {opts.file}", "there is no such file", "name a file written by dump")
        path.parent.mkdir(parents=True, exist_ok=True)
        with SqliteFrontier(path, acknowledgements_per_commit=sys.maxsize) as frontier:
            if opts.file:
                with Path(opts.file).open(encoding="utf-8", errors="replace") as lines:
                    added, known = load(lines, frontier, opts.file)
            else:
                added, known = load(_standard_input(), frontier, "standard input")
        text = f"{added} URLs added, {known} were known"
        self.report(opts, {"added": added, "known": known}, text)

    def _tables(self, job: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.results.link_graph import write_tables

        links, results = write_tables(job, user_path(opts.file))
        text = f"{opts.file}: LinkTable {links} rows, ResultTable {results} rows"
        self.report(opts, {"links": links, "results": results}, text)


def _folders(args: list[str]) -> list[str]:
    return args[1:] if args and args[0] in {DUMP, LOAD, TABLES} else args


def _standard_input() -> Iterable[str]:
    return (line.decode("utf-8", "replace") for line in sys.stdin.buffer)


def _page(report: Mapping[str, Any]) -> str:
    strategy = report.get("strategy")
    begun = f"{report.get('topic_name', 'job')}, {strategy}: " if strategy is not None else ""
    lines = [f"{begun}{report['pages']} pages, {report['kept']} kept, {report['hosts']} hosts"]
    lines.append(", ".join(f"{count} {state}" for state, count in report["states"].items()))
    if report["over_budget"]:
        lines.append(
            f"{report['over_budget']} of those waiting are over a budget: their hosts are asked no more"
        )
    lines += next_lines(report["top"])
    if report["top_hosts"]:
        lines.append("\nHosts with most waiting (waiting, processing, error, discarded, completed)")
    for host in report["top_hosts"]:
        counts = " ".join(f"{host.get(state, 0):7d}" for state in report["states"])
        lines.append(f"  {counts}  {host['host']}{_because(host)}")
    if report["waits"]:
        parts_of_line = [f"{reason}: {hosts} hosts" for reason, hosts in report["waits"].items()]
        lines.append(f"\nWhy hosts wait: {', '.join(parts_of_line)}")
        lines += [f"  {host['host']}{_because(host)}" for host in report["waiting_hosts"]]
    for title, name in (("Failed", "failures"), ("Discarded", "discards")):
        if report[name]:
            lines.append(f"\n{title}, by reason")
            lines += [f"  {count:7d}  {reason or '(no reason)'}" for reason, count in report[name].items()]
    return "\n".join(lines)


def next_lines(top: list[dict[str, Any]]) -> list[str]:
    """What comes next and why, for a person."""
    from topiccrawler.urls.canonical import readable

    lines = ["\nNext by score"] if top else []
    for row in top:
        lines.append(f"  {row['score']:9.3f}  {readable(row['url'])}{_because(row)}")
        why = "; ".join(f"{name} {share:+.2f}" for name, share in row["shares"])
        source = f"on {readable(row['source_url'])}" if row["source_url"] else ""
        parts_of_line = [part for part in (row["anchor"] and f"“{row['anchor'][:60]}”", why, source) if part]
        if parts_of_line:
            lines.append(f"             {' · '.join(parts_of_line)}")
    return lines


def host_lines(hosts: Iterable[Mapping[str, Any]]) -> list[str]:
    """Hosts with most waiting, of a running crawl, for a person."""
    return [f"  {host['waiting']:7d}  {host['host']}{_because(host)}" for host in hosts]


def _because(entry: Mapping[str, Any]) -> str:
    if "wait" not in entry:
        return ""
    until = "for good" if entry["seconds"] is None else f"{entry['seconds']:.0f} s more"
    return f"  [{entry['wait']}, {until}]"
