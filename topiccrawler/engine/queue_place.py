"""Where the queue of a crawl is kept: in memory, in a folder of this machine, or in Redis for several processes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from scrapy.settings import BaseSettings

from topiccrawler.crawling.assemble import Parts
from topiccrawler.crawling.params import CrawlParams
from topiccrawler.crawling.resuming import ordering_of
from topiccrawler.errors import ArgumentError
from topiccrawler.frontier.base import Frontier
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.memory import MemoryFrontier
from topiccrawler.frontier.redis.keys import addresses, prefix_of, shown
from topiccrawler.frontier.redis.opening import open_shared
from topiccrawler.frontier.sqlite import SqliteFrontier
from topiccrawler.model import Link
from topiccrawler.topics.topic import REMOVED_FIELDS


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """A folder, or a crawl in Redis."""

    jobdir: str = ""
    redis_urls: Sequence[str] = ()  # one, or several that share the hosts
    job: str = ""  # name of the crawl in Redis

    @property
    def is_shared(self) -> bool:
        """Other processes may work on the crawl."""
        return bool(self.redis_urls)

    @property
    def is_durable(self) -> bool:
        """It outlives the process."""
        return bool(self.jobdir or self.redis_urls)


MEMORY = QueuePlace()


def queue_place(params: CrawlParams, settings: BaseSettings) -> QueuePlace:
    """What JOBDIR, REDIS_URL and `-a job=` say. ArgumentError when they do not fit."""
    url, jobdir = settings.get("REDIS_URL") or "", settings.get("JOBDIR") or ""
    if not url:
        if params.job:
            raise ArgumentError(
                f"argument -a job={params.job}",
                "names a crawl in Redis, but there is no REDIS_URL",
                "give -s REDIS_URL=redis://HOST:6379/0, or name a folder by TOPIC_JOB",
            )
        return QueuePlace(jobdir=jobdir)
    if jobdir:
        raise ArgumentError(
            f"JOBDIR={jobdir}", f"cannot keep the queue that is in {shown(url)}", "give one of both"
        )
    job = params.job or settings.get("TOPIC_JOB") or ""
    if not job:
        raise ArgumentError(
            f"REDIS_URL={shown(url)}",
            "needs the name of the crawl",
            "give the same -a job=NAME to all its processes",
        )
    prefix_of(job)
    return QueuePlace(redis_urls=addresses(url), job=job)


def open_frontier(
    place: QueuePlace, settings: BaseSettings, hosts: Hosts, parts: Parts, seeds: list[Link]
) -> Frontier:
    """The queue kept there; it is made when there is none."""
    lease_seconds = settings.getfloat("FRONTIER_LEASE_SECONDS")
    if place.is_shared:
        hosts.slots = settings.getint("CONCURRENT_REQUESTS")
        return open_shared(
            place.redis_urls,
            place.job,
            hosts,
            _recipe(parts, seeds),
            worker_seconds=settings.getfloat("FRONTIER_WORKER_SECONDS"),
            made_of=parts.record().as_json(),
            lease_seconds=lease_seconds,
            outage_seconds=settings.getfloat("FRONTIER_OUTAGE_SECONDS"),
            acknowledgements_per_commit=sys.maxsize,  # as below
        )
    if not place.jobdir:
        return MemoryFrontier(hosts, lease_seconds=lease_seconds)
    Path(place.jobdir).mkdir(parents=True, exist_ok=True)
    return SqliteFrontier(
        Path(place.jobdir) / "frontier.sqlite",
        hosts,
        lease_seconds=lease_seconds,
        memory_urls=settings.getint("FRONTIER_MEMORY_URLS"),
        acknowledgements_per_commit=sys.maxsize,  # the scheduler commits, when all a page's parts are in
    )


def _recipe(parts: Parts, seeds: list[Link]) -> dict[str, str]:
    """What all processes of a crawl must be given alike."""
    record = parts.record()
    urls = "\n".join(sorted(link.url for link in seeds))
    # crawls begun with these go on
    removed = {name: default for name, (default, _) in REMOVED_FIELDS.items()}
    fields = str(sorted({**removed, **(record.topic_fields or {})}.items()))
    return {
        "topic": parts.topic.name,
        "topic file": f"{crc32(fields.encode()):08x}" if record.topic_fields else "",
        "keywords": ", ".join(record.keywords),
        "strategy": ordering_of(record),
        "seeds": f"{len(seeds)} URLs, {crc32(urls.encode()):08x}",
        **({"page store": "PostgreSQL"} if record.store else {}),  # by whatever address
    }
