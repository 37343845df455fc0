"""`scrapy explain`: why a URL has its score, what the link gate said of it, and what a crawl did with it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.faults import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.crawling.assemble import Parts
    from topiccrawler.crawling.explanation import Explanation, History, PastCrawl
    from topiccrawler.model import Link

BY_HAND = "by hand"  # the source of a link that is given in words: it is no seed, so the gate looks at it
WORDS = 8  # of a stored page that are shown; all in JSON
TEXTS = ("anchor", "before", "after")


class Command(ReportingCommand):
    """The command's options and its steps."""

    usage = "URL | --anchor TEXT [--before TEXT] [--after TEXT]  [--topic TOPIC] [--job DIR] [--json]"
    summary = "Explain the score of a URL share by share, the gate's decision, and what a crawl did with it"
    details = (
        "With --job (or JOBDIR) the score is the one the URL has in that crawl's queue, or was fetched with, and its "
        "shares add up to it; the crawl may be running, or ended without a JOBDIR. Without a job, or with the texts of a "
        "link, the link model's word on that link is shown."
    )

    def options(self, add: Callable[..., argparse.Action]) -> None:
        add("--anchor", metavar="TEXT", help="the link's text")
        add("--before", metavar="TEXT", help="text before the link")
        add("--after", metavar="TEXT", help="text after the link")
        add("--topic", metavar="TOPIC", help="topic name or file (default: the job's, else TOPIC)")
        job = "folder of a crawl: its JOBDIR or data folder; where a setting names a server, also the name of one there"
        add("--job", metavar="DIR", help=job)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        self.refuse_options(args)
        if len(args) > 1 or not (args or opts.anchor):
            self.refuse("give one URL, or --anchor TEXT")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.explanation import PastCrawl, SharedCrawl
        from topiccrawler.crawling.page_stores import opened_folder
        from topiccrawler.crawling.servers import queue_address
        from topiccrawler.urls.canonical import canonical

        url = canonical(args[0]) if args else ""
        if url is None:
            raise ArgumentError(f"URL {args[0]!r}", "is no http(s) URL", "write it as http://host/path")
        folder, queue = opts.job or (self.setting("JOBDIR") if url else None), queue_address(self.setting)
        past: PastCrawl | None = None
        if folder and queue is not None and not user_path(folder).is_dir():
            past = SharedCrawl(queue.server.open_view(queue.address, folder), folder)
        with ExitStack() as opened:
            if folder and past is None:
                place = opened_folder(folder, self.data, self.setting("STORE_URL"))
                past = PastCrawl(opened.enter_context(place))
            if past is not None:
                opened.callback(past.close)
            found = self._found(url, past, opts)
        self.report(opts, found, explanation_text(found))

    def _found(self, url: str, past: PastCrawl | None, opts: argparse.Namespace) -> dict[str, Any]:
        from scrapy import Spider
        from scrapy.crawler import Crawler

        from topiccrawler.crawling.admission import rules_of_packages
        from topiccrawler.crawling.assemble import kept_from
        from topiccrawler.crawling.explanation import (
            FetchLimits,
            admission_of,
            crawl_as_json,
            explain,
            explained,
        )

        history = past.of(url) if past is not None and url else None
        texts = {name: text for name in TEXTS if (text := getattr(opts, name)) is not None}
        of_the_job = past is not None and past.recipe is not None and opts.topic is None
        parts = past.parts if past is not None and of_the_job else self._parts(opts.topic)
        if history is not None and of_the_job and not texts:
            explanation = explain(parts, history)
            link = history.link
        else:
            link = self._link(url, history, texts)
            explanation = _by_link_model(parts, link)
        strategy = parts.recipe.strategy if of_the_job and not texts else None
        limits = FetchLimits(
            int(self.setting("DEPTH_LIMIT") or 0),
            int(self.setting("URLLENGTH_LIMIT") or 0),
            self.project.getbool("TOPIC_PRIVATE_NETWORK"),
        )
        admission = admission_of(parts, limits) if past is None else past.admission(parts, limits, history)
        admission.add(*rules_of_packages(Crawler(Spider, self.project)))  # which never runs
        tunnel = history.row.tunnel if history is not None and history.row is not None else 0
        found = explained(parts, link, explanation, strategy, admission, tunnel)
        if history is not None and past is not None:
            of_job = (parts, kept_from(parts.recipe, parts.page_classifier)) if of_the_job else ()
            found["crawl"] = crawl_as_json(history, past.folder, *of_job)
        return found

    def _link(self, url: str, history: History | None, texts: Mapping[str, str]) -> Link:
        from topiccrawler.model import Link
        from topiccrawler.urls.canonical import host_of

        link = history.link if history is not None else Link(url, host_of(url), source_url=BY_HAND)
        return link._replace(**texts)  # type: ignore[arg-type]

    def _job_or_topic(self) -> str:
        """What to add to the call; the job that was made last is the one that is mostly meant."""
        from topiccrawler.results.jobs import jobs_in

        jobs = jobs_in(self.data) if self.data.is_dir() else []
        job = shlex.quote(str(jobs[-1])) if jobs else "FOLDER"
        return f"add --job {job} for what that crawl did with it, or --topic finance, for example, for the link model's word"

    def _parts(self, topic: str | None) -> Parts:
        """Of a crawl that would begin now, under these settings."""
        from topiccrawler.crawling.assemble import assemble
        from topiccrawler.crawling.recipe import recipe_of

        name = topic or self.setting("TOPIC")
        if not name:
            raise ArgumentError("scrapy explain", "knows neither job nor topic", self._job_or_topic())
        return assemble(recipe_of(self.project, name))


def _by_link_model(parts: Parts, link: Link) -> Explanation:
    """The link model's word on a link that stands in no queue."""
    from topiccrawler.crawling.assemble import link_model_of
    from topiccrawler.crawling.explanation import Explanation, GateOutcome, ScoreMade, words_of

    words = words_of(parts, link) or link_model_of(parts.recipe).explain(link)
    by_field: dict[str, float] = {}
    for name, share in words:
        field = name.partition(":")[0]
        by_field[field] = by_field.get(field, 0.0) + share
    decision = parts.gate.decide(link)
    score = ScoreMade(sum(by_field.values()), list(by_field.items()))
    return Explanation(score, None, words, GateOutcome(decision.passed, decision.reason, is_final=False))


def explanation_text(found: Mapping[str, Any]) -> str:
    """The answer for a person."""
    from topiccrawler.urls.canonical import readable

    link, gate, crawl = found["link"], found["gate"], found["crawl"]
    lines = [f"Link      {readable(link['url']) or '(no URL)'}  “{link['anchor']}”"]
    lines += [f"          {side:<7} “{link[side]}”" for side in ("before", "after") if link[side]]
    where = f"by the link model of topic {found['topic_name']}"
    if found["strategy"] is not None:
        waiting = crawl["state"] == "waiting"
        where = (
            f"in the queue of {found['strategy']}"
            if waiting
            else f"it was leased with, by {found['strategy']}"
        )
    lines += _score_lines("Score", found, where)
    if found["now"] is not None:
        lines += _score_lines("Now", found["now"], "is what the strategy would give it")
    if found["words"]:
        lines.append(f"Words     of the link, log-odds by the link model of topic {found['topic_name']}")
        lines += [f"          {word['log_odds']:+8.2f}  {word['feature']}" for word in found["words"]]
    decided, now = ("passed", "would pass now") if gate["passed"] else ("refused", "would be refused now")
    lines.append(f"Gate      {decided if gate['taken'] else now}: {gate['reason']}")
    lines += _admission_lines(found["admission"])
    if crawl is not None:
        lines += _crawl_lines(crawl)
    return "\n".join(lines)


def _admission_lines(rules: Sequence[Mapping[str, str]]) -> list[str]:
    """Each rule with its verdict, in order."""
    titles = ["Admission", *[""] * len(rules)]
    return [
        f"{title:<10}{rule['verdict']:<8} {rule['rule']}{': ' + rule['why'] if rule['why'] else ''}"
        for title, rule in zip(titles, rules, strict=False)
    ]


def _score_lines(title: str, made: Mapping[str, Any], where: str) -> list[str]:
    if made["score"] is None:
        return [f"{title:<10}is not on file"]
    lines = [f"{title:<10}{made['score']:+.3f} {where}"]
    return lines + [f"          {share['share'] + 0.0:+8.3f}  {share['name']}" for share in made["shares"]]


def _crawl_lines(crawl: Mapping[str, Any]) -> list[str]:
    from topiccrawler.urls.canonical import readable

    lines = [f"Crawl     {crawl['folder']}"]
    since = f", met first {_when(crawl['added'])}" if crawl["added"] is not None else ""
    lines.append(f"State     {crawl['state']}{': ' + crawl['reason'] if crawl['reason'] else ''}{since}")
    lines += [
        f"Fetched   {_when(fetch['time'])}: status {fetch['status']}, relevance {fetch['relevance']:.2f}, "
        f"{'kept' if fetch['stored'] else 'not kept'}"
        for fetch in crawl["fetches"]
    ]
    if crawl["stored"] is not None:
        lines.append(
            f"Stored    “{crawl['stored']['title']}”, relevance {crawl['stored']['relevance']:.2f}"
            + ("" if crawl["page_threshold"] is None else f", kept from {crawl['page_threshold']:.3f} now")
        )
        if (similarity := crawl["stored"]["similarity"]) is not None:
            lines.append(
                f"          similarity {similarity:.2f}, by which its links are ordered; {crawl['similarity_threshold']:.3f} is even odds"
            )
        lines += _word_lines(crawl["stored"]["words"][:WORDS])
        if leading := crawl["stored"]["leading"]:
            lines += ["          led to it, shares of the similarity:", *_word_lines(leading)]
        if (linking := crawl["stored"]["linking_page"]) is not None:
            lines.append(
                f"          {'×' + format(linking['factor'], '.3f'):>8}  for the page that links it, of relevance {linking['relevance']:.2f}"
            )
    lines.append(
        "Path      from the seed" if crawl["path_is_whole"] else "Path      its beginning is not on file"
    )
    for step in crawl["path"]:
        score = "     ?" if step["score"] is None else f"{step['score']:+6.3g}"
        lines.append(f"          {score}  {step['state']:<10} {readable(step['url'])}  “{step['anchor']}”")
    return lines


def _word_lines(words: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"          {word['share']:+8.3f}  {word['word']}" for word in words]


def _when(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M:%S}"  # noqa: DTZ006 local time is what a person looks for
