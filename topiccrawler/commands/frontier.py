"""`scrapy frontier`: how the queue of a job stands, what comes next and why, why hosts wait; and the queue as a file.

The conflict: the one who asks why a crawl stands still must not disturb it, and must get an answer from a queue of
millions; so everything here but `load` only reads, in one look, while the crawl goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping
from math import inf, isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from topiccrawler.errors import ArgumentError, CrawlerError

if TYPE_CHECKING:
    from topiccrawler.frontier.overview import Overview
    from topiccrawler.model import Link

USAGE = """[JOBDIR]
  scrapy frontier dump [JOBDIR] [--file FILE]
  scrapy frontier load [JOBDIR] [--file FILE]"""
FILE = "frontier.sqlite"
_WORDS = 4  # shares shown for one link


class Command(ScrapyCommand):
    """The command's options and its steps."""

    requires_crawler_process = False

    def syntax(self) -> str:
        return USAGE

    def short_desc(self) -> str:
        return "Show the queue of a job: counts, what comes next and why, why hosts wait; dump or load it"

    def long_desc(self) -> str:
        return (
            "JOBDIR is the folder a crawl was given with -s JOBDIR=…; it may be running. `dump` writes every URL as a "
            "JSON line, `load` reads such lines into a job that does not run (a new one is made)."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--top", type=int, default=10, metavar="N", help="URLs and hosts shown (default 10)"
        )
        parser.add_argument(
            "--file", metavar="FILE", help="for dump and load, instead of standard output and input"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        step = args[0] if args and args[0] in {"dump", "load"} else "show"
        rest = args if step == "show" else args[1:]
        if len(rest) > 1 or any(arg.startswith("-") for arg in rest) or opts.top < 0:
            wrong = next((arg for arg in rest if arg.startswith("-")), None)
            fault = f"unknown option {wrong}" if wrong else "give one JOBDIR, and --top from 0"
            raise UsageError(f"scrapy frontier: {fault}; usage: scrapy frontier {USAGE}", print_help=False)
        try:
            path = self._path(rest)
            {"show": self._show, "dump": self._dump, "load": self._load}[step](path, opts)
        except CrawlerError as failure:
            print(failure, file=sys.stderr)
            self.exitcode = 1
        except OSError as failure:
            print(f"{failure.filename or 'output'}: {failure.strerror}", file=sys.stderr)
            self.exitcode = 1

    def _path(self, rest: list[str]) -> Path:
        folder = rest[0] if rest else self.settings.get("JOBDIR") if self.settings else None
        if not folder:
            raise ArgumentError(
                "scrapy frontier",
                "no JOBDIR is given",
                "name the folder the crawl was given with -s JOBDIR=…",
            )
        return Path(folder) / FILE

    def _show(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.frontier.overview import overview

        seen = overview(path, opts.top)
        report = _report(seen, self._reasons(seen), opts.top, time.time())
        print(json.dumps(report, ensure_ascii=False) if opts.json else _page(report))

    def _reasons(self, seen: Overview) -> list[list[tuple[str, float]]]:
        """What the crawl's own scorer says of each top URL; nothing for a strategy without one."""
        from topiccrawler.crawl.checkpoints import NOTE
        from topiccrawler.frontier.overview import notes_as_json
        from topiccrawler.link_model.from_keywords import scorer_of_job
        from topiccrawler.strategies import STRATEGIES
        from topiccrawler.topics.catalogue import load_topic

        job = notes_as_json(seen.notes, "job")
        strategy = STRATEGIES.get(str(job.get("strategy")))
        if strategy is None or not strategy.needs_link_scorer:
            return [[] for _ in seen.top]
        state = notes_as_json(seen.notes, NOTE).get("state")
        learned = state.get("learned") if isinstance(state, dict) else None
        named = self.settings.get("TOPIC_LINK_MODELS") if self.settings else None
        try:
            scorer, _ = scorer_of_job(load_topic(str(job.get("topic"))), job, named, learned)
        except (CrawlerError, ValueError):
            return [[] for _ in seen.top]
        return [scorer.explain(row.link)[:_WORDS] for row in seen.top]

    def _dump(self, path: Path, opts: argparse.Namespace) -> None:
        from topiccrawler.frontier.dump import dump
        from topiccrawler.frontier.overview import reading

        with reading(path) as rows:
            if opts.file:
                with Path(opts.file).open("w", encoding="utf-8") as out:
                    out.writelines(f"{line}\n" for line in dump(rows))
            else:
                for line in dump(rows):
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
        print(json.dumps({"added": added, "known": known}) if opts.json else text)


def _standard_input() -> Iterable[str]:
    return (line.decode("utf-8", "replace") for line in sys.stdin.buffer)


def _report(seen: Overview, reasons: list[list[tuple[str, float]]], top: int, now: float) -> dict[str, Any]:
    from topiccrawler.engine.queue_stats import NOTE, noted_waits
    from topiccrawler.frontier.overview import notes_as_json

    waits = {
        host: (reason, until) for host, reason, until in noted_waits(seen.notes.get(NOTE)) if until > now
    }
    harvest = notes_as_json(seen.notes, "harvest")
    counts: dict[str, int] = {}
    for reason, _ in waits.values():
        counts[reason] = counts.get(reason, 0) + 1
    return {
        **notes_as_json(seen.notes, "job"),
        "pages": harvest.get("pages", 0),
        "kept": harvest.get("kept", 0),
        "states": seen.states,
        "hosts": len(seen.hosts),
        "waits": counts,
        "held": sum(
            seen.hosts.get(host, {}).get("waiting", 0) for host, (_, until) in waits.items() if isinf(until)
        ),
        "top_hosts": [
            {"host": host, **seen.hosts[host], **_wait(waits.get(host), now)}
            for host in list(seen.hosts)[:top]
        ],
        "waiting_hosts": [{"host": host, **_wait(wait, now)} for host, wait in list(waits.items())[:top]],
        "top": [
            {**_link(row.link), "score": row.score, "reasons": shares, **_wait(waits.get(row.link.host), now)}
            for row, shares in zip(seen.top, reasons, strict=True)
        ],
        "failures": dict(list(seen.failures.items())[:top]),
        "discards": dict(list(seen.discards.items())[:top]),
    }


def _link(link: Link) -> dict[str, Any]:
    return {"url": link.url, "anchor": link.anchor, "source_url": link.source_url, "depth": link.depth}


def _wait(wait: tuple[str, float] | None, now: float) -> dict[str, Any]:
    """`seconds` is None for a host that is asked no more."""
    if wait is None:
        return {}
    return {"wait": wait[0], "seconds": None if wait[1] == inf else round(wait[1] - now, 1)}


def _page(report: Mapping[str, Any]) -> str:
    begun = f"{report.get('topic', 'job')}, {report.get('strategy', '?')}: " if "strategy" in report else ""
    lines = [f"{begun}{report['pages']} pages, {report['kept']} kept, {report['hosts']} hosts"]
    lines.append(", ".join(f"{count} {state}" for state, count in report["states"].items()))
    if report["held"]:
        lines.append(f"{report['held']} of those waiting are held back: their hosts are asked no more")
    lines += _next(report["top"])
    if report["top_hosts"]:
        lines.append("\nHosts with most waiting (waiting, processing, error, discarded, completed)")
    for host in report["top_hosts"]:
        counts = " ".join(f"{host.get(state, 0):7d}" for state in report["states"])
        lines.append(f"  {counts}  {host['host']}{_because(host)}")
    if report["waits"]:
        told = [f"{reason}: {hosts} hosts" for reason, hosts in report["waits"].items()]
        lines.append(f"\nWhy hosts wait: {', '.join(told)}")
        lines += [f"  {host['host']}{_because(host)}" for host in report["waiting_hosts"]]
    for title, name in (("Failed", "failures"), ("Discarded", "discards")):
        if report[name]:
            lines.append(f"\n{title}, by reason")
            lines += [f"  {count:7d}  {reason or '(no reason)'}" for reason, count in report[name].items()]
    return "\n".join(lines)


def _next(top: list[dict[str, Any]]) -> list[str]:
    lines = ["\nNext by score"] if top else []
    for row in top:
        lines.append(f"  {row['score']:9.3f}  {row['url']}{_because(row)}")
        why = "; ".join(f"{name} {share:+.2f}" for name, share in row["reasons"])
        source = f"on {row['source_url']}" if row["source_url"] else ""
        told = [part for part in (row["anchor"] and f"“{row['anchor'][:60]}”", why, source) if part]
        if told:
            lines.append(f"             {' · '.join(told)}")
    return lines


def _because(entry: Mapping[str, Any]) -> str:
    if "wait" not in entry:
        return ""
    until = "for good" if entry["seconds"] is None else f"{entry['seconds']:.0f} s more"
    return f"  [{entry['wait']}, {until}]"
