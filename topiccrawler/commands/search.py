"""`scrapy search "基金 定投"`: full-text search in the pages that crawls have kept."""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError

if TYPE_CHECKING:
    from topiccrawler.results.search import Hit, MediaHit


class Command(ReportingCommand):
    """The command `scrapy search`: searches the pages of the named jobs, or of all jobs in a folder."""

    takes_dashes = True  # -word: pages without it

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.job and opts.data:
            self.refuse("give --job or --data, not both")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.results.jobs import jobs_in, looked_at, selection_by
        from topiccrawler.results.search import Hit, search, search_media

        data = self.folder_of_jobs(opts)
        with ExitStack() as places:
            named = (looked_at(job, data, self.setting("STORE_URL")) for job in opts.job)
            folders = [places.enter_context(place) for place in named] or jobs_in(data)
            if not folders:
                raise ArgumentError(f"folder {data}", "holds no job", "name one: --job JOBDIR, or --data DIR")
            asked = folders, " ".join(args), selection_by(opts), opts.limit
            found = search_media(*asked) if opts.media else search(*asked)
        if opts.json:
            for hit in found:
                plain = _plain(hit) if isinstance(hit, Hit) else _plain_medium(hit)
                self.say(json.dumps(plain, ensure_ascii=False))
        else:
            what, template = ("picture or file", "search_media") if opts.media else ("page", "search")
            nothing = f"no {what} of {len(folders)} jobs matches"
            self.say(self.text(template, {"hits": found}).lstrip("\n") if found else nothing)


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
        "kind": hit.kind,
        "topic": hit.topic,
        "job": str(hit.job),
    }


def _plain_medium(hit: MediaHit) -> dict[str, Any]:
    page = hit.page
    return {
        **asdict(hit.medium),
        "page": page.url,
        "title": page.title,
        "rank": round(hit.rank, 4),
        "relevance": round(page.relevance, 4),
        "date": page.day,
        "date_of": "published" if page.published else "fetched",
        "topic": page.topic,
        "job": str(hit.job),
    }
