"""`scrapy control JOB …`: asks a running crawl how it stands; pauses, changes and ends it. What comes next and why is read from the job's
files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError

STATUS, TOP, SITES, WHY, METRICS = "status", "top", "sites", "why", "metrics"
SET, BLOCK = "set", "block"
ORDERS = ("pause", "resume", "stop")
MOST_SHOWN, MOST_TOP, MOST_DIGITS = "10", 1000, 4  # URLs or hosts: default and maximum
# verb -> the least and the greatest number of arguments after it
WORDS = {
    **dict.fromkeys((STATUS, METRICS, *ORDERS), (0, 0)),
    **dict.fromkeys((TOP, SITES), (0, 1)),
    **dict.fromkeys((WHY, SET, BLOCK), (1, 1)),
}


class Command(ReportingCommand):
    """The command `scrapy control`: sends one request to a running crawl and prints the response."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args:
            self.refuse("give one JOB and what it is to do")
        verb = args[1] if len(args) > 1 else STATUS
        least, most = WORDS.get(verb, (0, -1))
        if verb == BLOCK and opts.site:
            least = most = 0
        if (opts.site and verb != BLOCK) or (opts.preview and verb not in {SET, BLOCK}):
            self.refuse(f"--site is for block, --preview for set and block, not for {verb}")
        if verb == SET and not all("=" in word for word in args[2:]):
            self.refuse("set wants NAME=VALUE")
        if not least <= len(args[2:]) <= most:
            self.refuse(f"cannot do {' '.join(args[1:])!r}")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.engine.control.client import ask, judge_if_changed
        from topiccrawler.results.jobs import job_folder

        folder = job_folder(args[0], self.data)
        verb, words = args[1] if len(args) > 1 else STATUS, args[2:]
        found: Any
        if verb in {TOP, SITES}:
            found = {verb: self._listed(folder, verb, *words)}
        elif verb == WHY:
            found = self._why(folder, words[0])
        else:
            found = ask(folder, verb, _body(verb, words, opts))
        if verb == SET:
            judge_if_changed(folder, found)
        if isinstance(found, str):
            self.say(found.rstrip())
        else:
            self.report(opts, found, self._text(verb, found))

    def _listed(self, folder: Path, verb: str, number: str = MOST_SHOWN) -> list[dict[str, Any]]:
        """The next URLs of the queue, or the hosts with the most waiting ones."""
        from topiccrawler.results.summary import report_in

        if not number.isdecimal() or len(number) > MOST_DIGITS or not 0 < int(number) <= MOST_TOP:
            raise ArgumentError(f"{verb} {number}", "is no such number", f"give one from 1 to {MOST_TOP}")
        report = report_in(folder, int(number))
        hosts = [host for host in report["top_hosts"] if host.get("waiting")]
        return report["top"] if verb == TOP else hosts

    def _why(self, folder: Path, url: str) -> dict[str, Any]:
        """The explanation of a URL, as `scrapy explain` gives it."""
        from topiccrawler.crawling.explanation import why
        from topiccrawler.crawling.past_crawl import FetchLimits, PastCrawl
        from topiccrawler.engine.control.client import running_in

        running = running_in(folder)
        with closing(PastCrawl(folder)) as crawl:
            limits = FetchLimits.of(self.project)
            return why(crawl, url, limits, None if running is None else running.page_threshold)

    def _text(self, verb: str, found: Mapping[str, Any]) -> str:
        if verb in {TOP, SITES}:
            shown = self.text("next" if verb == TOP else SITES, found).strip("\n")
            return shown if found[verb] else "nothing waits"
        templates = {SET: SET, BLOCK: BLOCK, WHY: "explain"}
        return self.text(templates.get(verb, STATUS), found)


def _body(verb: str, words: list[str], opts: argparse.Namespace) -> dict[str, object] | None:
    """The JSON body of a request that changes something; None for one that only reads."""
    if verb == SET:
        name, _, value = words[0].partition("=")
        return {"name": name.strip(), "value": value.strip(), "preview": opts.preview}
    if verb == BLOCK:
        return {"pattern": "".join(words), "site": opts.site or "", "preview": opts.preview}
    return {} if verb in ORDERS else None
