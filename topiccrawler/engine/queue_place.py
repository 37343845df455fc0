"""Finds and opens the place of a queue: the database of the job's folder, or a server for several processes (REDIS_URL)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from scrapy.settings import BaseSettings

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.job_files import OF_JOBDIR, JobFiles
from topiccrawler.crawling.recipe import CrawlParams
from topiccrawler.crawling.resuming import ordering_of
from topiccrawler.crawling.servers import REDIS, no_queue_server
from topiccrawler.crawling.sharing import SharedQueue
from topiccrawler.errors import ArgumentError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.job_database import MEMORY
from topiccrawler.model import Link

# queued URLs whose rank is kept in memory (56 bytes each), shared among hosts; the others are bare numbers
MEMORY_URLS = 100_000


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """The place of the queue: a crawl on a server (`redis_url` and `job`), else the job's folder, `jobdir` if that goes on with its queue. In
    memory for one page that is no job."""

    jobdir: str = ""
    redis_url: str = ""
    public_address: str = ""  # the setting and the address without its secret parts
    job: str = ""  # name of the crawl on the server
    in_memory: bool = False

    @property
    def is_shared(self) -> bool:
        """Whether other processes may work on the same crawl."""
        return bool(self.redis_url)


IN_MEMORY = QueuePlace(in_memory=True)


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
        remember,
    )

    if jobdir:
        fault = f"cannot keep the queue that is in {redacted(url)}"
        raise ArgumentError(f"JOBDIR={jobdir}", fault, "give one of both")
    public, job = f"{REDIS}{redacted(url)}", params.job or settings.get("TOPIC_JOB") or ""
    if not job:
        remedy = "give the same -a job=NAME to all its processes"
        raise ArgumentError(public, "needs the name of the crawl", remedy)
    prefix_of(job)
    remember(check_address(url))
    return QueuePlace(redis_url=url, public_address=public, job=job)


def open_frontier(
    place: QueuePlace, settings: BaseSettings, hosts: Hosts, parts: Parts, seeds: list[Link], files: JobFiles
) -> tuple[Frontier, SharedQueue | None]:
    """Open the queue at a place, or create it; without a JOBDIR that of an earlier run is dropped. For a queue on a server, return also the
    SharedQueue that coordinates the processes; else None."""
    if place.is_shared:
        from topiccrawler.cluster.redis.server import open_shared

        hosts.slots = settings.getint("CONCURRENT_REQUESTS")
        made_of, recipe = parts.record().as_json(), _recipe(parts, seeds)
        # the scheduler commits
        how: dict[str, Any] = {"made_of": made_of, "acknowledgements_per_commit": sys.maxsize}
        shared = open_shared(place.redis_url, place.job, hosts, recipe, **how)
        return shared, shared
    if not (place.jobdir or place.in_memory):
        files.begin_anew()
    queue = SqliteFrontier(
        MEMORY if place.in_memory else files.database,
        hosts,
        memory_urls=MEMORY_URLS,
        acknowledgements_per_commit=sys.maxsize,  # the crawl commits, when all parts of a page are written
    )
    if place.jobdir and queue.notes.get(OF_JOBDIR) is None:
        queue.notes.put(OF_JOBDIR, "yes")
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
