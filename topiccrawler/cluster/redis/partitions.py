"""Combines the partitions of a crawl on a Redis Cluster into one frontier.

Each partition has a part of the hosts, with their queues, leases and URLs. It is in one slot, so on one node, and is a frontier like that
of a crawl on one server. All partitions share the ranking of hosts, so the best URL of all is next. The stream of entries, the state of
the learner and the notes are in the first partition; the learner scores the URLs of the others too.

No transaction spans two partitions, and none is needed: the links of a page are sent before its end. A process with unconfirmed changes
in any partition, or with a page under way, counts as busy in all. The crawl has ended when every partition reports that it is empty, and
reports so again after another poll without changes: an earlier reply may be out of date when the last one arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Self, TypeVar

from topiccrawler.cluster.redis.frontier import RedisFrontier
from topiccrawler.cluster.redis.listing import RedisListing
from topiccrawler.cluster.redis.records import partition_of
from topiccrawler.cluster.redis.shared_learning import LearnsTogether
from topiccrawler.crawling.sharing import Prefetch
from topiccrawler.frontier.base import Accept, FrontierView, Leased, Notes, Postpone, Pushed, State
from topiccrawler.model import Link, Score
from topiccrawler.urls.canonical import host_of

LOOKS = 2  # replies to await: the second one from now belongs to a poll that was sent after now
MOST = frozenset({"workers"})  # stats of which the maximum over the partitions counts, not the sum
T = TypeVar("T")


class PartitionedView(RedisListing, FrontierView):
    """The view over all partitions: see frontier.base.FrontierView. `of(host)`: the partition that has the host."""

    def __init__(self, parts: Sequence[RedisFrontier], of: Callable[[str], RedisFrontier]) -> None:
        workers = [part.worker for part in parts]
        asks = [worker.ask_or_fail for worker in workers]
        super().__init__(asks, workers[0].where, lambda number, host: of(host).scores_anew(number, host))
        self._views, self._of = [part.look() for part in parts], of

    def waiting(self) -> int:
        return sum(view.waiting() for view in self._views)

    def sample(self, count: int) -> Sequence[float]:
        found = [(view.waiting(), view.sample(count)) for view in self._views]
        if not all(scores for waiting, scores in found if waiting):
            return []
        rate = min((len(scores) / waiting for waiting, scores in found if waiting), default=0.0)
        shares = [(scores, min(len(scores), round(rate * waiting))) for waiting, scores in found]
        return [scores[at * len(scores) // share] for scores, share in shares for at in range(share)]

    def is_open(self, url: str) -> bool:
        return self._of(host_of(url)).look().is_open(url)

    def is_new_anchor(self, url: str, text: str) -> bool:
        return self._of(host_of(url)).look().is_new_anchor(url, text)


class PartitionedFrontier(LearnsTogether):
    """See frontier.base.Frontier and crawling.sharing.SharedQueue for the contracts. But: first in first out among equal scores holds
    only within a partition. `parts`: the partitions, which share one `Hosts`."""

    def __init__(self, parts: Sequence[RedisFrontier]) -> None:
        self.parts = list(parts)
        first = self.parts[0]
        self.hosts = first.hosts
        self._view = PartitionedView(parts, self._of)
        self.notes: Notes = first.notes
        self.exchange = first.exchange
        first.worker.others = [part.worker for part in parts[1:]]
        for part in self.parts:
            part.others = [other for other in parts if other is not part]
        self._dry_at: tuple[list[int], object] | None = None  # polls and counts when all were first empty

    def push(
        self, rows: Iterable[tuple[Link, Score]], *, now: float, tunnel: int = 0, again: bool = False
    ) -> Mapping[Pushed, int]:
        did = dict.fromkeys(Pushed, 0)
        for part, some in self._divided(rows, lambda row: row[0].host):
            for outcome, count in part.push(some, now=now, tunnel=tunnel, again=again).items():
                did[outcome] += count
        return did

    def lease(
        self, now: float, accept: Accept | None = None, *, target: tuple[Link, Score] | None = None
    ) -> Leased | None:
        if target is not None:
            return self._of(target[0].host).lease(now, target=target)
        for part in self.parts:
            part.look_around(now)
            part.worker.stand_by()
        stopped = False

        def asked(leased: Leased) -> str | Postpone | None:
            nonlocal stopped
            answer = None if accept is None else accept(leased)
            stopped = answer is Postpone.STOP
            return answer

        while not stopped and (host := self.hosts.best(now)) is not None:
            leased = self._of(host).lease(now, asked)
            if leased is not None:
                return leased
            if self.hosts.best(now) == host:  # its node has failed just now
                return None
        return None

    def end(self, url: str, state: State, reason: str, now: float, *, unused: bool = False) -> None:
        self._of(host_of(url)).end(url, state, reason, now, unused=unused)

    def release(
        self, now: float, urls: Iterable[str] | None = None, *, slots_only: bool = False, reason: str = ""
    ) -> int:
        if urls is None:
            return sum(part.release(now, slots_only=slots_only, reason=reason) for part in self.parts)
        divided = self._divided(urls, host_of)
        return sum(part.release(now, some, slots_only=slots_only, reason=reason) for part, some in divided)

    def recall(self, urls: Iterable[str]) -> None:
        for part, some in self._divided(urls, host_of):
            part.recall(some)

    def count_try(self, url: str) -> int:
        return self._of(host_of(url)).count_try(url)

    def rescore(self, scores: Iterable[Score]) -> int:
        return sum(part.rescore(some) for part, some in self._divided(scores, _host_of_score))

    def send_scores(self, scores: Iterable[Score]) -> int:
        return sum(part.send_scores(some) for part, some in self._divided(scores, _host_of_score))

    def look(self) -> PartitionedView:
        return self._view

    def look_up(self, urls: Iterable[str]) -> bool:
        found = [part.look_up(some) for part, some in self._divided(urls, host_of)]
        return all(found)

    def prefetch(self, urls: Iterable[str]) -> Prefetch | None:
        found = [part.prefetch(some) for part, some in self._divided(urls, host_of)]
        asked = [ahead for ahead in found if ahead is not None]
        answers = [answer for ahead in asked for answer in ahead.answers]
        return Prefetch(answers, lambda: [ahead.receive() for ahead in asked]) if asked else None

    def pending(self) -> bool:
        """True while a URL waits or is under way in any partition. Each partition is asked, and learns whether this is the learner."""
        for part in self.parts[1:]:
            part.worker.exchange.used = self.parts[0].worker.exchange.is_learner
        found = [part.pending() for part in self.parts]
        if any(found):
            self._dry_at = None
            return True
        looks = [part.worker.looks for part in self.parts]
        counts = [dict(part.worker.counts) for part in self.parts]
        if self._dry_at is None or self._dry_at[1] != counts:
            self._dry_at = looks, counts
        return any(now < then + LOOKS for now, then in zip(looks, self._dry_at[0], strict=True))

    def next_ready(self, now: float) -> float | None:
        times = [part.next_ready(now) for part in self.parts]
        return min((time for time in times if time is not None), default=None)

    def figures(self) -> Mapping[str, float]:
        found = [part.figures() for part in self.parts]
        each = {name: [figures[name] for figures in found] for name in found[0]}
        return {name: max(values) if name in MOST else sum(values) for name, values in each.items()}

    def commit(self) -> None:
        for part in self.parts:
            part.commit()

    def close(self, *, commit: bool = True) -> None:
        with ExitStack() as all_of_them:
            for part in self.parts:
                all_of_them.callback(part.close, commit=commit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _of(self, host: str) -> RedisFrontier:
        return self.parts[partition_of(host, len(self.parts))]

    def _divided(
        self, things: Iterable[T], host: Callable[[T], str]
    ) -> Iterable[tuple[RedisFrontier, list[T]]]:
        """Group things by the partition of their host, in order."""
        found: dict[int, list[T]] = {}
        for thing in things:
            found.setdefault(partition_of(host(thing), len(self.parts)), []).append(thing)
        return [(self.parts[number], some) for number, some in found.items()]


def _host_of_score(score: Score) -> str:
    return host_of(score.url)
