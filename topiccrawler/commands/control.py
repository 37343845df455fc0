"""`scrapy control JOB …`: asks a running crawl how it stands, what comes next and why; pauses, changes and ends it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from topiccrawler.engine.command import ReportingCommand

STATUS, TOP, SITES, WHY, METRICS = "status", "top", "sites", "why", "metrics"
SET, BLOCK = "set", "block"
ORDERS = ("pause", "resume", "stop")
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
        query = dict(zip({TOP: ["n"], SITES: ["n"], WHY: ["url"]}.get(verb, []), words, strict=False))
        found = ask(folder, verb, query, _body(verb, words, opts))
        if verb == SET:
            judge_if_changed(folder, found)
        if isinstance(found, str):
            self.say(found.rstrip())
        else:
            self.report(opts, found, self._text(verb, found))

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
