"""Crawls the recorded web with the real engine: `scrapy crawl topic` in a process of its own, for each run of a comparison.

The process gets the arguments of the replay. REPLAY_WARC replaces the network, and the crawl log records what was fetched. With
REPLAY_PACED responses arrive in the order of the requests, so repeats fetch the same pages; memory and seconds differ.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from topiccrawler.crawling.assemble import topic_of
from topiccrawler.crawling.job_files import PAGES, VISITS
from topiccrawler.crawling.job_topic import TOPIC, as_toml
from topiccrawler.crawling.launching import crawl_line, failure, start_scrapy
from topiccrawler.crawling.page_filter import Verdict
from topiccrawler.lab.configurations import name_of, parameters_of, pruned
from topiccrawler.lab.cost import Cost, memory_mb
from topiccrawler.lab.recorded_web import RecordedPages
from topiccrawler.lab.replayed import MEMORY_STEP, Crawled, Run
from topiccrawler.store.pages import PageStore
from topiccrawler.store.visits import read_visits
from topiccrawler.text.engines import choice

RECORDED_LINKS = "topiccrawler.engine.archives.RecordedLinksMiddleware"
RECORDED_LINKS_POSITION = 1200
BUDGETS = (
    *("FRONTIER_HOST_PAGES", "FRONTIER_DOMAIN_PAGES", "FRONTIER_UNPROVEN_PAGES", "FRONTIER_FAIR_SHARES"),
    *("FRONTIER_HOST_UNPRODUCTIVE_PAGES", "FRONTIER_SHAPE_UNPRODUCTIVE_PAGES"),
)
POLL_SECONDS = 0.2
_JOB = "job"


@dataclass(slots=True)
class LiveCrawls:
    """Runs crawls in parallel, each with a folder of its own."""

    web: Sequence[Path]
    pages: RecordedPages
    folder: Path
    jobs: int
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, runs: Sequence[Run]) -> Iterator[tuple[int, Crawled]]:
        """The number and the result of each run, in the order in which they end."""
        with ThreadPoolExecutor(self.jobs) as threads:
            numbers = {threads.submit(self._crawl, run): number for number, run in enumerate(runs)}
            try:
                for done in as_completed(numbers):
                    yield numbers[done], done.result()
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                for process in self._running:
                    process.terminate()
                raise

    def _crawl(self, run: Run) -> Crawled:
        folder = self.folder / run.recipe.topic.replace("/", "_") / f"{run.spec.replace('/', '_')}-{run.seed}"
        folder.mkdir(parents=True, exist_ok=True)
        seeds, log = folder / "seeds.txt", folder / "log.txt"
        job = folder / _JOB
        shutil.rmtree(job, ignore_errors=True)  # a job of an earlier comparison
        visits = job / VISITS
        lines = [self.pages.urls[number] for number in run.seeds]
        lines += [f"-{url}" for url in run.recipe.off_topic]
        seeds.write_text("\n".join(lines) + "\n", encoding="utf-8")
        began = time.perf_counter()
        with log.open("wb") as output:
            process = start_scrapy(self.arguments(run, seeds, folder), output, os.environ)
            self._running.append(process)
            memory, status, usage = watched(process.pid, visits)
            process.returncode = os.waitstatus_to_exitcode(status)
            self._running.remove(process)
        if process.returncode or not visits.exists():
            raise failure(f"live crawl with {run.spec}", process.returncode, log)
        found = fetched(visits, self.pages, run.pages)
        for url, verdict in job_verdicts(job).items():
            if (number := self.pages.number_of_any(url)) is not None:
                found.verdicts[number] = verdict
        found.memory = memory
        found.cost = Cost(
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            wall_seconds=time.perf_counter() - began,
            peak_memory_mb=usage.ru_maxrss / 1024,
        )
        return found

    def arguments(self, run: Run, seeds: Path, folder: Path) -> list[str]:
        """The command line of a crawl, without `scrapy` itself."""
        recipe = pruned(run.recipe, run.spec)
        topic = recipe.topic
        if recipe is not run.recipe:
            topic = str(folder / TOPIC)
            Path(topic).write_text(as_toml(topic_of(recipe)), encoding="utf-8")
        settings = {
            "REPLAY_WARC": ",".join(map(str, self.web)),
            "REPLAY_PACED": True,
            "SPIDER_MIDDLEWARES": json.dumps({RECORDED_LINKS: RECORDED_LINKS_POSITION}),
            "CONCURRENT_REQUESTS": run.concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": run.concurrency,  # a recording needs no politeness
            "TOPIC_DATA_DIR": folder,
            "TOPIC_JOB": _JOB,
            "STORE_URL": "",  # pages of a comparison do not belong in a shared database
            "TOPIC_SEED": run.seed,
            "TOPIC_LINK_MODELS": recipe.link_models,
            "TOPIC_LINK_THRESHOLD": recipe.link_threshold if recipe.prune else 0,
            "TOPIC_PAGE_CLASSIFIER": recipe.page_classifier,
            "TOPIC_PAGE_CLASSIFIER_MODELS": recipe.page_classifier_models,
            "TOPIC_SEGMENTER": choice(),
            "TOPIC_THESAURUS": recipe.thesaurus,
            "TOPIC_EXPAND": recipe.expand,
            "TOPIC_LISTINGS": recipe.listings,
            # budgets prune too, and a replay has none
            **(dict.fromkeys(BUDGETS, 0) if not recipe.prune else {}),
        }
        given = {"topic": topic, "strategy": name_of(run.spec), "seeds": seeds, "pages": run.pages}
        given |= {f"strategy_{key}": value for key, value in parameters_of(run.spec).items()}
        return crawl_line(given, {name: value for name, value in settings.items() if value is not None})


def watched(process: int, visits: Path) -> tuple[dict[int, float], int, resource.struct_rusage]:
    """Wait for a process to end. Return its memory in MB by pages fetched, at each MEMORY_STEP of the crawl log, its exit status and its
    resource usage."""
    memory: dict[int, float] = {}
    while True:
        ended, status, usage = os.wait4(process, os.WNOHANG)
        if ended:
            return memory, status, usage
        pages = visits.read_bytes().count(b"\n") // MEMORY_STEP * MEMORY_STEP if visits.exists() else 0
        if pages and pages not in memory:
            memory[pages] = memory_mb(process)
        time.sleep(POLL_SECONDS)


def fetched(visits: Path, pages: RecordedPages, limit: int) -> Crawled:
    """The pages of a crawl log in order, each once, `limit` at most; responses without a page of the web are counted by status."""
    order: dict[int, None] = {}
    no_page: Counter[str] = Counter()
    for visit in read_visits(visits):
        number = pages.number_of_any(visit.url) if visit.status == 200 else None
        if number is None:
            no_page[str(visit.status)] += 1
        else:
            order[number] = None
    return Crawled(order=list(order)[:limit], no_page=dict(sorted(no_page.items())))


def job_verdicts(job: Path) -> dict[str, Verdict]:
    """The verdicts on the pages of a crawl, by URL; an alias of another page counts as not kept."""
    found = {
        visit.url: Verdict(visit.relevance, is_kept=False)
        for visit in read_visits(job / VISITS)
        if visit.is_page
    }
    if (job / PAGES).is_file():
        with closing(PageStore(job / PAGES, create=False)) as store:
            for record in store.records():
                found[record.url] = Verdict(record.relevance, record.stored and not record.alias_of)
    return found
