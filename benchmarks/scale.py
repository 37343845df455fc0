"""Many processes on one crawl, simulated: which part is busy first, at how many processes, with one Redis server and on a Redis Cluster.

    python benchmarks/scale.py [--urls 10000000] [--hosts 200000] [--workers 1,10,…] [--nodes 1,3] [--seconds 60] [--json] [--NAME VALUE …]

A discrete-event simulation without sockets. URLs wait on hosts drawn by Zipf's law; each process fetches as politeness lets it from hosts that it alone owns,
reads a page after the other on its one core, asks Redis about the links of each and waits for the answer, looks around four times a second, hands
its changes over, and keeps relevant pages in PostgreSQL, where one process of all at a time looks for copies. A learner takes what each page gave.
Service times are those measured, given in milliseconds:

    page        CPU of a process for a page, without waiting                    known, new   Redis: a link that is known, one that is new
    end         Redis: a lease, its end, what is learned                        tick         Redis: a look around
    call        Redis: what a call costs whatever it asks; on a cluster a page's links go to as many partitions as they lie in
    part        Redis: a look around in one partition of a cluster
    trip        network and scheduler, there and back                           learn        the learner, for a page
    lock        PostgreSQL: the time in which one process looks for copies      keep         PostgreSQL: a page, on one of --cores

`--learner fetches` is the learner as it is: one of the processes, which takes others' pages in half of its time. `alone`: it does nothing else. What it scores anew is
not simulated. Of each: pages a second; the share of the time that each part was busy; that a process waited for Redis; by how many seconds of work the learner fell
behind meanwhile; the shared part that is full, or - while pages a second grow with the processes.
--nodes: 1 is a server without a cluster; on more of them the hosts lie in partitions (topiccrawler.cluster.redis.partitions), which the nodes divide.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import _checkout  # noqa: F401 the package may not be installed
import numpy as np

from topiccrawler.cluster.redis.records import PARTITIONS

SERVICE = {
    "page": 25.0, "known": 0.0034, "new": 0.014, "end": 0.045, "tick": 0.18, "call": 0.05, "part": 0.11, "trip": 0.3, "learn": 1.5, "lock": 1.0, "keep": 1.5,
}  # fmt: skip
TICK_SECONDS, TICKS_RESERVE = 0.25, 2  # hosts a slot that a process has
FULL = 0.9
PARTS = ("process", "redis", "learner", "lock", "database")


@dataclass
class Line:
    """A server with one or more places, first come, first served; asked in order of time."""

    places: int = 1
    busy: float = 0.0  # seconds
    _free: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self._free = [0.0] * self.places

    def serve(self, now: float, seconds: float) -> float:
        """When it is done."""
        begun = max(now, self._free[0])
        heapq.heapreplace(self._free, begun + seconds)
        self.busy += seconds
        return begun + seconds

    def behind(self, now: float) -> float:
        """Seconds of work that waits."""
        return max(0.0, self._free[0] - now)


@dataclass
class Process:
    """One of the crawl: its core, its slots, its hosts by when they are ready."""

    slots: int
    tasks: deque[tuple[float, Callable[[float], float]]] = field(default_factory=deque)
    hosts: list[tuple[float, int]] = field(default_factory=list)
    owned: int = 0
    is_busy: bool = False
    busy: float = 0.0
    waited: float = 0.0


class Simulation:
    """Of so many processes. Times in seconds."""

    def __init__(self, workers: int, nodes: int, given: argparse.Namespace) -> None:
        self.given = given
        self.ms = {name: getattr(given, name) / 1000 for name in SERVICE}
        self.draw = random.Random(7)
        self.redis = [Line() for _ in range(nodes)]
        self.partitions = [self.redis[number % nodes] for number in range(PARTITIONS if nodes > 1 else 1)]
        self.look = self.ms["part" if nodes > 1 else "tick"]
        self.lock, self.database = Line(), Line(given.cores)
        self.learner = Line()
        self.learn = self.ms["learn"] * (2 if given.learner == "fetches" else 1)
        self.processes = [Process(given.slots) for _ in range(workers)]
        self.left, self.order = self._urls()
        self.pages = 0
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._numbers = count()
        self._next_host = 0

    def _urls(self) -> tuple[list[int], list[int]]:
        """Waiting URLs of each host, and the hosts in the order in which they promise most."""
        weights = 1.0 / np.arange(1, self.given.hosts + 1)
        urls = np.maximum(1, self.given.urls * weights / weights.sum()).astype(int)
        order = np.random.default_rng(7).permutation(self.given.hosts)
        return urls.tolist(), order.tolist()

    def run(self, seconds: float) -> None:
        """Begin, then so many seconds."""
        for process in self.processes:
            self._at(self.draw.random() * TICK_SECONDS, lambda now, process=process: self._tick(process, now))
        events = self._events
        while events and events[0][0] < seconds:
            now, _, what = heapq.heappop(events)
            what(now)

    def reset(self) -> None:
        """Count anew: the beginning is over."""
        self.pages = 0
        for line in (*self.redis, self.lock, self.database, self.learner):
            line.busy = 0.0
        for process in self.processes:
            process.busy = process.waited = 0.0

    def _at(self, when: float, what: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (when, next(self._numbers), what))

    # -- a process's core

    def _do(self, process: Process, now: float, seconds: float, asks: Callable[[float], float]) -> None:
        """So long on its core, then a question; `asks` gives when the answer is there, until when the core waits."""
        process.tasks.append((seconds, asks))
        if not process.is_busy:
            self._next(process, now)

    def _next(self, process: Process, now: float) -> None:
        process.is_busy = bool(process.tasks)
        if not process.tasks:
            return
        seconds, asks = process.tasks.popleft()
        process.busy += seconds

        def asked(then: float) -> None:
            answered = asks(then)
            process.waited += answered - then
            self._at(answered, lambda late: self._next(process, late))

        self._at(now + seconds, asked)

    # -- what it does

    def _tick(self, process: Process, now: float) -> None:
        def look(then: float) -> float:
            while process.owned < TICKS_RESERVE * self.given.slots and self._next_host < len(self.order):
                heapq.heappush(process.hosts, (then, self.order[self._next_host]))
                self._next_host += 1
                process.owned += 1
            self._at(then + TICK_SECONDS, lambda late: self._tick(process, late))
            self._at(then, lambda late: self._start(process, late))
            return max(node.serve(then, self.look) for node in self.partitions) + self.ms["trip"]

        self._do(process, now, 0.0002 * len(self.partitions), look)

    def _start(self, process: Process, now: float) -> None:
        """Fetch from each host that is ready, while there are slots."""
        while process.slots and process.hosts and process.hosts[0][0] <= now:
            _, host = heapq.heappop(process.hosts)
            process.slots -= 1
            latency = self.draw.expovariate(1 / self.given.latency)
            self._at(now + latency, lambda then, begun=now, host=host: self._came(process, host, begun, then))

    def _came(self, process: Process, host: int, begun: float, now: float) -> None:
        self.left[host] -= 1
        if self.left[host] > 0:
            ready = max(now, begun + self.given.delay)
            heapq.heappush(process.hosts, (ready, host))
            self._at(ready, lambda then: self._start(process, then))
        else:
            process.owned -= 1
        page = self.ms["page"] * self.draw.gammavariate(4, 0.25)
        self._do(process, now, page, lambda then: self._links(process, then))

    def _links(self, process: Process, now: float) -> float:
        """Ask what is known of the page's links; hand over what follows, which is not waited for."""
        parts = min(len(self.partitions), self.given.link_hosts)
        some = self.draw.sample(self.partitions, parts)
        asked = self.ms["call"] + self.given.links * self.ms["known"] / parts
        answered = max(node.serve(now, asked) for node in some) + self.ms["trip"]
        changes = (self.given.links_new * self.ms["new"] + self.ms["end"]) / parts

        def hand_over(then: float) -> None:
            for node in some:
                node.serve(then, changes)
            self.learner.serve(then, self.learn)
            if self.draw.random() < self.given.kept:
                compared = self.lock.serve(then, self.ms["lock"]) + self.ms["trip"]
                self._at(compared, lambda late: self._keep(process, late))
            else:
                self._ended(process, then)

        self.pages += 1
        self._at(answered, hand_over)
        return answered

    def _keep(self, process: Process, now: float) -> None:
        kept = self.database.serve(now, self.ms["keep"]) + self.ms["trip"]
        self._at(kept, lambda then: self._ended(process, then))

    def _ended(self, process: Process, now: float) -> None:
        process.slots += 1
        self._start(process, now)


def measure(workers: int, nodes: int, given: argparse.Namespace) -> dict[str, Any]:
    simulation = Simulation(workers, nodes, given)
    begin = 10.0
    simulation.run(begin)
    simulation.reset()
    behind = simulation.learner.behind(begin)
    end = begin + given.seconds
    simulation.run(end)
    processes = simulation.processes
    shares = {
        "process": sum(process.busy + process.waited for process in processes) / workers / given.seconds,
        "redis": max(node.busy for node in simulation.redis) / given.seconds,
        "learner": simulation.learner.busy / given.seconds,
        "lock": simulation.lock.busy / given.seconds,
        "database": simulation.database.busy / given.seconds / given.cores,
    }
    common = [part for part in PARTS[1:] if shares[part] >= FULL]
    return {
        "workers": workers,
        "nodes": nodes,
        "pages_per_second": round(simulation.pages / given.seconds, 1),
        **{part: round(min(1.0, share), 2) for part, share in shares.items()},
        "waited": round(sum(process.waited for process in processes) / workers / given.seconds, 3),
        "learner_behind": round(max(0.0, simulation.learner.behind(end) - behind), 1),
        "full": ", ".join(common) or "-",
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--urls", type=int, default=10_000_000)
    add("--hosts", type=int, default=200_000)
    add("--workers", default="1,10,30,60,100,200")
    add("--nodes", default="1,3,12")
    add("--seconds", type=float, default=60.0)
    add("--learner", choices=("fetches", "alone"), default="fetches")
    add("--delay", type=float, default=1.0, help="seconds between two requests to a host")
    add("--latency", type=float, default=0.5, help="seconds of a request, on average")
    add("--slots", type=int, default=32, help="requests at once of a process")
    add("--links", type=int, default=60, help="of a page")
    add("--links-new", type=int, default=6, help="of these, not met before")
    add("--link-hosts", type=int, default=5, help="hosts they lead to")
    add("--kept", type=float, default=0.4, help="share of pages that are relevant")
    add("--cores", type=int, default=4, help="of the database's machine")
    add("--json", action="store_true")
    for name, milliseconds in SERVICE.items():
        add(f"--{name}", type=float, default=milliseconds, metavar="MS")
    given = parser.parse_args()
    begun, head = time.perf_counter(), True
    for workers in map(int, given.workers.split(",")):
        for nodes in map(int, given.nodes.split(",")):
            found = measure(workers, nodes, given)
            if given.json:
                print(json.dumps(found), flush=True)
                continue
            if head:
                print(" | ".join(f"{name:>9}" for name in found))
                head = False
            print(" | ".join(f"{value!s:>{max(9, len(name))}}" for name, value in found.items()), flush=True)
    if not given.json:
        print(f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
