"""Finds and opens the place of a queue: memory, a folder (JOBDIR), or a server for several processes (REDIS_URL)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from scrapy.settings import BaseSettings

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.job_files import JobFiles
from topiccrawler.crawling.recipe import CrawlParams
from topiccrawler.crawling.resuming import ordering_of
from topiccrawler.crawling.servers import no_queue_server
from topiccrawler.crawling.sharing import SharedQueue
from topiccrawler.errors import ArgumentError, StateError, file_faults
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link

# with JOBDIR: queued URLs whose rank is kept in memory (56 bytes each), shared among hosts; the others are bare numbers
MEMORY_URLS = 100_000


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """The place of the queue: a folder (`jobdir`), a crawl on a server (`redis_url` and `job`), or, with neither, memory."""

    jobdir: str = ""
    redis_url: str = ""
    job: str = ""  # name of the crawl on the server

    @property
    def is_shared(self) -> bool:
        """Whether other processes may work on the same crawl."""
        return bool(self.redis_url)

    @property
    def is_durable(self) -> bool:
        """Whether the queue outlives the process."""
        return bool(self.jobdir) or self.is_shared


MEMORY = QueuePlace()


def queue_place(params: CrawlParams, settings: BaseSettings) -> QueuePlace:
    """The place of the queue by JOBDIR, REDIS_URL and `-a job=`. ArgumentError when these contradict each other."""
    url, jobdir = str(settings.get("REDIS_URL") or ""), settings.get("JOBDIR") or ""
    if not url:
        if params.job:
            raise no_queue_server(f"argument -a job={params.job}")
        return QueuePlace(jobdir)
    from topiccrawler.cluster.redis.records import (  # most crawls have no server
        check_address,
        prefix_of,
        redacted,
    )

    if jobdir:
        fault = f"cannot keep the queue that is in {redacted(url)}"
        raise ArgumentError(f"JOBDIR={jobdir}", fault, "give one of both")
    job = params.job or settings.get("TOPIC_JOB") or ""
    if not job:
        remedy = "give the same -a job=NAME to all its processes"
        raise ArgumentError(f"REDIS_URL={redacted(url)}", "needs the name of the crawl", remedy)
    prefix_of(job)
    return QueuePlace(redis_url=check_address(url), job=job)


def open_frontier(
    place: QueuePlace, settings: BaseSettings, hosts: Hosts, parts: Parts, seeds: list[Link], files: JobFiles
) -> tuple[Frontier, SharedQueue | None]:
    """Open the queue at a place, or create it. `files`: those of the job, whose database has the queue of a JOBDIR. For a queue on a
    server, return also the SharedQueue that coordinates the processes; else None."""
    if place.is_shared:
        from topiccrawler.cluster.redis.server import open_shared

        hosts.slots = settings.getint("CONCURRENT_REQUESTS")
        made_of, recipe = parts.record().as_json(), _recipe(parts, seeds)
        # the scheduler commits
        how: dict[str, Any] = {"made_of": made_of, "acknowledgements_per_commit": sys.maxsize}
        shared = open_shared(place.redis_url, place.job, hosts, recipe, **how)
        return shared, shared
    if not place.jobdir:
        return MemoryFrontier(hosts), None
    folder = Path(place.jobdir)
    with file_faults(StateError, f"folder {folder}", "cannot be made", "set JOBDIR to a folder of yours"):
        folder.mkdir(parents=True, exist_ok=True)
    queue = SqliteFrontier(
        files.database,
        hosts,
        memory_urls=MEMORY_URLS,
        acknowledgements_per_commit=sys.maxsize,  # the crawl commits, when all parts of a page are written
    )
    return queue, None


def _recipe(parts: Parts, seeds: list[Link]) -> dict[str, str]:
    """The configuration that all processes of a crawl must share."""
    record = parts.record()
    urls = "\n".join(sorted(link.url for link in seeds))
    fields = str(sorted((record.topic_fields or {}).items()))
    return {
        "topic": parts.topic.name,
        "topic file": f"{crc32(fields.encode()):08x}" if record.topic_fields else "",
        "keywords": ", ".join(record.keywords),
        "strategy": ordering_of(record),
        "seeds": f"{len(seeds)} URLs, {crc32(urls.encode()):08x}",
        **({"page store": "PostgreSQL"} if record.store else {}),  # each process may use another address
    }
