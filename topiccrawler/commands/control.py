"""`scrapy control JOB …`: asks a running crawl how it stands, what comes next and why; pauses, changes and ends it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.files import user_path

STATUS, TOP, SITES, WHY, METRICS = "status", "top", "sites", "why", "metrics"
SET, BLOCK = "set", "block"
ORDERS = ("pause", "resume", "stop")
WORDS = {
    STATUS: (0, 0),
    TOP: (0, 1),
    SITES: (0, 1),
    WHY: (1, 1),
    METRICS: (0, 0),
    **dict.fromkeys(ORDERS, (0, 0)),
}  # behind the verb: least, most
USAGE = """JOB [status | pause | resume | stop | top [N] | sites [N] | why URL | metrics] [--json]
  scrapy control JOB set NAME=VALUE [--preview] [--json]
  scrapy control JOB block PATTERN | --site HOST [--preview] [--json]"""


class Command(ReportingCommand):
    """The command's options and its steps."""

    usage = USAGE
    summary = "Ask and steer a running crawl: status, top, sites, why, pause, resume, stop, set, block"
    details = (
        "JOB is a job's folder (a JOBDIR too), or its name in TOPIC_DATA_DIR. A crawl started with TOPIC_CONTROL=False does not answer. "
        "See docs/control.md for HTTP and /metrics."
    )

    def options(self, add: Callable[..., argparse.Action]) -> None:
        add("--site", metavar="HOST", help="block: this host and its subdomains")
        add("--preview", action="store_true", help="set, block: only say what it would do")

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        self.refuse_options(args)
        if not args:
            self.refuse("give one JOB and what it is to do")
        verb = args[1] if len(args) > 1 else STATUS
        least, most = WORDS.get(verb, (0, -1))
        if verb == SET:
            least = most = 1
        elif verb == BLOCK:
            least = most = 0 if opts.site else 1
        if (opts.site and verb != BLOCK) or (opts.preview and verb not in {SET, BLOCK}):
            self.refuse(f"--site is for block, --preview for set and block, not for {verb}")
        if verb == SET and not all("=" in word for word in args[2:]):
            self.refuse("set wants NAME=VALUE")
        if not least <= len(args[2:]) <= most:
            self.refuse(f"cannot do {' '.join(args[1:])!r}")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.engine.control.client import ask, ask_text

        folder = _folder(args[0], self.data)
        verb, words = args[1] if len(args) > 1 else STATUS, args[2:]
        if verb == METRICS:
            self.say(ask_text(folder, verb).rstrip())
            return
        query = dict(zip({TOP: ["n"], SITES: ["n"], WHY: ["url"]}.get(verb, []), words, strict=False))
        found = ask(folder, verb, query, _body(verb, words, opts))
        self.report(opts, found, _text(verb, found))


def _folder(given: str, data: Path) -> Path:
    """A crawl that has no page yet is one, too."""
    from topiccrawler.crawling.page_stores import homes_of
    from topiccrawler.engine.control.client import FILE
    from topiccrawler.results.jobs import job_folder

    for folder in (user_path(given), *(home / given for home in homes_of(data))):
        if (folder / FILE).is_file():
            return folder
    return job_folder(given, data)


def _body(verb: str, words: list[str], opts: argparse.Namespace) -> dict[str, object] | None:
    """What an order says; None for a question."""
    if verb == SET:
        name, _, value = words[0].partition("=")
        return {"name": name.strip(), "value": value.strip(), "preview": opts.preview}
    if verb == BLOCK:
        return {"pattern": "".join(words), "site": opts.site or "", "preview": opts.preview}
    return {} if verb in ORDERS else None


def _text(verb: str, found: Mapping[str, Any]) -> str:
    from topiccrawler.commands.explain import explanation_text
    from topiccrawler.commands.frontier import host_lines, next_lines

    if verb == TOP:
        return "\n".join(next_lines(found["top"])).strip("\n") or "nothing waits"
    if verb == SITES:
        return "\n".join(host_lines(found["sites"])) or "nothing waits"
    if verb == SET:
        before, after = (found.get(f"{key}_name", found[key]) for key in ("before", "after"))
        was = f"{'would be' if found['preview'] else 'is'} {after}, was {before}"
        refused = f"; the gate {'would refuse' if found['preview'] else 'refuses'} {found['refused']} of {found['queued']} queued"
        return f"{found['name']} {was}{refused if found['refused'] is not None else ''}"
    if verb == BLOCK:
        return f"{'would drop' if found['preview'] else 'dropped'} {found['dropped']} of {found['queued']} queued"
    return explanation_text(found) if verb == WHY else status_text(found)


def _promised(found: Mapping[str, Any]) -> Iterator[str]:
    if (promise := found.get("promise")) is not None:  # of a crawl of an earlier version it is not there
        yield f"about {found['relevant_waiting']} relevant pages wait; the next 100 pages promise {promise:.0%}"


def status_text(found: Mapping[str, Any]) -> str:
    """How it stands, for a person."""
    lines = [
        f"{found['topic_name']}, {found['strategy']}: {found['state']}",
        f"{found['pages']} pages, {found['kept']} kept, harvest rate {found['harvest_rate']:.2f}"
        + (
            f" (last {found['recent_pages']}: {found['recent_harvest_rate']:.2f})"
            if found["recent_pages"]
            else ""
        )
        + f", {found['pages_per_second']:g} pages/s",
        f"{found['queued']} queued, {found['in_flight']} in flight, {found['hosts']} hosts",
        *_promised(found),
    ]
    if found["hosts_waiting"]:
        waits = ", ".join(f"{reason} {hosts}" for reason, hosts in found["hosts_waiting"].items())
        lines.append(f"hosts that wait: {waits}")
    if found["standing"]:
        lines.append(f"no request goes out: {found['standing']}")
    return "\n".join(lines)
