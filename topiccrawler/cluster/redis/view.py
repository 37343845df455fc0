"""A crawl in Redis, looked at without joining it: for commands, while workers go on.

The frontier of a crawl in Redis, on one server or on several.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from topiccrawler.cluster.redis.connection import AwayError, Client
from topiccrawler.cluster.redis.exchange import learned_of
from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.joining import MADE_OF, RedisNotes, hash_of, join, texts_of
from topiccrawler.cluster.redis.listing import RedisListing, ShardedListing, counts_of
from topiccrawler.cluster.redis.records import Argument, Batch, addresses
from topiccrawler.cluster.redis.sharded import ShardedFrontier, shard_of
from topiccrawler.crawling.sharing import Learned
from topiccrawler.errors import StateError
from topiccrawler.frontier.base import Listing, Notes, Row, State
from topiccrawler.frontier.dump import Overview
from topiccrawler.frontier.hosts import Hosts
from topiccrawler.frontier.rows import STATES


def open_shared(
    urls: Sequence[str],
    job: str,
    hosts: Hosts | None = None,
    recipe: Mapping[str, Any] | None = None,
    *,
    worker_seconds: float = 30.0,
    made_of: Mapping[str, Any] | None = None,
    call_seconds: float | None = None,
    **options: Any,
) -> RedisFrontier | ShardedFrontier:
    """Join the crawl on each of its servers (joining.join; `options`: as RedisFrontier takes them). StateError when one of them cannot be used,
    or the crawl was begun with another recipe, or with other servers or in another order.
    """
    hosts = Hosts() if hosts is None else hosts
    seconds = {} if call_seconds is None else {"call_seconds": call_seconds}
    parts = []
    for number, url in enumerate(urls, 1):
        place = {"Redis server": f"{number} of {len(urls)}"} if len(urls) > 1 else {}
        joined = join(
            url, job, {**(recipe or {}), **place}, worker_seconds=worker_seconds, made_of=made_of, **seconds
        )
        parts.append(RedisFrontier(joined, hosts, **options))
    return ShardedFrontier(parts) if len(parts) > 1 else parts[0]


HARVEST, WAITS = "harvest", "waits"  # notes that are summed up over the workers


class RedisView:
    """Reads only. StateError when there is no such server or crawl."""

    def __init__(self, url: str, job: str) -> None:
        self._clients = [Client(one, job) for one in addresses(url)]
        for client in self._clients:
            client.check()
        self.name = self._clients[0].name
        made_of = self._read("GET", MADE_OF)
        if made_of is None:
            fault = "there is no crawl of this name"
            raise StateError(f"Redis {self.name}", fault, "give the name it was begun with by -a job=NAME")
        self.made_of: Mapping[str, Any] = json.loads(made_of)
        parts = [RedisListing(partial(self._ask_one, client), client.name) for client in self._clients]
        number = partial(shard_of, servers=len(parts))
        self._listing: Listing = ShardedListing(parts, number) if len(parts) > 1 else parts[0]
        self.notes: Notes = RedisNotes(Batch(), self.notes_of(0))

    def look(self) -> Listing:
        """What its queue holds."""
        return self._listing

    def notes_of(self, slot: int) -> dict[str, str]:
        """The notes of one worker."""
        return texts_of(hash_of(self._read("HGETALL", f"notes:{slot}")))

    def learned(self) -> Learned | None:
        """What the learner published last."""
        return learned_of(self._ask("learned", []))

    def rows(self) -> Iterator[Row]:
        """All records, in order of arrival."""
        return self.look().rows()

    def overview(self, top: int) -> Overview:
        """Counts, and what comes next. O(hosts); of hosts only those that wait or are owned, and what of them waits or is leased."""
        found = [self._ask_one(client, "overview", []) for client in self._clients]
        hosts = [host for _, some, _ in found for host in some]
        waiting = {
            name.decode("utf-8", "replace"): {
                State.WAITING.value: int(waits),
                State.PROCESSING.value: int(leased),
            }
            for name, waits, leased in sorted(hosts, key=lambda host: (-int(host[1]), host[0]))
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
        """Pages and kept pages of all workers together, and why the hosts of each wait."""
        harvest: Counter[str] = Counter()
        waits: list[Any] = []
        slot = 0
        while texts := self.notes_of(slot):
            found = json.loads(texts.get(HARVEST, "{}"))
            harvest.update({name: count for name, count in found.items() if isinstance(count, int)})
            waits += json.loads(texts.get(WAITS, "[]"))
            slot += 1
        return {HARVEST: json.dumps(harvest), WAITS: json.dumps(waits)}

    def close(self) -> None:
        """Let go."""
        for client in self._clients:
            client.close()

    def _ask(self, name: str, arguments: Sequence[Argument]) -> Any:
        return self._ask_one(self._clients[0], name, arguments)

    def _ask_one(self, client: Client, name: str, arguments: Sequence[Argument]) -> Any:
        try:
            return client.run(name, arguments)
        except AwayError as error:
            raise self._away(error) from None

    def _read(self, command: str, name: str) -> Any:
        try:
            return self._clients[0].read(command, name)
        except AwayError as error:
            raise self._away(error) from None

    def _away(self, error: AwayError) -> StateError:
        return StateError(
            f"Redis {self.name}", f"is away ({error})", "give the command again when it is back"
        )
