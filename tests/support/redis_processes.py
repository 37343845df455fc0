"""Several processes of one crawl in Redis in one test: they join, learn together, are killed and leave."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar
from uuid import uuid4

from topiccrawler.cluster.redis.client import clients_of
from topiccrawler.cluster.redis.exchange import learned_of
from topiccrawler.cluster.redis.partitions import PartitionedFrontier
from topiccrawler.cluster.redis.server import open_shared
from topiccrawler.crawling.ordering import Ordering
from topiccrawler.frontier.base import Pushed, State
from topiccrawler.model import Link, Page, Score, Via
from topiccrawler.strategies.base import Strategy

PAGES = 60
PATIENCE = 120.0  # seconds: an answer comes from a thread, which a busy machine may keep waiting


@dataclass
class Whole(Strategy):
    """Remembers the pages it was shown, in order; must see them whole."""

    name: ClassVar[str] = "whole"
    refresh_every: ClassVar[int] = 7
    _seen: list[str] = field(default_factory=list, init=False)
    _refreshes: int = field(default=0, init=False)

    def visit(self, page: Page, links: Sequence[Link]) -> Iterable[Score]:
        self._seen.append(page.url)
        return [Score(link.url, float(hash_of(link.url, len(self._seen)))) for link in links]

    def refresh(self, queued: Iterable[Link]) -> Iterable[Score]:
        self._refreshes += 1
        return [Score(link.url, float(hash_of(link.url, self._refreshes))) for link in queued]

    def save(self) -> Mapping[str, Any]:
        return {"seen": list(self._seen)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._seen = [str(url) for url in state["seen"]]


@dataclass
class Observing(Whole):
    """The same, and knows by an address what there is to learn."""

    name: ClassVar[str] = "observing"

    def observation(self) -> str:
        return self._seen[-1]

    def observe(self, observation: str) -> None:
        self._seen.append(observation + "")


def hash_of(url: str, key: int) -> int:
    return sum(ord(c) * (key + i) for i, c in enumerate(url)) % 997


def address(number: int) -> str:
    return f"http://h{number % 5}.cn/{number}"


class Process:
    """One of a crawl: it fetches a page when it is told to."""

    def __init__(self, url: str, job: str, kind: type[Whole]) -> None:
        self.strategy = kind()
        self.frontier = open_shared(url, job, call_seconds=60.0, acknowledgements_per_commit=10**9)
        self.ordering = Ordering(
            self.strategy,
            self.frontier,
            durable=True,
            shared=self.frontier,
        )
        parts = self.frontier.parts if isinstance(self.frontier, PartitionedFrontier) else [self.frontier]
        self.sessions = [part.worker.session for part in parts]
        self.pushed: Counter[Pushed] = Counter(self.ordering.seed([Link(address(0), "h0.cn")], 0.0))
        self.frontier.commit()

    @property
    def seen(self) -> list[str]:
        return [url for url in self.strategy._seen if url != "root:"]

    @property
    def leads(self) -> bool:
        return bool(self.figures()["frontier/learner"])

    def figures(self) -> Mapping[str, float]:
        return self.ordering.learning.figures()

    def look(self) -> bool:
        """What the engine does again and again; False when the crawl is done."""
        self.pushed.update(self.ordering.learn(0.0))
        return self.frontier.pending()

    def fetch(self) -> str | None:
        """Lease, read and end a page; its address."""
        self.look()
        leased = self.ordering.lease(0.0)
        if leased is None:
            return None
        number = int(leased.link.url.rpartition("/")[2])
        below = [n for n in range(3 * number + 1, 3 * number + 4) if n < PAGES]
        links = [Link(address(n), f"h{n % 5}.cn", "基金", source_url=leased.link.url) for n in below]
        page = Page(leased.link.url, terms={"基金": 1.0}, via=Via(leased.link, leased.score))
        self.pushed.update(self.ordering.visit(page, links, 0.0))
        self.ordering.end(leased.link.url, State.COMPLETED, "kept", 0.0)
        self.frontier.commit()
        return leased.link.url

    def stop(self) -> None:
        self.ordering.checkpoint()
        self.frontier.close()


def patiently() -> Iterator[None]:
    """Steps, as long as one has patience."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        yield


class Crowd:
    """Processes that come and go. `url`: of a server or a cluster."""

    def __init__(self, url: str, kind: type[Whole]) -> None:
        self.url, self.kind, self.job = url, kind, uuid4().hex
        self.clients = clients_of(url, self.job)
        self.client = self.clients[0]
        self.living: list[Process] = []
        self.fetched: list[str] = []

    def join(self) -> Process:
        self.living.append(Process(self.url, self.job, self.kind))
        return self.living[-1]

    def kill(self, process: Process) -> None:
        """As `kill -9` does, and somebody on its machine sees that it is gone."""
        self.living.remove(process)
        process.frontier.close(commit=False)
        for client, session in zip(self.clients, process.sessions, strict=True):
            client.run("leave", [session])

    def fetch(self, process: Process) -> None:
        if (url := process.fetch()) is not None:
            self.fetched.append(url)

    def until(self, what: Callable[[], object]) -> None:
        for _ in patiently():
            if what():
                return
            for process in self.living:
                process.look()
        raise AssertionError("it never came")

    def drain(self) -> None:
        """Fetch all there is, together, until all are done."""
        for _ in patiently():
            for process in self.living:
                self.fetch(process)
            if not any(process.look() for process in self.living):
                return
        raise AssertionError("the crawl never ends")

    def stop(self) -> None:
        for process in self.living:
            process.stop()
        for client in self.clients:
            client.close()

    @property
    def learner(self) -> Process | None:
        return next((process for process in self.living if process.leads), None)

    def state(self) -> list[str]:
        """What the newest published state saw."""
        found = learned_of(self.client.run("learned", []))
        return [] if found is None else json.loads(found.text)["state"]["seen"]
