"""`scrapy seeds`: proposes where a crawl for a topic may begin, from earlier jobs and by a search service.

A topic of a user's own has no list of seeds, and a portal's front page is a poor one. The pages a user has fetched already, and what a
search service finds for the topic's words, are better; a person has the last word.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from topiccrawler.engine.command import ReportingCommand
from topiccrawler.errors import SeedsError, StateError
from topiccrawler.files import user_path

if TYPE_CHECKING:
    from topiccrawler.crawling.recipe import Recipe
    from topiccrawler.pages.read import PageClassifier
    from topiccrawler.seeding.answers import Fetch
    from topiccrawler.seeding.candidates import Candidate, Choice
    from topiccrawler.seeding.search_service import Searxng
    from topiccrawler.topics.topic import Topic

SECONDS = 10.0  # timeout for one response of a site or of the search service
REMEDY = "name jobs by --jobs DIR, or a SearXNG instance by --search URL; topics of the catalogue have lists in seeds/"


class Command(ReportingCommand):
    """The command `scrapy seeds`: finds candidates, checks them, and writes a seeds file."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) > 1 or not (args or opts.keywords or self.setting("TOPIC")):
            self.refuse("give one topic, or --keywords WORDS")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        from topiccrawler.addon import introduce
        from topiccrawler.crawling.assemble import page_classifier_of, topic_of
        from topiccrawler.engine.fetching import run
        from topiccrawler.seeding.search_service import Searxng
        from topiccrawler.seeding.seed_files import as_seed_file

        introduce(self.project)
        recipe = self._recipe(args, opts)
        topic = topic_of(recipe)
        out = self.new_file(user_path(opts.out or f"seeds-{topic.name}.txt"), opts)
        page_classifier = page_classifier_of(recipe)
        of_jobs = self._of_jobs(opts, topic, page_classifier)
        base = opts.search or self.setting("TOPIC_SEARCH_URL")
        service = Searxng(base) if base else None

        async def chosen(fetch: Fetch) -> Choice:
            return await self._chosen(opts, topic, page_classifier, of_jobs, service, fetch)

        trusted = [service.host] if service is not None else []
        choice = run(self.project, chosen, trusted, DOWNLOAD_TIMEOUT=SECONDS, RETRY_ENABLED=False)
        seeds = choice.chosen
        if not (opts.yes or opts.json) and sys.stdin.isatty() and sys.stdout.isatty():
            seeds = wanted(seeds, self.say, input)
        if seeds:
            self.write(out, as_seed_file(topic, seeds))
        self._report(opts, topic, choice, seeds, str(out))
        if not seeds:
            raise SeedsError(f"topic {topic.display_name}", "no seed is left", "nothing was written")

    def _recipe(self, args: list[str], opts: argparse.Namespace) -> Recipe:
        from topiccrawler.crawling.job_topic import recipe_of_words
        from topiccrawler.crawling.recipe import recipe_of
        from topiccrawler.topics.catalogue import split_keywords

        words = tuple(split_keywords(opts.keywords or ""))
        name = args[0] if args else "" if words else self.setting("TOPIC") or ""
        if name:
            return recipe_of(self.project, name, keywords=words)
        more = self.project.getint("TOPIC_PROPOSED_WORDS")
        return recipe_of_words(recipe_of(self.project, ""), words, more)

    def _of_jobs(
        self, opts: argparse.Namespace, topic: Topic, page_classifier: PageClassifier
    ) -> list[Candidate]:
        from topiccrawler.crawling.page_stores import homes_of
        from topiccrawler.seeding.earlier_jobs import candidates_of_job, has_jobs, job_folders

        named = [user_path(folder) for folder in opts.jobs]
        found: list[Candidate] = []
        for folder in job_folders(named or [home for home in homes_of(self.data) if has_jobs(home)]):
            try:
                found += candidates_of_job(folder, page_classifier, topic.segmenter)
            except StateError as failure:
                if named:
                    raise
                warn(f"passed over: {failure}")
        return found

    async def _chosen(
        self, opts: argparse.Namespace, topic: Topic, page_classifier: PageClassifier,
        of_jobs: Sequence[Candidate], service: Searxng | None, fetch: Fetch,
    ) -> Choice:  # fmt: skip
        from topiccrawler.seeding.candidates import choose, merged
        from topiccrawler.seeding.reachability import faults
        from topiccrawler.seeding.search_service import candidates_of_search
        from topiccrawler.urls.unwanted import is_inside

        found = [*of_jobs]
        if service is not None:
            found += await candidates_of_search(topic, service, page_classifier, fetch, warn)
        if not found:
            fault = "no page of an earlier job is about it, and no search found one"
            raise SeedsError(f"topic {topic.display_name}", fault, REMEDY)
        guarded = not self.project.getbool("TOPIC_PRIVATE_NETWORK")

        async def check(urls: Sequence[str]) -> dict[str, str]:
            inside = {url for url in urls if guarded and is_inside(urlsplit(url).hostname or "")}
            known = dict.fromkeys(inside, "private address; TOPIC_PRIVATE_NETWORK=True allows it")
            return (
                known
                if opts.no_check
                else known | await faults(fetch, [url for url in urls if url not in inside])
            )

        return await choose(merged(found), opts.count, opts.per_host, check)

    def _report(
        self, opts: argparse.Namespace, topic: Topic, choice: Choice, seeds: Sequence[Candidate], out: str
    ) -> None:
        from topiccrawler.seeding.seed_files import display_title

        rows = [
            {"score": round(one.score, 4), "url": one.url, "title": display_title(one), "why": one.why}
            for one in seeds
        ]
        found = {"topic": topic.name, "file": out if seeds else None, "seeds": rows, "dead": choice.dead}
        lines = [line(one) for one in seeds]
        lines += [f"left out: {url} ({fault})" for url, fault in choice.dead.items()]
        if seeds:
            lines.append(f"{len(seeds)} seeds in {out}: look them over, then crawl with -a seeds={out}")
        self.report(opts, found, "\n".join(lines))


def warn(text: str) -> None:
    """Print a warning to standard error."""
    sys.stderr.write(f"{text}\n")


def line(one: Candidate) -> str:
    """A candidate as two lines for a terminal: score and URL, then title and reason."""
    from topiccrawler.seeding.seed_files import display_title

    return f"{one.score:6.2f}  {one.url}\n        {'; '.join(filter(None, (display_title(one), one.why)))}"


def wanted(
    seeds: Sequence[Candidate], say: Callable[[str], None], ask: Callable[[str], str]
) -> list[Candidate]:
    """Ask a person about each seed, and return the accepted ones; the end of the input, or q, rejects the rest."""
    taken: list[Candidate] = []
    for one in seeds:
        say(line(one))
        reply = "?"
        while reply not in {"", "y", "yes", "n", "no", "q", "quit"}:
            try:
                reply = ask("        take it? [Y/n/q] ").strip().lower()
            except EOFError:
                reply = "q"
        if reply.startswith("q"):
            break
        if not reply.startswith("n"):
            taken.append(one)
    return taken
