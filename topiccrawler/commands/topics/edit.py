"""`scrapy topics edit NAME|FILE`: a copy of a topic of the catalogue, or a file of one's own, in one's editor; then a look over it."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
from pathlib import Path

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path


def work(command: ReportingCommand, name: str, opts: argparse.Namespace) -> None:
    """Copy, edit, check. Exit code 1 when the topic does not load or cannot work."""
    from topiccrawler.topics.catalogue import load_topic
    from topiccrawler.topics.meaning import with_proposed
    from topiccrawler.topics.topic_files import check

    place = _place(command, name, opts)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        text = f"{place}: edit it (no editor is set: EDITOR=nano), then scrapy topics check {place}"
        command.report(opts, {"file": str(place), "edited": False}, text)
        return
    try:
        ended = subprocess.run([*shlex.split(editor), str(place)], check=False).returncode
    except (OSError, ValueError) as failure:
        raise ArgumentError(f"EDITOR={editor}", f"cannot be started: {failure}", "set another") from None
    if ended:
        raise ArgumentError(f"EDITOR={editor}", f"ended with {ended}", f"the file is {place}")
    findings = check(with_proposed(load_topic(str(place))))
    lines = [f"{finding.kind}: {finding.text}" for finding in findings] or ["nothing is wrong"]
    found = {"file": str(place), "edited": True, "findings": [[one.kind, one.text] for one in findings]}
    command.report(opts, found, "\n".join([*lines, f"{place}: crawl with -a topic={place}"]))
    if any(finding.kind == "error" for finding in findings):
        command.exitcode = 1


def _place(command: ReportingCommand, name: str, opts: argparse.Namespace) -> Path:
    """The file to edit: the user's own, or a copy of a topic of the catalogue, which is made once."""
    from topiccrawler.crawling.assemble import as_toml
    from topiccrawler.topics.catalogue import load_topic

    own = user_path(name)
    if own.suffix == ".toml" and own.is_file() and not opts.out:
        return own
    topic = load_topic(name)
    place = user_path(opts.out or f"{topic.name}.toml")
    if opts.out or not place.exists() or opts.force:
        command.write(command.new_file(place, opts), as_toml(topic))
    return place
