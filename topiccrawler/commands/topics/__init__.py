"""`scrapy topics`: lists, shows, begins, learns, teaches, edits and checks topics.

A topic decides what a crawl keeps. So its words can be read, and looked over before a crawl relies on them.
"""

from __future__ import annotations

import argparse
from typing import Any

from topiccrawler.commands.topics import edit, learn, show, teach
from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

STEPS = {"list": 0, "show": 1, "new": 1, "check": 1, "learn": 1, "teach": 1, "edit": 1}
"""How many names each takes. The step NAME is done by the command's method _NAME."""
PAGES_SHOWN = 20


class Command(ReportingCommand):
    """The command's checks and its steps."""

    _show, _learn, _teach, _edit = show.work, learn.work, teach.work, edit.work

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        step, *names = args or ["list"]
        if step not in STEPS or STEPS[step] != len(names):
            self.refuse(f"cannot do {' '.join(args)!r}")
        for option, its_steps in self.description["only"].items():
            if getattr(opts, option) not in (None, False, []) and step not in its_steps:
                self.refuse(
                    f"--{option.removeprefix('library_').replace('_', '-')} is for `{'`, `'.join(its_steps)}`"
                )

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        step, *names = args or ["list"]
        getattr(self, f"_{step}")(*names, opts)

    def _list(self, opts: argparse.Namespace) -> None:
        from topiccrawler.topics.catalogue import load_topic, topic_names

        if opts.clc is not None:
            found = _classes(opts.clc)
            self.report(opts, [line for _, line in found], "\n".join(_class_line(*pair) for pair in found))
            return
        topics = [load_topic(name) for name, _ in topic_names()]
        lines = [
            {"name": topic.name, "zh": topic.zh, "also": topic.also, "keywords": len(topic.keywords)}
            | {"link_model": show.has_link_model(self, topic.name)}
            for topic in topics
        ]
        head = f"{'name':18}{'keywords':>8}  {'link model':12}Chinese and other names"
        rows = [
            f"{line['name']:18}{line['keywords']:>8}  {'yes' if line['link_model'] else '-':12}"
            + " ".join([topic.zh, *topic.also])
            for line, topic in zip(lines, topics, strict=True)
        ]
        self.report(opts, lines, "\n".join([head, *rows]))

    def _new(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.topics.catalogue import class_of, keywords_of, topic_from_keywords
        from topiccrawler.topics.topic import joined_words
        from topiccrawler.topics.topic_files import topic_file

        if not opts.keywords and not opts.library_class:
            raise ArgumentError("new", "has no words", "give --keywords 基金,定投:0.5 or --class F83")
        of_class = keywords_of(opts.library_class) if opts.library_class else {}
        own = topic_from_keywords(opts.keywords).keywords if opts.keywords else {}
        zh = opts.zh or (class_of(opts.library_class).name if opts.library_class else joined_words([*own]))
        text = topic_file(name, {**of_class, **own}, zh[:60])
        place = self.new_file(user_path(opts.out or f"{name}.toml"), opts)
        self.write(place, text)
        self.report(opts, {"file": str(place)}, f"{place}: edit it, then scrapy topics check {place}")

    def _check(self, name: str, opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.assemble import topic_of
        from topiccrawler.crawling.recipe import Recipe
        from topiccrawler.crawling.teaching import relevances
        from topiccrawler.relevance.base import EVEN
        from topiccrawler.topics.catalogue import load_topic
        from topiccrawler.topics.meaning import with_proposed
        from topiccrawler.topics.topic_files import Finding, check

        findings = check(with_proposed(load_topic(name)))
        topic = topic_of(Recipe(name))
        files = [user_path(path) for path in opts.pages]
        can_read = bool(files) and all(finding.kind != "error" for finding in findings)
        pages = sorted(relevances(topic, files) if can_read else (), key=lambda page: -page[1])
        reached = sum(relevance >= EVEN for _, relevance in pages)
        if pages and not reached:
            best = f"the best of {len(pages)} pages has {pages[0][1]:.3f}"
            fault = f"no page would be kept: {best}, kept from {EVEN} (page_threshold {topic.page_threshold})"
            findings.append(Finding("warning", fault))
        lines = [f"{finding.kind}: {finding.text}" for finding in findings] or ["nothing is wrong"]
        if pages:
            what = f"pages have a relevance of {EVEN} or more and would be kept"
            lines.append(f"{reached} of {len(pages)} {what}")
            lines += [f"  {relevance:.3f}  {url}" for url, relevance in pages[:PAGES_SHOWN]]
        found: dict[str, Any] = {"topic": topic.name, "findings": [[one.kind, one.text] for one in findings]}
        if files:
            found |= {"threshold": EVEN, "similarity_threshold": topic.page_threshold, "reached": reached}
            found |= {"pages": [[url, round(relevance, 4)] for url, relevance in pages]}
        self.report(opts, found, "\n".join(lines))
        if any(finding.kind == "error" for finding in findings):
            self.exitcode = 1


def _classes(wanted: str) -> list[tuple[int, dict[str, Any]]]:
    """The classes asked for, each with its depth below them."""
    from topiccrawler.topics.catalogue import Class, children, class_of, find

    def below(one: Class, depth: int) -> list[tuple[int, Class]]:
        return [(depth, one), *(pair for child in children(one.code) for pair in below(child, depth + 1))]

    found = find(wanted) if wanted else children()
    if not found:
        class_of(wanted)  # ends the command, and names near ones
    single = bool(wanted) and len(found) == 1
    pairs = below(found[0], 0) if single else [(0, one) for one in found]
    return [(depth, {"code": one.code, "name": one.name, "parent": one.parent}) for depth, one in pairs]


def _class_line(depth: int, line: dict[str, Any]) -> str:
    return f"{'  ' * depth}{line['code']:10}{line['name']}"
