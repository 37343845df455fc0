"""`scrapy explain`: why a URL has its score, what the link gate said of it, and what a crawl did with it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import ArgumentError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.crawling.assemble import Parts
    from topiccrawler.crawling.explanation import Explanation
    from topiccrawler.crawling.past_crawl import History, PastCrawl
    from topiccrawler.model import Link

BY_HAND = "by hand"  # source_url of a link described by options: it is no seed, so the gate checks it
WORDS = 8  # words of a stored page that are printed; JSON has all
TEXTS = ("anchor", "before", "after")


class Command(ReportingCommand):
    """The command `scrapy explain`: explains a URL, or a link that options describe."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) > 1 or not (args or opts.anchor):
            self.refuse("give one URL, or --anchor TEXT")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.crawling.past_crawl import PastCrawl, SharedCrawl
        from topiccrawler.results.jobs import looked_at
        from topiccrawler.urls.canonical import canonical

        url = canonical(args[0]) if args else ""
        if url is None:
            raise ArgumentError(f"URL {args[0]!r}", "is no http(s) URL", "write it as http://host/path")
        folder, redis = opts.job or (self.setting("JOBDIR") if url else None), self.setting("REDIS_URL")
        past: PastCrawl | None = None
        if folder and redis and not user_path(folder).is_dir():
            from topiccrawler.cluster.redis.server import RedisView

            past = SharedCrawl(RedisView(redis, folder), folder)
        with ExitStack() as opened:
            if folder and past is None:
                place = looked_at(folder, self.data, self.setting("STORE_URL"))
                past = PastCrawl(opened.enter_context(place))
            if past is not None:
                opened.callback(past.close)
            found = self._found(url, past, opts)
        self.report(opts, found, self.text("explain", found))

    def _found(self, url: str, past: PastCrawl | None, opts: argparse.Namespace) -> dict[str, Any]:
        from topiccrawler.crawling.explanation import crawl_as_json, explained, why
        from topiccrawler.crawling.past_crawl import FetchLimits, admission_of

        limits = FetchLimits.of(self.project)
        texts = {name: text for name in TEXTS if (text := getattr(opts, name)) is not None}
        of_the_job = past is not None and past.recipe is not None and opts.topic is None
        if past is not None and url and of_the_job and not texts:
            return why(past, url, limits)
        history = past.of(url) if past is not None and url else None
        parts = past.parts if past is not None and of_the_job else self._parts(opts.topic)
        link = self._link(url, history, texts)
        admission = admission_of(parts, limits) if past is None else past.admission(parts, limits, history)
        tunnel = history.row.tunnel if history is not None and history.row is not None else 0
        found = explained(parts, link, _by_link_model(parts, link), None, admission, tunnel)
        if history is not None and past is not None:
            of_job = (parts, parts.page_classifier.threshold) if of_the_job else ()
            found["crawl"] = crawl_as_json(history, past.folder, *of_job)
        return found

    def _link(self, url: str, history: History | None, texts: Mapping[str, str]) -> Link:
        from topiccrawler.model import Link
        from topiccrawler.urls.canonical import host_of

        link = history.link if history is not None else Link(url, host_of(url), source_url=BY_HAND)
        return link._replace(**texts)  # type: ignore[arg-type]

    def _job_or_topic(self) -> str:
        """A hint for the error message on what to add to the call. It names the latest job, which is probably the intended one."""
        from topiccrawler.crawling.page_stores import homes_of
        from topiccrawler.results.jobs import jobs_in

        jobs = jobs_in(self.data) if any(map(Path.is_dir, homes_of(self.data))) else []
        job = shlex.quote(str(jobs[-1])) if jobs else "FOLDER"
        return f"add --job {job} for what that crawl did with it, or --topic finance, for example, for the link model's word"

    def _parts(self, topic: str | None) -> Parts:
        """The parts of a crawl that would begin now for a topic (None = the setting TOPIC); ArgumentError without a topic."""
        from topiccrawler.crawling.assemble import assemble
        from topiccrawler.crawling.recipe import recipe_of

        name = topic or self.setting("TOPIC")
        if not name:
            raise ArgumentError("scrapy explain", "knows neither job nor topic", self._job_or_topic())
        return assemble(recipe_of(self.project, name))


def _by_link_model(parts: Parts, link: Link) -> Explanation:
    """The explanation of a link that is in no queue, by the link model and the link gate."""
    from topiccrawler.crawling.assemble import link_model_of
    from topiccrawler.crawling.explanation import Explanation, ScoreMade, words_of

    words = words_of(parts, link) or link_model_of(parts.recipe).explain(link)
    by_field: dict[str, float] = {}
    for name, share in words:
        field = name.partition(":")[0]
        by_field[field] = by_field.get(field, 0.0) + share
    score = ScoreMade(sum(by_field.values()), list(by_field.items()))
    return Explanation(score, None, words, parts.gate.decide(link), is_final=False)
