"""`scrapy explain`: why a link has its score, what the gate says of it, and what a past crawl did with it.

The conflict: a person asks "why this page?" of numbers that three files and a model hold, each in its own words; the
answer must add up to the very score the crawl used, also where the crawl learned on its way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from topiccrawler.errors import ArgumentError, CrawlerError, StateError

if TYPE_CHECKING:
    from topiccrawler.crawl.history import History, PastCrawl
    from topiccrawler.link_model.classifier import LinkClassifier
    from topiccrawler.link_model.learning import LinkLearner
    from topiccrawler.model import Link
    from topiccrawler.topics.topic import Topic

VERSION = 1
BY_HAND = "by hand"  # the source of a link that is given in words: no seed, so the gate judges it


class Command(ScrapyCommand):
    """The command's options and its steps."""

    requires_crawler_process = False

    def syntax(self) -> str:
        return "URL | --anchor TEXT [--before TEXT] [--after TEXT]  [--topic TOPIC] [--job DIR] [--json]"

    def short_desc(self) -> str:
        return (
            "Explain the score of a link word by word, the gate's decision, and what a past crawl did with it"
        )

    def long_desc(self) -> str:
        return (
            "Without --job (or JOBDIR) the link is scored as it is given here. With it, the link is taken as that "
            "crawl met it, scored with what the crawl had learned, and its path from the seed is shown."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--anchor", metavar="TEXT", help="the link's text")
        parser.add_argument("--before", metavar="TEXT", help="text before the link")
        parser.add_argument("--after", metavar="TEXT", help="text after the link")
        parser.add_argument(
            "--topic", metavar="TOPIC", help="topic name or file (default: the job's, else TOPIC)"
        )
        parser.add_argument("--job", metavar="DIR", help="folder of a past crawl: its JOBDIR or data folder")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        wrong = next((arg for arg in args if arg.startswith("-")), None)
        if wrong or len(args) > 1 or not (args or opts.anchor):
            fault = f"unknown option {wrong}" if wrong else "give one URL, or --anchor TEXT"
            raise UsageError(
                f"scrapy explain: {fault}; usage: scrapy explain {self.syntax()}", print_help=False
            )
        try:
            found = self._explain(args[0] if args else None, opts)
        except CrawlerError as failure:
            print(failure, file=sys.stderr)
            self.exitcode = 1
            return
        print(json.dumps(found, ensure_ascii=False) if opts.json else _text(found))

    def _explain(self, given: str | None, opts: argparse.Namespace) -> dict[str, Any]:
        from topiccrawler.crawl.history import PastCrawl, with_text
        from topiccrawler.model import Link
        from topiccrawler.urls.canonical import canonical, host_of

        url = canonical(given) if given else ""
        if url is None:
            raise ArgumentError(f"URL {given!r}", "is no http(s) URL", "write it as http://host/path")
        folder = opts.job or (self._setting("JOBDIR") if url else None)
        past = PastCrawl(Path(folder).expanduser()) if folder else None
        try:
            topic = self._topic(opts.topic, past)
            history = past.of(url) if past is not None and url else None
            link = history.link if history is not None else Link(url, host_of(url), source_url=BY_HAND)
            link = with_text(link, anchor=opts.anchor, before=opts.before, after=opts.after)
            scorer, model = self._scorer(topic, past)
            found = self._scored(link, history, topic, scorer)
            return {
                **found,
                "model": {"topic": model.topic, "context": model.context, "learned_pages": _learned(scorer)},
                "crawl": _crawl(history, past) if history is not None and past is not None else None,
                "version": VERSION,
            }
        finally:
            if past is not None:
                past.close()

    def _topic(self, given: str | None, past: PastCrawl | None) -> Topic:
        from topiccrawler.topics.catalogue import load_topic

        name = given or (past.topic() if past is not None else None) or self._setting("TOPIC")
        if not name:
            raise ArgumentError(
                "scrapy explain", "does not know the topic", "add --topic finance, for example"
            )
        return load_topic(name)

    def _scorer(
        self, topic: Topic, past: PastCrawl | None
    ) -> tuple[LinkClassifier | LinkLearner, LinkClassifier]:
        """The topic's link model, with what the crawl learned upon it."""
        from topiccrawler.link_model.from_keywords import scorer_of_job

        job = past.job() if past is not None else {}
        strategy = past.strategy() if past is not None else None
        learned = strategy[1].get("learned") if strategy is not None else None
        try:
            return scorer_of_job(topic, job, self._setting("TOPIC_LINK_MODELS"), learned)
        except ValueError as failure:
            raise StateError("what the crawl learned", f"is damaged ({failure})", "use a copy") from None

    def _scored(
        self, link: Link, history: History | None, topic: Topic, scorer: LinkClassifier | LinkLearner
    ) -> dict[str, Any]:

        from topiccrawler.crawl.gate import LinkGate
        from topiccrawler.text.odds import logistic

        threshold = topic.link_threshold
        if self.settings is not None:
            threshold = self.settings.getfloat("TOPIC_LINK_THRESHOLD", topic.link_threshold or 0.0)
        gate = LinkGate(scorer, threshold, topic.tunnel_probability, topic.tunnel_depth)
        decision = gate.decide(link, history.tunnel if history is not None else 0)
        score = scorer.log_odds([link])[0]
        return {
            "link": link._asdict(),
            "topic": topic.name,
            "features": [{"feature": name, "log_odds": share} for name, share in scorer.explain(link)],
            "score": score,
            "probability": logistic(score),
            "gate": {
                "threshold": threshold,
                "passed": decision.passed,
                "tunnel": decision.tunnel,
                "reason": decision.reason or _why_passed(link, threshold, decision.tunnel),
            },
        }

    def _setting(self, name: str) -> str | None:
        return (self.settings.get(name) if self.settings is not None else None) or None


def _why_passed(link: Link, threshold: float, tunnel: int) -> str:
    if threshold <= 0:
        return "the gate stands open"
    if not link.source_url:
        return "a seed"
    return f"second chance, tunnel step {tunnel}" if tunnel else "at or above the threshold"


def _learned(scorer: object) -> int:
    pages: int = getattr(scorer, "pages", 0)
    return pages


def _crawl(history: History, past: PastCrawl) -> dict[str, Any]:
    strategy = past.strategy()
    record = history.record
    return {
        "folder": str(past.folder),
        "strategy": strategy[0] if strategy is not None else None,
        "state": history.state,
        "reason": history.reason,
        "added": history.added,
        "changed": history.changed,
        "queued_score": history.queued_score,
        "fetches": [
            {
                "time": visit.time,
                "status": visit.status,
                "score": visit.score,
                "relevance": visit.relevance,
                "stored": visit.stored,
            }
            for visit in history.visits
        ],
        "stored": None
        if record is None
        else {
            "title": record.title,
            "relevance": record.relevance,
            "score": record.score,
            "kept": record.stored,
        },
        "path_is_whole": history.whole,
        "path": [
            {
                "url": step.link.url,
                "anchor": step.link.anchor,
                "depth": step.link.depth,
                "score": step.score,
                "state": step.state,
            }
            for step in history.path
        ],
    }


def _text(found: Mapping[str, Any]) -> str:
    """The answer for a person."""
    link, gate, model = found["link"], found["gate"], found["model"]
    learned = f", {model['learned_pages']} pages learned from" if model["learned_pages"] else ""
    lines = [f"Link      {link['url'] or '(no URL)'}  {link['anchor']!r}"]
    lines += [f"          {side:<7} {link[side]!r}" for side in ("before", "after") if link[side]]
    lines.append(f"Score     {found['score']:+.2f} log-odds, P(+|link) = {found['probability']:.3f}")
    lines.append(f"          model of topic {model['topic']}, context {model['context']}{learned}")
    lines += [f"          {share['log_odds']:+8.2f}  {share['feature']}" for share in found["features"]]
    lines.append(
        f"Gate      {'passed' if gate['passed'] else 'refused'}, threshold {gate['threshold']:g}: {gate['reason']}"
    )
    if found["crawl"] is not None:
        lines += _crawl_lines(found["crawl"])
    return "\n".join(lines)


def _crawl_lines(crawl: Mapping[str, Any]) -> list[str]:
    lines = [f"Crawl     {crawl['folder']}, strategy {crawl['strategy'] or 'unknown'}"]
    lines.append(f"State     {crawl['state']}{': ' + crawl['reason'] if crawl['reason'] else ''}")
    if crawl["queued_score"] is not None:
        lines.append(
            f"Scores    {crawl['queued_score']:+.2f} in the queue, met first {_when(crawl['added'])}"
        )
    lines += [
        f"          {fetch['score']:+.2f} when fetched {_when(fetch['time'])}: status {fetch['status']}, relevance "
        f"{fetch['relevance']:.2f}, {'kept' if fetch['stored'] else 'not kept'}"
        for fetch in crawl["fetches"]
    ]
    if crawl["stored"] is not None:
        lines.append(f"Stored    {crawl['stored']['title']!r}, relevance {crawl['stored']['relevance']:.2f}")
    lines.append(
        "Path      from the seed" if crawl["path_is_whole"] else "Path      its beginning is not on file"
    )
    for step in crawl["path"]:
        score = "     ?" if step["score"] is None else f"{step['score']:+6.2f}"
        lines.append(f"          {score}  {step['state']:<10} {step['url']}  {step['anchor']!r}")
    return lines


def _when(seconds: float | None) -> str:
    return "?" if seconds is None else f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M:%S}"  # noqa: DTZ006 local time is what a person looks for
