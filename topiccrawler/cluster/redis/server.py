"""Opens the queue of a crawl in Redis.

`open_shared` joins a crawl, on one server or on a cluster. `RedisView` reads a crawl without joining it, for commands.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from topiccrawler.cluster.redis.client import AwayError, Client, clients_of
from topiccrawler.cluster.redis.connection import CALL_SECONDS
from topiccrawler.cluster.redis.exchange import learned_of
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import MADE_OF, WORKER_SECONDS, RedisNotes, hash_of, join, texts_of
from topiccrawler.cluster.redis.listing import RedisListing, counts_of
from topiccrawler.cluster.redis.partitions import PartitionedFrontier
from topiccrawler.cluster.redis.records import Batch, whole
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Listing, Notes, State
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.rows import STATES
from topiccrawler.frontier.stored_queue import Overview

logger = logging.getLogger(__name__)

NOT_DURABLE = "Redis %s keeps no append-only file: a crash of the server loses the crawl (appendonly yes)"


def open_shared(
    url: str,
    job: str,
    hosts: Hosts | None = None,
    recipe: Mapping[str, Any] | None = None,
    *,
    made_of: Mapping[str, Any] | None = None,
    call_seconds: float = CALL_SECONDS,
    **options: Any,
) -> RedisFrontier | PartitionedFrontier:
    """Join a crawl, in each of its partitions when the server is a node of a cluster. See joining.join; `options`: those of RedisFrontier.
    StateError when the server cannot be used, or the crawl was begun with another recipe.
    """
    hosts = Hosts() if hosts is None else hosts
    seconds = {"worker_seconds": WORKER_SECONDS, "call_seconds": call_seconds}
    clients = clients_of(url, job)
    if not all(client.is_durable for client in clients):
        logger.warning(NOT_DURABLE, clients[0].server)
    parts = []
    for number, client in enumerate(clients, 1):
        place = {"partition": f"{number} of {len(clients)}"} if len(clients) > 1 else {}
        try:
            joined = join(client, {**(recipe or {}), **place}, made_of=made_of, **seconds)
        except AwayError as error:
            raise client.unreachable(error) from None
        parts.append(RedisFrontier(joined, hosts, partitions=len(clients), **options))
    return PartitionedFrontier(parts) if len(parts) > 1 else parts[0]


HARVEST, WAITS = "harvest", "waits"  # notes that are summed up over the workers


class RedisView:
    """Read access to a crawl for commands that do not join it. StateError when there is no such server or crawl."""

    def __init__(self, url: str, job: str) -> None:
        self._clients = clients_of(whole(url), job)
        self.name = self._clients[0].name
        made_of = self._read("GET", MADE_OF)
        if made_of is None:
            fault = "there is no crawl of this name"
            raise StateError(f"Redis {self.name}", fault, "give the name it was begun with by -a job=NAME")
        self.made_of: Mapping[str, Any] = json.loads(made_of)
        parts = [partial(self._or_fail, client, client.run) for client in self._clients]
        self._listing: Listing = RedisListing(parts, self.name)
        self.notes: Notes = RedisNotes(Batch(), self._notes_of(0))

    def look(self) -> Listing:
        """The listing of the URLs in the queue."""
        return self._listing

    def _notes_of(self, slot: int) -> dict[str, str]:
        return texts_of(hash_of(self._read("HGETALL", f"notes:{slot}")))

    def learned(self) -> tuple[int, str] | None:
        """Number and text of the newest published state of the strategy; None when there is none."""
        found = learned_of(self._or_fail(self._clients[0], self._clients[0].run, "learned", []))
        return None if found is None else (found.number, found.text)

    def overview(self, top: int = 10) -> Overview:
        """The counts of the crawl, and the `top` best waiting rows. O(hosts). Only hosts that have waiting URLs or an owner are included,
        with their numbers of waiting and leased URLs."""
        found = [self._or_fail(client, client.run, "overview", []) for client in self._clients]
        hosts = [host for _, some, _ in found for host in some]
        names = (State.WAITING.value, State.PROCESSING.value)
        waiting = {
            host.decode(): dict(zip(names, map(int, counts), strict=True))
            for host, *counts in sorted(hosts, key=lambda host: (-int(host[1]), host[0]))
        }
        ended: dict[State, Counter[str]] = {State.ERROR: Counter(), State.DISCARDED: Counter()}
        for _, _, reasons in found:
            for raw, count in hash_of(reasons).items():
                state = STATES[int(raw[:1])]
                if state in ended and int(count) > 0:
                    ended[state][raw[1:].decode("utf-8", "replace")] += int(count)
        by_state = [counts_of(counts) for counts, _, _ in found]
        states = {state.value: sum(counts[state] for counts in by_state) for state in STATES}
        failures, discards = (dict(ended[state].most_common()) for state in (State.ERROR, State.DISCARDED))
        return Overview(states, waiting, failures, discards, self.look().best(top), self.summed_notes())

    def summed_notes(self) -> dict[str, str]:
        """Notes with the page counts of all workers together, and the reasons why the hosts of each wait."""
        harvest, kinds = Counter[str](), Counter[str]()
        waits: list[Any] = []
        for slot in range(int(self._read("GET", "sessions") or 0)):  # a worker may have ended without notes
            texts = self._notes_of(slot)
            found = json.loads(texts.get(HARVEST, "{}"))
            harvest.update({name: count for name, count in found.items() if isinstance(count, int)})
            kinds.update(found.get("kinds", {}))
            waits += json.loads(texts.get(WAITS, "[]"))
        return {
            HARVEST: json.dumps({**harvest, **({"kinds": kinds} if kinds else {})}),
            WAITS: json.dumps(waits),
        }

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients:
            client.close()

    def _read(self, command: str, name: str) -> Any:
        return self._or_fail(self._clients[0], self._clients[0].read, command, name)

    def _or_fail(self, client: Client, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return call(*arguments)
        except AwayError as error:
            raise client.unreachable(error) from None
