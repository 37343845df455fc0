"""`scrapy search "基金 定投"`: full-text search in the pages that crawls have kept."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.results.search import Hit

LIMIT = 10


class Command(ReportingCommand):
    """The command's options and its steps."""

    json_help = "print JSON lines, one a page"
    usage = "QUERY [--job JOB … | --data DIR] [--topic TOPIC] [--site HOST] [--since DATE] [--min-relevance R] [--kind KIND] [--limit N] [--json]"
    summary = "Search the texts of the pages that crawls have kept"
    details = (
        'QUERY: words that must all occur, "a phrase", -word to leave out; a query that begins with - stands after --. Without '
        "--job the jobs in TOPIC_DATA_DIR are searched. Results are ranked by BM25 * relevance to the job's topic."
    )

    def options(self, add: Callable[..., argparse.Action]) -> None:
        from topiccrawler.results.jobs import add_options

        job = "folder of a job, its pages.sqlite, its name in TOPIC_DATA_DIR or, with STORE_URL, in that database; may be given several times"
        add("--job", metavar="JOB", action="append", default=[], help=job)
        add("--data", metavar="DIR", help="folder of jobs (default: TOPIC_DATA_DIR)")
        add_options(add)
        add("--limit", type=int, default=LIMIT, metavar="N", help=f"default {LIMIT}")

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            self.refuse("give words to look for")
        if opts.job and opts.data:
            self.refuse("give --job or --data, not both")
        self.refuse_below_one(opts, "limit")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.results.jobs import jobs_in, looked_at, selection_by
        from topiccrawler.results.search import search

        data = user_path(opts.data or self.data)
        with ExitStack() as places:
            named = (looked_at(job, data, self.setting("STORE_URL")) for job in opts.job)
            folders = [places.enter_context(place) for place in named] or jobs_in(data)
            if not folders:
                raise ArgumentError(f"folder {data}", "holds no job", "name one: --job JOBDIR, or --data DIR")
            hits = search(folders, " ".join(args), selection_by(opts), opts.limit, _told)
        if opts.json:
            for hit in hits:
                self.say(json.dumps(_plain(hit), ensure_ascii=False))
        else:
            self.say("\n\n".join(map(_text, hits)) if hits else f"no page of {len(folders)} jobs matches")


def _told(folder: Path, done: int, of: int) -> None:
    """A first search of many pages takes a while."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rindexing {folder.name}: {done} of {of} pages{'' if done < of else chr(10)}")


def _plain(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title.text,
        "snippet": hit.snippet.text,
        "marks": hit.snippet.marks,
        "rank": round(hit.rank, 4),
        "relevance": round(hit.relevance, 4),
        "date": hit.day,
        "date_of": "published" if hit.is_published else "fetched",
        "format": hit.format,
        "topic": hit.topic,
        "job": str(hit.job),
    }


def _text(hit: Hit) -> str:
    from topiccrawler.urls.canonical import readable

    day = f"{'published' if hit.is_published else 'fetched'} {hit.day}"
    about = f"{hit.rank:.2f} · relevance {hit.relevance:.2f} · {day} · {hit.job.name}"
    lines = [hit.title.marked() or "(no title)", readable(hit.url), about, hit.snippet.marked()]
    return "\n".join(f"{'  ' if number else ''}{line}" for number, line in enumerate(lines) if line)
